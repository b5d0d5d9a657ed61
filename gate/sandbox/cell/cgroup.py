"""A control group for the memory of one job, where one is delegated to the gate (cgroups(7), version 2).

The limits of processes bind each process alone, and a look comes every 20 ms. A group binds all of them together at
every page, so that nothing is held beyond it for a moment. It is used where the gate may make groups and hand the
memory controller down to them; where it may not, the other two hold as before.

But for the root of all, a group that has processes hands no memory down. So jobs get groups beside the gate's own,
where what stands above that is delegated too; and a gate that is alone in a delegated group goes into one below it.
"""

# pathlib would make every fork larger
# ruff: noqa: PTH102, PTH106, PTH110, PTH116, PTH120, PTH123

from __future__ import annotations

import atexit
import contextlib
import errno
import os
import time
from collections.abc import Iterable

from gate.sandbox.cell import usage

_SLACK = 32 * 1024 * 1024  # for what the kernel holds for the processes, and counts as theirs
_BELOW = "gate"
_LOOKS, _PAUSE = 200, 0.01
_MARKS = ("trusted.delegate", "user.delegate")


def own_group(mounts: str, own: str) -> tuple[str, str]:
    """Where the hierarchy is mounted, and the folder of this process's own group in it; two empty texts for none.

    Args:
        mounts: text of /proc/self/mounts.
        own: text of /proc/self/cgroup.
    """
    path = next((line[3:] for line in own.splitlines() if line.startswith("0::/")), "")
    root = next((fields[1] for line in mounts.splitlines() if (fields := line.split())[2:3] == ["cgroup2"]), "")
    return (root, os.path.normpath(f"{root}/{path}")) if path and root and ".." not in path else ("", "")


def here() -> str:
    """The folder below which this process can make groups, which is tried; empty where it can't.

    A process that is alone in a delegated group, but for its children, is in one below it from then on.
    """
    return find(*own_group(_read("/proc/self/mounts"), _read("/proc/self/cgroup")))


def find(root: str, own: str) -> str:
    """As `here`, for a process whose group is `own` in the hierarchy that is mounted at `root`."""
    if not own:
        return ""
    if _serves(own):
        return own
    above = os.path.dirname(own)
    if own != root and _is_ours(above, root):
        return above if _serves(above) else ""
    if _has_memory(own) and _is_ours(own, root) and _step_down(own):
        if _serves(own):
            return own
        _step_up(own)
    return ""


def _processes(place: str) -> set[int]:
    return {int(text) for text in _read(f"{place}/cgroup.procs").split()}


def _move(processes: Iterable[int], place: str) -> None:
    for process in processes:
        with contextlib.suppress(ProcessLookupError):  # it ended meanwhile
            _write(f"{place}/cgroup.procs", str(process))


def _has_memory(place: str) -> bool:
    return "memory" in _read(f"{place}/cgroup.controllers").split()


def _is_ours(place: str, root: str) -> bool:
    """Whether a group is for this process to divide.

    It is where systemd marked it so (its CGROUP_DELEGATION.md). Without a mark, a user's is what another user gave it,
    but not the groups in there, which may be its service manager's; and root's is the whole that a container sees,
    which unlike the machine's has a type.
    """
    if not os.access(f"{place}/cgroup.procs", os.W_OK, effective_ids=True):  # through which jobs leave our own group
        return False
    for name in _MARKS:
        with contextlib.suppress(OSError):
            return os.getxattr(place, name) == b"1"
    user = os.geteuid()
    if user == 0:
        return place == root and os.path.exists(f"{place}/cgroup.type")
    return _owner(place) == user != _owner(os.path.dirname(place))


def _owner(place: str) -> int:
    return os.stat(place).st_uid


def _step_down(place: str) -> bool:
    """Leave a group to the groups of jobs until this process ends, if only it and its children are in it."""
    inside = _processes(place)
    if not inside or not inside <= {os.getpid(), *usage.descendants(os.getpid())}:
        return False
    try:
        with contextlib.suppress(FileExistsError):  # of a process that was killed
            os.mkdir(f"{place}/{_BELOW}", 0o755)
        _move(inside, f"{place}/{_BELOW}")
    except OSError:
        _step_up(place)
        return False
    atexit.register(_end, place, os.getpid())
    return True


def _end(place: str, process: int) -> None:
    if os.getpid() == process:  # and not a fork of it
        _step_up(place)


def _step_up(place: str) -> None:
    """Put a group back as it was, so that another process can be started in it."""
    with contextlib.suppress(OSError):
        _write(f"{place}/cgroup.subtree_control", "-memory")
    with contextlib.suppress(OSError):
        _move(_processes(f"{place}/{_BELOW}"), place)
    for _ in range(_LOOKS):
        try:
            os.rmdir(f"{place}/{_BELOW}")
        except OSError as error:
            if error.errno != errno.EBUSY:
                return
            time.sleep(_PAUSE)  # a warden that was not needed is about to end
        else:
            return


def _serves(place: str) -> bool:
    """Whether a group with a limit can be made below another."""
    if not _has_memory(place):
        return False
    try:
        group = Group(place, f"gate-try-{os.getpid()}")
    except OSError:
        return False
    try:
        group.limit(_SLACK)
    except OSError:
        return False
    finally:
        group.remove()
    return True


class Group:
    """The group of one job.

    Args:
        place: the folder of the group above it.

    Raises:
        OSError: it can't be made.
    """

    def __init__(self, place: str, name: str) -> None:
        self.folder = f"{place}/{name}"
        if "memory" not in _read(f"{place}/cgroup.subtree_control").split():
            _write(f"{place}/cgroup.subtree_control", "+memory")
        os.mkdir(self.folder, 0o755)
        try:
            self._events = os.open(f"{self.folder}/memory.events", os.O_RDONLY | os.O_CLOEXEC)
            self._entry = os.open(f"{self.folder}/cgroup.procs", os.O_WRONLY | os.O_CLOEXEC)
        except OSError:
            os.rmdir(self.folder)
            raise

    def limit(self, size: int) -> None:
        """Let its processes hold so many bytes together, files in memory included.

        Raises:
            OSError: it has no limit.
        """
        _write(f"{self.folder}/memory.max", str(size + _SLACK))
        with contextlib.suppress(OSError):  # swap may not be counted at all
            _write(f"{self.folder}/memory.swap.max", "0")
        with contextlib.suppress(OSError):  # a job ends as a whole; Linux 4.19 or newer
            _write(f"{self.folder}/memory.oom.group", "1")

    def enter(self) -> None:
        """Put this process into the group, and with it all that it starts."""
        os.write(self._entry, b"0")

    def killed(self) -> bool:
        """Whether the kernel ended a process since the group held more than its limit."""
        fields = [line.split() for line in os.pread(self._events, 4096, 0).decode("ascii", "replace").splitlines()]
        return _count(fields, "oom_kill") > 0

    def remove(self) -> None:
        """Remove it; its processes are gone."""
        os.close(self._events)
        os.close(self._entry)
        with contextlib.suppress(OSError):
            os.rmdir(self.folder)


def _count(lines: Iterable[list[str]], name: str) -> int:
    return next((int(one[1]) for one in lines if len(one) == 2 and one[0] == name and one[1].isdecimal()), 0)


def _read(path: str) -> str:
    try:
        with open(path, encoding="utf-8", errors="replace") as stream:
            return stream.read(1_000_000)
    except OSError:
        return ""


def _write(path: str, text: str) -> None:
    handle = os.open(path, os.O_WRONLY | os.O_CLOEXEC)
    try:
        os.write(handle, text.encode())
    finally:
        os.close(handle)
