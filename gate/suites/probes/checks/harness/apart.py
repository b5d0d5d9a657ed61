"""Keeps code under test from the process that watches it, and sees what it does to files; runs in the cell.

A cell gives all processes of a job the same rights, so one could open the pipes of another below /proc. `leave` puts
the process that calls it, and all that it starts, into a Landlock domain of its own: it can neither open what those
outside hold, nor signal them where the kernel is new enough (landlock(7), "Ptrace restrictions" and "IPC scoping").
`Events` are the kernel's own notes on files (inotify(7)): what code under test did stays in them when it tidies up.
"""

from __future__ import annotations

import ctypes
import os
import struct
import sys

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

_CREATE, _ADD_RULE, _RESTRICT = 444, 445, 446
_REFER, _MAKE_BLOCK = 1 << 13, 1 << 11
_SIGNALS = 1 << 1
_SUBREAPER = 36
_ACCESS, _MODIFY, _CHANGED, _OPEN = 0x1, 0x2, 0x4, 0x20
_MOVED_FROM, _MOVED_TO, _CREATED, _DELETED = 0x40, 0x80, 0x100, 0x200
_DELETED_ITSELF, _MOVED_ITSELF, _AND_MORE = 0x400, 0x800, 0x20000000
_OVERFLOW, _IS_FOLDER = 0x4000, 0x40000000
_NAMES = {
    _ACCESS: "read",
    _OPEN: "opened",
    _MODIFY: "written",
    _CHANGED: "changed",
    _MOVED_FROM: "deleted",
    _MOVED_TO: "created",
    _CREATED: "created",
    _DELETED: "deleted",
}
_EVENT = struct.Struct("iIII")
_MOST_FOLDERS, _MOST_NOTES = 200, 400
_libc = ctypes.CDLL(None, use_errno=True)


def adopt() -> None:
    """Become the parent of all orphans below, so that they can be found and ended."""
    _libc.prctl(_SUBREAPER, 1, 0, 0, 0)


def leave() -> None:
    """Enter a domain of one's own; without Landlock nothing changes. No right to files is lost."""
    version = _libc.syscall(_CREATE, None, 0, 1)
    if version < 1:
        return
    handled = _REFER if version >= 2 else _MAKE_BLOCK
    attributes = [handled] if version < 6 else [handled, 0, _SIGNALS]
    packed = struct.pack(f"={len(attributes)}Q", *attributes)
    ruleset = _libc.syscall(_CREATE, packed, len(packed), 0)
    if ruleset < 0:
        return
    if version >= 2:  # moving files between folders is refused in a domain that does not allow it
        root = os.open("/", os.O_PATH | os.O_CLOEXEC)
        _libc.syscall(_ADD_RULE, ruleset, 1, struct.pack("=Qi", _REFER, root), 0)
        os.close(root)
    if _libc.syscall(_RESTRICT, ruleset, 0) != 0:
        sys.stderr.write("the code under test could not be set apart\n")
        os._exit(3)
    os.close(ruleset)


def _checked(found: Any) -> Any:
    if found < 0:
        number = ctypes.get_errno()
        raise OSError(number, os.strerror(number))
    return found


class Events:
    """What happens to the files of some folders and of those below them, from now on.

    Raises:
        OSError: the kernel does not watch them, such as where a user has no watch left.
    """

    def __init__(self, root: Any, folders: Any) -> None:
        self.root = root
        self.handle = _checked(_libc.inotify_init1(os.O_NONBLOCK | os.O_CLOEXEC))
        self.places: dict[int, str] = {}
        self.notes: dict[Any, None] = {}
        itself = _DELETED_ITSELF | _MOVED_ITSELF
        mask = _ACCESS | _MODIFY | _CHANGED | _MOVED_FROM | _MOVED_TO | _CREATED | _DELETED | itself
        for place in (root, os.path.dirname(root)):
            self._watch(place, itself)
        for folder in folders:
            for place, inner, files in os.walk(os.path.join(root, folder)):
                inner.sort()
                if len(self.places) < _MOST_FOLDERS:
                    self.places[self._watch(place, mask)] = place
                else:
                    self.notes[("lost", "")] = None
                for name in sorted(files)[:_MOST_FOLDERS]:  # by themselves too: they can get other names
                    path = os.path.join(place, name)
                    if not os.path.islink(path):
                        self.places[self._watch(path, _ACCESS | _MODIFY | _OPEN)] = path

    def _watch(self, place: Any, mask: Any) -> Any:
        return _checked(_libc.inotify_add_watch(self.handle, os.fsencode(place), mask | _AND_MORE))

    def take(self) -> Any:
        """Read what there is; True, since more may come."""
        while True:
            try:
                data = os.read(self.handle, 65_536)
            except BlockingIOError:
                return True
            place = 0
            while place < len(data):
                watch, mask, _, length = _EVENT.unpack_from(data, place)
                place += _EVENT.size + length
                name = data[place - length : place].rstrip(b"\0").decode("utf-8", "replace")
                self._note(watch, mask, name)

    def _note(self, watch: Any, mask: Any, name: Any) -> None:
        turned = mask & (_DELETED_ITSELF | _MOVED_ITSELF)  # another can stand in its place, which nobody watches
        if turned or mask & _OVERFLOW or len(self.notes) >= _MOST_NOTES:
            self.notes[("lost", "")] = None
        else:
            what = next((told for bit, told in _NAMES.items() if mask & bit), "")
            if mask & _IS_FOLDER:
                what = "folder" if what == "created" else ""
            if what and watch in self.places:
                path = os.path.join(self.places[watch], name) if name else self.places[watch]
                self.notes[(what, os.path.relpath(path, self.root))] = None

    def close(self) -> Any:
        """Pairs of what happened and the path from the root, each once, in the order in which they happened first."""
        self.take()
        os.close(self.handle)
        return [list(one) for one in self.notes]
