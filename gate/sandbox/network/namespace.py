"""A network of its own, in which there is nothing but an own loopback interface (network_namespaces(7))."""

from __future__ import annotations

import contextlib
import ctypes
import fcntl
import os
import socket
import struct
from pathlib import Path

_CLONE_NEWUSER = 0x10000000
_CLONE_NEWNET = 0x40000000
_SIOCGIFFLAGS = 0x8913
_SIOCSIFFLAGS = 0x8914
_IFF_UP = 1
_IFREQ = struct.Struct("16sh22x")  # name and flags of `struct ifreq`


def enter_network() -> None:
    """Move this process into a new network; needs CAP_SYS_ADMIN, and changes no rights.

    Raises:
        OSError: the kernel refuses.
    """
    _unshare(_CLONE_NEWNET)
    _raise_loopback()


def enter_user_and_network() -> None:
    """Move this process into a new user namespace with only its own ids, and a new network; needs no rights.

    Files of other owners look like nobody's in there, and programs with the set-uid bit give no rights.

    Raises:
        OSError: the kernel refuses.
    """
    uid, gid = os.geteuid(), os.getegid()
    _unshare(_CLONE_NEWUSER | _CLONE_NEWNET)
    with contextlib.suppress(FileNotFoundError):  # kernels before 3.19
        Path("/proc/self/setgroups").write_text("deny", encoding="ascii")
    Path("/proc/self/uid_map").write_text(f"{uid} {uid} 1", encoding="ascii")
    Path("/proc/self/gid_map").write_text(f"{gid} {gid} 1", encoding="ascii")
    _raise_loopback()


def _unshare(flags: int) -> None:
    libc = ctypes.CDLL(None, use_errno=True)
    if libc.unshare(flags) != 0:
        number = ctypes.get_errno()
        raise OSError(number, os.strerror(number))


def _raise_loopback() -> None:
    """A new loopback interface is down; once up, the kernel gives it 127.0.0.1 and ::1 itself."""
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as sock:
        answer = fcntl.ioctl(sock, _SIOCGIFFLAGS, _IFREQ.pack(b"lo", 0))
        flags = _IFREQ.unpack(answer)[1]
        fcntl.ioctl(sock, _SIOCSIFFLAGS, _IFREQ.pack(b"lo", flags | _IFF_UP))
