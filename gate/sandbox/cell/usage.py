"""What a tree of processes uses, read from /proc by whoever stands above it."""

# pathlib would make every fork larger
# ruff: noqa: PTH116, PTH208

from __future__ import annotations

import os
import stat

_FIELDS = (b"VmRSS", b"VmPTE", b"VmSwap")
_SOCKET = 208 * 1024  # what the kernel lets one hold by default
_TICKS = os.sysconf("SC_CLK_TCK")


def descendants(root: int) -> list[int]:
    """The processes below one, zombies included; what daemonised hangs below the nearest subreaper, so it is there."""
    found: list[int] = []
    waiting = [root]
    while waiting:
        process = waiting.pop()
        children = _children(process)
        found += children
        waiting += children
    return found


def _children(process: int) -> list[int]:
    try:
        threads = os.listdir(f"/proc/{process}/task")
    except OSError:
        return []
    found: list[int] = []
    for thread in threads:
        found += [int(text) for text in _read(f"/proc/{process}/task/{thread}/children").split()]
    return found


def threads(processes: list[int]) -> int:
    """How many threads they have together, one at least each."""
    return sum(int(fields[17]) for process in processes if len(fields := _stat(process)) > 17)


def of_user(uid: int) -> int:
    """How many threads a user has on the whole machine."""
    found = 0
    for name in os.listdir("/proc"):
        if name.isdecimal():
            try:
                mine = os.stat(f"/proc/{name}").st_uid == uid
                found += len(os.listdir(f"/proc/{name}/task")) if mine else 0
            except OSError:
                continue  # gone since it was listed
    return found


def processor_seconds(processes: list[int]) -> float:
    """Processor time of processes and of those children of theirs that they waited for."""
    ticks = 0
    for process in processes:
        fields = _stat(process)
        ticks += sum(int(text) for text in fields[11:15])
    return ticks / _TICKS


def memory(processes: list[int], limit: int, sockets: int) -> int:
    """Bytes that processes hold together: pages, page tables, swap, and what their sockets may hold for them.

    What processes share counts once, but only where it decides about the limit, since that takes long to find out.
    """
    buffers = sockets * _SOCKET
    total = buffers + sum(sum(_held(process)) for process in processes)
    if total <= limit:
        return total
    return buffers + sum(_proportional(process) + sum(_held(process)[1:]) for process in processes)


def held_open(processes: list[int], device: int) -> tuple[int, int]:
    """How many sockets processes have, and the bytes of files on a device that are open but have no name any more."""
    sockets: set[int] = set()
    unlinked: dict[int, int] = {}
    for process in processes:
        try:
            handles = os.listdir(f"/proc/{process}/fd")
        except OSError:
            continue
        for handle in handles:
            try:
                found = os.stat(f"/proc/{process}/fd/{handle}")
            except OSError:
                continue
            if stat.S_ISSOCK(found.st_mode):
                sockets.add(found.st_ino)
            elif found.st_dev == device and found.st_nlink == 0 and stat.S_ISREG(found.st_mode):
                unlinked[found.st_ino] = found.st_blocks * 512
    return len(sockets), sum(unlinked.values())


def _held(process: int) -> tuple[int, int, int]:
    """Bytes of resident pages, of page tables and of swap (proc_pid_status(5))."""
    found = {}
    for line in _read(f"/proc/{process}/status").splitlines():
        name, _, value = line.partition(b":")
        if name in _FIELDS:
            found[name] = int(value.split()[0]) * 1024
    return found.get(b"VmRSS", 0), found.get(b"VmPTE", 0), found.get(b"VmSwap", 0)


def _proportional(process: int) -> int:
    """Bytes of resident pages, of shared ones only this process's part; all of them where that can't be read."""
    for line in _read(f"/proc/{process}/smaps_rollup").splitlines():
        if line.startswith(b"Pss:"):
            return int(line.split()[1]) * 1024
    return _held(process)[0]


def _stat(process: int) -> list[bytes]:
    """The fields of /proc/PID/stat from the state on (proc_pid_stat(5), field 3)."""
    return _read(f"/proc/{process}/stat").rpartition(b") ")[2].split()


def _read(path: str) -> bytes:
    try:
        handle = os.open(path, os.O_RDONLY | os.O_CLOEXEC)
    except OSError:
        return b""
    try:
        return os.read(handle, 65536)
    except OSError:
        return b""
    finally:
        os.close(handle)
