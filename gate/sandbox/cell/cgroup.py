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

import contextlib
import os
from collections.abc import Iterable

_SLACK = 32 * 1024 * 1024  # for what the kernel holds for the processes, and counts as theirs
_BELOW = "gate"
_MARKS = ("trusted.delegate", "user.delegate")


def delegated(mounts: str, own: str) -> str:
    """The folder of this process's own group, where it has the memory controller; empty where it hasn't.

    Args:
        mounts: text of /proc/self/mounts.
        own: text of /proc/self/cgroup.
    """
    path = next((line[3:] for line in own.splitlines() if line.startswith("0::/")), "")
    root = _root(mounts)
    if not path or not root or ".." in path:
        return ""
    place = os.path.normpath(f"{root}/{path}")
    return place if "memory" in _read(f"{place}/cgroup.controllers").split() else ""


def here() -> str:
    """The folder below which this process can make groups, which is tried; empty where it can't.

    A process that is alone in a delegated group is in one below it from then on.
    """
    mounts = _read("/proc/self/mounts")
    return find(_root(mounts), delegated(mounts, _read("/proc/self/cgroup")))


def find(root: str, own: str) -> str:
    """As `here`, for a process whose group is `own` in the hierarchy that is mounted at `root`."""
    if not own:
        return ""
    if _serves(own):
        return own
    above = os.path.dirname(own)
    if own != root and _is_ours(above, root):
        return above if _serves(above) else ""
    if _is_ours(own, root) and _step_down(own):
        if _serves(own):
            return own
        _step_up(own)
    return ""


def _root(mounts: str) -> str:
    return next((fields[1] for line in mounts.splitlines() if (fields := line.split())[2:3] == ["cgroup2"]), "")


def _is_ours(place: str, root: str) -> bool:
    """Whether a group is for this process to divide.

    A user has got it with its files. Root could divide any; its own are those that systemd marked so
    (CGROUP_DELEGATION.md), and the whole that a container sees, which unlike the machine's has a type.
    """
    if not os.access(f"{place}/cgroup.procs", os.W_OK, effective_ids=True):  # through which jobs leave our own group
        return False
    user = os.geteuid()
    if user != 0:
        return os.stat(place).st_uid == user
    if place == root and os.path.exists(f"{place}/cgroup.type"):
        return True
    for name in _MARKS:
        with contextlib.suppress(OSError):
            return os.getxattr(place, name) == b"1"
    return False


def _step_down(place: str) -> bool:
    """Leave a group to the groups of jobs, if nothing else is in it."""
    if _read(f"{place}/cgroup.procs").split() != [str(os.getpid())]:
        return False
    try:
        os.mkdir(f"{place}/{_BELOW}", 0o755)
        _write(f"{place}/{_BELOW}/cgroup.procs", "0")
    except OSError:
        _step_up(place)
        return False
    return True


def _step_up(place: str) -> None:
    with contextlib.suppress(OSError):
        _write(f"{place}/cgroup.procs", "0")
    with contextlib.suppress(OSError):
        os.rmdir(f"{place}/{_BELOW}")


def _serves(place: str) -> bool:
    """Whether a group with a limit can be made below another."""
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
