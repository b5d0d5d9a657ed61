"""What a tree of processes uses, read from /proc by whoever stands above it."""

# pathlib would make every fork larger
# ruff: noqa: PTH116, PTH208

from __future__ import annotations

import os
import stat

_PAGE = os.sysconf("SC_PAGE_SIZE")
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


def memory(processes: list[int], limit: int) -> int:
    """Bytes that processes hold together. What they share counts once, but only where it decides about the limit."""
    resident = 0
    for process in processes:
        fields = _read(f"/proc/{process}/statm").split()
        resident += int(fields[1]) * _PAGE if len(fields) > 1 else 0
    if resident <= limit:
        return resident
    return sum(_proportional(process) for process in processes)


def _proportional(process: int) -> int:
    for line in _read(f"/proc/{process}/smaps_rollup").splitlines():
        if line.startswith(b"Pss:"):
            return int(line.split()[1]) * 1024
    fields = _read(f"/proc/{process}/statm").split()
    return int(fields[1]) * _PAGE if len(fields) > 1 else 0


def unlinked_bytes(processes: list[int], device: int) -> int:
    """Bytes of files on a device that have no name any more but are held open."""
    total = 0
    seen: set[int] = set()
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
            new = found.st_dev == device and found.st_nlink == 0 and found.st_ino not in seen
            if new and stat.S_ISREG(found.st_mode):
                seen.add(found.st_ino)
                total += found.st_blocks * 512
    return total


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
