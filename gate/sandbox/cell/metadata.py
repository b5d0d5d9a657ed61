"""Changes of a file's mode and times by path, which a warden makes for its job.

It does so where other files belong to the same user; Landlock knows nothing about such changes. The path is read once
and opened here; what was opened is what is changed, and only if it lies in the job's own folders.
"""

# pathlib would make every fork larger
# ruff: noqa: PTH101, PTH115

from __future__ import annotations

import errno
import os
import struct
import time

CALLS = frozenset({"chmod", "fchmodat", "fchmodat2", "utimensat"})
_AT_FDCWD, _AT_SYMLINK_NOFOLLOW = -100, 0x100
_NOW, _OMIT = 0x3FFFFFFF, 0x3FFFFFFE
_TIMES = struct.Struct("=qqqq")  # two of struct timespec: last access, last change
_LONGEST_PATH = 4096
_PAGE = 4096


def change(name: str, process: int, arguments: list[int], own: str) -> None:
    """Do what one of `CALLS` asks.

    Args:
        process: who asks.
        own: the tree in which it may.

    Raises:
        OSError: as the call would; EPERM outside of the tree.
    """
    at, place, *rest = [_AT_FDCWD, *arguments] if name == "chmod" else arguments
    if name == "utimensat":
        follow = not rest[1] & _AT_SYMLINK_NOFOLLOW
    else:
        follow = name != "fchmodat2" or not rest[1] & _AT_SYMLINK_NOFOLLOW
    handle = _open(process, at, _text(process, place), follow)
    try:
        itself = f"/proc/self/fd/{handle}"
        if not os.readlink(itself).startswith(f"{own}/"):
            raise OSError(errno.EPERM, os.strerror(errno.EPERM))
        if name == "utimensat":
            os.utime(itself, ns=_times(process, rest[0], os.fstat(handle)))
        else:
            os.chmod(itself, rest[0] & 0o777)
    finally:
        os.close(handle)


def read_memory(process: int, place: int, length: int) -> bytes:
    """Bytes of another process's memory.

    Raises:
        OSError: none are there, or they may not be read.
    """
    memory = os.open(f"/proc/{process}/mem", os.O_RDONLY | os.O_CLOEXEC)
    try:
        return os.pread(memory, length, place)
    finally:
        os.close(memory)


def _text(process: int, place: int) -> bytes:
    """A path, read page by page since the next one may not be there."""
    text = b""
    while b"\0" not in text:
        if len(text) > _LONGEST_PATH:
            raise OSError(errno.ENAMETOOLONG, os.strerror(errno.ENAMETOOLONG))
        start = place + len(text)
        text += read_memory(process, start, _PAGE - start % _PAGE)
    return text.partition(b"\0")[0]


def _open(process: int, at: int, path: bytes, follow: bool) -> int:
    number = struct.unpack("=i", struct.pack("=I", at & 0xFFFFFFFF))[0]
    base = "cwd" if number == _AT_FDCWD else f"fd/{number}"
    flags = os.O_PATH | os.O_CLOEXEC
    beneath = os.open(f"/proc/{process}/{base}", flags)
    try:
        return os.open(path, flags if follow else flags | os.O_NOFOLLOW, dir_fd=beneath)
    finally:
        os.close(beneath)


def _times(process: int, place: int, found: os.stat_result) -> tuple[int, int]:
    now = time.time_ns()
    if place == 0:
        return now, now
    seconds, fraction, seconds_changed, fraction_changed = _TIMES.unpack(read_memory(process, place, _TIMES.size))
    given = ((seconds, fraction, found.st_atime_ns), (seconds_changed, fraction_changed, found.st_mtime_ns))
    accessed, changed = (
        now if part == _NOW else before if part == _OMIT else whole * 10**9 + part for whole, part, before in given
    )
    return accessed, changed
