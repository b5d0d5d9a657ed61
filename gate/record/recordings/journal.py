"""One file of recordings: read without its bodies, appended to line by line, rewritten whole."""

from __future__ import annotations

import contextlib
import io
import os
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

from gate.errors import RecordingError
from gate.record.recordings.decode import decode
from gate.record.recordings.entry import (
    HEADER,
    Ended,
    Entry,
    Head,
    Place,
    Slot,
    encode,
    encode_ended,
    encode_head,
)
from gate.record.recordings.exchange import Answer
from gate.record.recordings.index import Index
from gate.record.recordings.locking import unwritable
from gate.record.recordings.runs import is_alive

_NO_LINK = getattr(os, "O_NOFOLLOW", 0) | getattr(os, "O_BINARY", 0)
_BLOCK = 1 << 20


class Reader:
    """A file as it was when it was opened, also after another process rewrote it.

    Raises:
        RecordingError: it can't be read, or a line is damaged.
    """

    def __init__(self, path: Path, name: str) -> None:
        self._name = name
        self._handle = -1
        self.index = Index(name, self._line)
        try:
            self._handle = os.open(path, os.O_RDONLY | _NO_LINK)
            with open(self._handle, "rb", buffering=_BLOCK, closefd=False) as lines:
                for _ in self.index.take(lines):
                    pass
        except FileNotFoundError:
            return
        except OSError as error:
            raise _unreadable(name, error) from None

    @property
    def notice(self) -> str:
        """What was left out, in words; empty for nothing."""
        return _torn(self._name, self.index.lines + 1, self.index.torn) if self.index.torn else ""

    def entry(self, head: Head) -> Entry:
        """The whole entry, its request included where it is stored.

        Raises:
            RecordingError: damaged.
        """
        found = decode(self._line(head.place), f"{self._name}:{head.place.line}")
        if (found.slot, found.n, found.failed) != (head.slot, head.n, head.failed):
            raise RecordingError("was changed while it was read", where=self._name, remedy="run again")
        return found if found.request is not None else replace(found, request=self._request(found.key))

    def answer(self, head: Head) -> Answer:
        """The answer alone."""
        return decode(self._line(head.place), f"{self._name}:{head.place.line}").answer

    def _request(self, key: str) -> dict[str, object] | None:
        place = self.index.requests.get(key)
        if place is None:
            return None
        request = decode(self._line(place), f"{self._name}:{place.line}").request
        return dict(request) if request is not None else None

    def _line(self, place: Place) -> bytes:
        return _read(self._handle, place)

    def close(self) -> None:
        """Give the file back."""
        if self._handle >= 0:
            os.close(self._handle)
            self._handle = -1

    def __del__(self) -> None:
        with contextlib.suppress(OSError):
            self.close()


class Writer:
    """Appends to a file. Every method needs the lock of the folder, which is the caller's to take."""

    def __init__(self, path: Path, name: str, folder: Path) -> None:
        self._path = path
        self._name = name
        self._folder = folder
        self._handle = -1
        self._index = Index(name, self._line)
        self._inode = (0, 0)
        self._held = -1
        self._last = b""
        self._next: dict[tuple[str, Slot], tuple[int, int]] = {}
        self.notices: list[str] = []

    def append(self, entry: Entry, tail: bytes, *, least: int = 0, at: int | None = None) -> Entry:
        """Store one answer, numbered behind those that are there.

        Args:
            entry: its numbers are not used, and its request is left out where the file has it.
            tail: its second part, encoded.
            least: smallest number, where answers of the same slot are stored elsewhere.
            at: the number, where it is known to be free.

        Raises:
            RecordingError: the disk refuses, or the file is damaged. What was stored before is whole.
        """
        with self._opened() as handle:
            prefix = b"" if entry.run else self._adopt(entry.case)
            counted = (entry.run, entry.slot)
            if counted not in self._next:
                self._next[counted] = self._index.next_of(entry.slot, entry.run)
            n, failed = self._next[counted]
            if at is not None or least > n:
                n, failed = least if at is None else at, 0
            fails = bool(entry.failed)
            known = entry.key in self._index.requests
            entry = replace(entry, n=n, failed=failed + 1 if fails else 0, request=None if known else entry.request)
            self._write(handle, prefix + encode_head(entry) + tail)
            return entry

    def end(self, case: str, run: str) -> None:
        """Say that a run recorded a case to its end, so that its entries replace the older ones."""
        with self._opened() as handle:
            self._write(handle, encode_ended(Ended(case, run)))

    def prepare(self) -> None:
        """Find out before a call is paid whether its answer can be stored."""
        with self._opened():
            pass

    def sync(self) -> None:
        """Put what was written on the disk itself."""
        with self._opened() as handle:
            os.fsync(handle)

    def _adopt(self, case: str) -> bytes:
        """Lines that make what killed runs left behind count from now on, since more is added to it."""
        runs = self._index.unfinished(case)
        if not runs or any(is_alive(self._folder, run) for run in runs):
            return b""
        others = [head for head in self._index.holding(case) if head.run != runs[-1]]
        moved = [decode(self._line(head.place), f"{self._name}:{head.place.line}") for head in others]
        return b"".join(encode(replace(entry, run=runs[-1])) for entry in moved) + encode_ended(Ended(case, runs[-1]))

    @contextlib.contextmanager
    def _opened(self) -> Iterator[int]:
        """The file, with all that other processes added read and a half-written last line taken away."""
        try:
            self._path.parent.mkdir(parents=True, exist_ok=True)
            handle = os.open(self._path, os.O_RDWR | os.O_CREAT | os.O_APPEND | _NO_LINK, 0o644)
        except OSError as error:
            raise unwritable(self._path, error) from None
        self._handle = handle
        try:
            self._catch_up(handle)
            yield handle
        except OSError as error:
            raise unwritable(self._path, error) from None
        finally:
            os.close(handle)

    def _catch_up(self, handle: int) -> None:
        found = os.fstat(handle)
        same = (found.st_dev, found.st_ino) == self._inode and found.st_size >= self._index.size
        if not same or self._before(handle) != self._last:  # another process rewrote it
            self._index = Index(self._name, self._line)
            self._next.clear()
            self._inode = (found.st_dev, found.st_ino)
            self._hold(handle)
            self._last = b""
        if found.st_size > self._index.size:
            self._read_on(handle)
            if self._index.torn:
                self.notices.append(_torn(self._name, self._index.lines + 1, self._index.torn))
                os.ftruncate(handle, self._index.size)
            self._last = self._before(handle)
        if self._index.size == 0:
            self._write(handle, HEADER)

    def _hold(self, handle: int) -> None:
        """Keep the inode, by whose number the file is known: a freed one may be that of the next file at once."""
        self.close()
        if os.name == "posix":  # elsewhere nobody could replace the file
            self._held = os.dup(handle)

    def close(self) -> None:
        """Give the file back."""
        if self._held >= 0:
            os.close(self._held)
            self._held = -1

    def __del__(self) -> None:
        with contextlib.suppress(OSError):
            self.close()

    def _read_on(self, handle: int) -> None:
        with open(handle, "rb", buffering=_BLOCK, closefd=False) as stream:
            stream.seek(self._index.size)
            for found in self._index.take(stream):
                self._forget(found)

    def _forget(self, found: Head | Ended) -> None:
        """What is counted of a case is counted anew once a line of it was added."""
        if isinstance(found, Ended):
            self._next = {counted: value for counted, value in self._next.items() if counted[1][0] != found.case}
        else:
            self._next.pop((found.run, found.slot), None)

    def _line(self, place: Place) -> bytes:
        return _read(self._handle, place)

    def _before(self, handle: int) -> bytes:
        length = min(self._index.size, 256)
        return _read(handle, Place(self._index.size - length, length, 0))

    def _write(self, handle: int, data: bytes) -> None:
        """Append whole lines, or nothing."""
        try:
            view = memoryview(data)
            while view:
                view = view[os.write(handle, view) :]
        except OSError as error:
            with contextlib.suppress(OSError):
                os.ftruncate(handle, self._index.size)
            raise unwritable(self._path, error) from None
        for found in self._index.take(io.BytesIO(data)):
            if isinstance(found, Head):
                counted = found.run, found.slot
                behind = found.n + (not found.failed), found.failed
                self._next[counted] = max(behind, self._next.get(counted, behind))
            else:
                self._forget(found)
        self._last = (self._last + data)[-256:]


def _read(handle: int, place: Place) -> bytes:
    """Bytes of an open file, without moving its position, which a forked child shares."""
    if hasattr(os, "pread"):
        return os.pread(handle, place.length, place.offset)
    os.lseek(handle, place.offset, os.SEEK_SET)
    return os.read(handle, place.length)


def _torn(name: str, line: int, length: int) -> str:
    return f"{name}:{line}: the last line was half-written ({length:,} bytes) and is left out; its call is asked again"


def _unreadable(name: str, error: OSError) -> RecordingError:
    return RecordingError(
        f"can't be read: {error.strerror or error}",
        where=name,
        remedy="put a plain file there, or restore it from git",
    )
