"""Calls of the Linux kernel that Python has no name for; each raises OSError where the kernel refuses."""

from __future__ import annotations

import ctypes
import errno
import os
import platform
import struct

PR_SET_PDEATHSIG, PR_SET_DUMPABLE, PR_SET_CHILD_SUBREAPER, PR_SET_NO_NEW_PRIVS = 1, 4, 36, 38
CLONE_NEWNS, CLONE_NEWIPC, CLONE_NEWUSER, CLONE_NEWPID, CLONE_NEWNET = (
    0x00020000,
    0x08000000,
    0x10000000,
    0x20000000,
    0x40000000,
)
MS_READONLY, MS_NOSUID, MS_NODEV, MS_NOEXEC, MS_REMOUNT = 1, 2, 4, 8, 32
MS_BIND, MS_REC, MS_PRIVATE = 4096, 16384, 1 << 18
_MNT_DETACH = 2
_AT_FDCWD, _AT_RECURSIVE = -100, 0x8000
_ATTR_RDONLY, _ATTR_NOSUID, _ATTR_NODEV = 1, 2, 4
_CAPABILITIES = struct.pack("=Ii", 0x20080522, 0)  # version 3, this process

_PIVOT_ROOT = {"x86_64": 155, "aarch64": 41}
_CAPSET = {"x86_64": 126, "aarch64": 91}
_MOUNT_SETATTR, _CLOSE_RANGE = 442, 436
_LAST_HANDLE = 0xFFFFFFFF

_libc = ctypes.CDLL(None, use_errno=True)
_libc.syscall.restype = ctypes.c_long
_libc.mount.argtypes = (ctypes.c_char_p, ctypes.c_char_p, ctypes.c_char_p, ctypes.c_ulong, ctypes.c_char_p)


def architecture() -> str:
    """`x86_64` or `aarch64`.

    Raises:
        OSError: another, whose numbers of system calls are not known here.
    """
    name = platform.machine()
    if name not in _PIVOT_ROOT or struct.calcsize("P") != 8:
        raise OSError(errno.ENOSYS, f"the numbers of system calls on {name} are not known")
    return name


def syscall(number: int, *arguments: int | bytes | ctypes.Array[ctypes.c_char] | None) -> int:
    """A system call by its number; integers are passed as long, bytes as their address."""
    given = [ctypes.c_long(value) if isinstance(value, int) else value for value in arguments]
    return _checked(_libc.syscall(ctypes.c_long(number), *given))


def prctl(option: int, value: int) -> None:
    """prctl(2) with one argument."""
    _checked(_libc.prctl(option, ctypes.c_ulong(value), 0, 0, 0))


def unshare(flags: int) -> None:
    """unshare(2)."""
    _checked(_libc.unshare(flags))


def setns(handle: int, kind: int) -> None:
    """setns(2)."""
    _checked(_libc.setns(handle, kind))


def mount(source: str, target: str, kind: str | None = None, flags: int = 0, data: str | None = None) -> None:
    """mount(2)."""
    coded = (None if text is None else os.fsencode(text) for text in (source, target, kind, data))
    source_, target_, kind_, data_ = coded
    _checked(_libc.mount(source_, target_, kind_, flags, data_))


def bind_read_only(source: str, target: str) -> None:
    """Show a file or tree, with all that is mounted in it, at another place; nobody can write through it."""
    mount(source, target, flags=MS_BIND | MS_REC)
    attributes = struct.pack("=QQQQ", _ATTR_RDONLY | _ATTR_NOSUID, 0, 0, 0)
    syscall(_MOUNT_SETATTR, _AT_FDCWD, os.fsencode(target), _AT_RECURSIVE, attributes, len(attributes))


def enter_root(folder: str) -> None:
    """Make a mounted folder the root of this process; the old one is out of reach (pivot_root(2), NOTES)."""
    os.chdir(folder)
    syscall(_PIVOT_ROOT[platform.machine()], b".", b".")
    _checked(_libc.umount2(b".", _MNT_DETACH))
    os.chdir("/")


def map_user(uid: int, gid: int) -> None:
    """In a new user namespace be who one was before (user_namespaces(7))."""
    for name, text in (("setgroups", "deny"), ("uid_map", f"{uid} {uid} 1"), ("gid_map", f"{gid} {gid} 1")):
        handle = os.open(f"/proc/self/{name}", os.O_WRONLY | os.O_CLOEXEC)
        os.write(handle, text.encode())
        os.close(handle)


def close_from(first: int) -> None:
    """Close every file descriptor from a number on, in one call where the kernel has it."""
    try:
        syscall(_CLOSE_RANGE, first, _LAST_HANDLE, 0)
    except OSError:
        os.closerange(first, os.sysconf("SC_OPEN_MAX"))


def set_file_ids(uid: int, gid: int) -> None:
    """Look at files, and at other processes, with another user's rights; nothing else changes (setfsuid(2))."""
    _libc.setfsgid(gid)
    _libc.setfsuid(uid)


def drop_capabilities() -> None:
    """Give up every capability, which a new user namespace would else leave to its maker."""
    syscall(_CAPSET[platform.machine()], _CAPABILITIES, bytes(24))


def _checked(result: int) -> int:
    if result < 0:
        number = ctypes.get_errno()
        raise OSError(number, os.strerror(number))
    return int(result)
