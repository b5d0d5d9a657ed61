"""Landlock: what a process tree may do with files, ports, signals and sockets with names (landlock(7)).

What it does not know, the other means must hold: metadata (chmod, times, extended attributes), every other kind of
socket, addresses; and before version 10 UDP.
"""

from __future__ import annotations

import os
import stat
import struct
from collections.abc import Iterable

from gate.sandbox.cell import kernel

_CREATE, _ADD_RULE, _RESTRICT = 444, 445, 446  # the same numbers on both architectures
_VERSION_FLAG = 1
_PATH_BENEATH = 1

_EXECUTE, _WRITE_FILE, _READ_FILE, _READ_DIR = 1 << 0, 1 << 1, 1 << 2, 1 << 3
_MAKE_CHAR, _MAKE_BLOCK = 1 << 6, 1 << 11
_TRUNCATE, _IOCTL_DEV = 1 << 14, 1 << 15
_OF_FILES = _EXECUTE | _WRITE_FILE | _READ_FILE | _TRUNCATE | _IOCTL_DEV
_FS_BITS_SINCE = {1: 13, 2: 14, 3: 15, 5: 16, 9: 17}
"""How many rights over files there are from a version on (linux/landlock.h); the last is to look up sockets by path."""
_TCP_BIND_AND_CONNECT, _UDP_BIND_AND_SEND = 3, 12
_ABSTRACT_SOCKETS_AND_SIGNALS = 3

_KNOWS_TCP, _KNOWS_UDP = 4, 10
HOLDS_TRUNCATION = 3
"""The first version that keeps files from being truncated."""
SCOPES_SIGNALS = 6
"""The first version that keeps signals and abstract sockets within."""


def version() -> int:
    """The kernel's version of the interface; 0 where there is none."""
    try:
        return kernel.syscall(_CREATE, None, 0, _VERSION_FLAG)
    except OSError:
        return 0


def handled(abi: int) -> list[int]:
    """What is denied unless a rule allows it: rights over files, over ports, and scopes, as far as a version knows."""
    found = [(1 << max(bits for since, bits in _FS_BITS_SINCE.items() if since <= abi)) - 1]
    if abi >= _KNOWS_TCP:
        found.append(_TCP_BIND_AND_CONNECT | (_UDP_BIND_AND_SEND if abi >= _KNOWS_UDP else 0))
    if abi >= SCOPES_SIGNALS:
        found.append(_ABSTRACT_SOCKETS_AND_SIGNALS)
    return found


def restrict(abi: int, *, readable: Iterable[str], devices: Iterable[str], own: str) -> None:
    """Restrict this process and its children for ever; needs no_new_privs. No port may be bound or connected to.

    Args:
        abi: the kernel's `version`.
        readable: files and trees that may be read and executed; those that are absent are skipped.
        devices: files that may be read and written, but not made.
        own: the tree in which all may be done but making devices.

    Raises:
        OSError: the kernel refuses.
    """
    attributes = handled(abi)
    files = attributes[0]
    packed = struct.pack(f"={len(attributes)}Q", *attributes)
    ruleset = kernel.syscall(_CREATE, packed, len(packed), 0)
    try:
        for path in readable:
            _allow(ruleset, path, files & (_EXECUTE | _READ_FILE | _READ_DIR))
        for path in devices:
            _allow(ruleset, path, files & (_WRITE_FILE | _READ_FILE | _TRUNCATE))
        _allow(ruleset, own, files & ~(_MAKE_CHAR | _MAKE_BLOCK))
        kernel.syscall(_RESTRICT, ruleset, 0)
    finally:
        os.close(ruleset)


def _allow(ruleset: int, path: str, access: int) -> None:
    try:
        handle = os.open(path, os.O_PATH | os.O_CLOEXEC)
    except OSError:
        return  # absent or out of this user's reach, so there is nothing to allow
    try:
        if not stat.S_ISDIR(os.fstat(handle).st_mode):
            access &= _OF_FILES
        kernel.syscall(_ADD_RULE, ruleset, _PATH_BENEATH, struct.pack("=Qi", access, handle), 0)
    finally:
        os.close(handle)
