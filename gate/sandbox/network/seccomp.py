"""Filters of system calls that keep a process tree from the network (seccomp(2)), as classic BPF programs.

A filter sees the numbers that a call is given, not what its pointers point at. So it decides by itself about the kind
of a socket, and about `connect` it asks a supervisor, see `gate.sandbox.network.supervisor`. What sends to an address
without `connect` is refused: sockets other than TCP, and TCP's fast open. Sockets of one machine (Unix, netlink, the
kernel's cryptography) are left alone. io_uring would go past the filter and is said to be unknown.
"""

from __future__ import annotations

import ctypes
import errno
import os
import platform
import socket
import struct
from dataclasses import dataclass

from gate.sandbox import bpf

_LAST_NATIVE = 0x3FFFFFFF
"""Numbers beyond are those of x32."""
_MSG_FASTOPEN = 0x20000000
_AF_ALG = 38
_PR_SET_NO_NEW_PRIVS = 38
_SET_MODE_FILTER = 1
_NEW_LISTENER = 1 << 3


@dataclass(frozen=True, slots=True)
class Architecture:
    """What the kernel calls an architecture, and its numbers of system calls."""

    audit: int
    seccomp: int
    socket: int
    connect: int
    sendto: int
    sendmsg: int
    sendmmsg: int
    io_uring_setup: int = 425


ARCHITECTURES = {
    "x86_64": Architecture(0xC000003E, 317, socket=41, connect=42, sendto=44, sendmsg=46, sendmmsg=307),
    "aarch64": Architecture(0xC00000B7, 277, socket=198, connect=203, sendto=206, sendmsg=211, sendmmsg=269),
}


def supervised_program(machine: Architecture) -> bpf.Program:
    """TCP sockets may be made; each `connect` is asked about."""
    tcp = bpf.when(bpf.low(2), (0, socket.IPPROTO_TCP), bpf.give(bpf.ALLOW)) + bpf.error(errno.EPROTONOSUPPORT)
    internet = bpf.when(bpf.low(1), (socket.SOCK_STREAM,), tcp, mask=0xF) + bpf.error(errno.EACCES)
    return (
        bpf.native_only(machine.audit, _LAST_NATIVE, errno.ENOSYS)
        + bpf.when(bpf.NUMBER, (machine.connect,), bpf.give(bpf.ASK))
        + bpf.when(bpf.NUMBER, (machine.socket,), _by_family(internet))
        + bpf.when(bpf.NUMBER, (machine.sendto, machine.sendmmsg), _without_fast_open(3))
        + bpf.when(bpf.NUMBER, (machine.sendmsg,), _without_fast_open(2))
        + bpf.when(bpf.NUMBER, (machine.io_uring_setup,), bpf.error(errno.ENOSYS))
        + bpf.give(bpf.ALLOW)
    )


def socketless_program(machine: Architecture) -> bpf.Program:
    """No socket of the Internet may be made, loopback included."""
    return (
        bpf.native_only(machine.audit, _LAST_NATIVE, errno.ENOSYS)
        + bpf.when(bpf.NUMBER, (machine.socket,), _by_family(bpf.error(errno.EACCES)))
        + bpf.when(bpf.NUMBER, (machine.io_uring_setup,), bpf.error(errno.ENOSYS))
        + bpf.give(bpf.ALLOW)
    )


def load_supervised() -> int:
    """Filter this process and its children for ever; gives the file descriptor on which the kernel asks.

    Raises:
        OSError: the kernel refuses, or knows no such filter; the architecture is another.
    """
    machine = _architecture()
    return _load(supervised_program(machine), machine, _NEW_LISTENER)


def load_socketless() -> None:
    """Filter this process and its children for ever.

    Raises:
        OSError: as `load_supervised`.
    """
    machine = _architecture()
    _load(socketless_program(machine), machine, 0)


def _architecture() -> Architecture:
    name = platform.machine()
    if name not in ARCHITECTURES or struct.calcsize("P") != 8:
        raise OSError(errno.ENOSYS, f"the numbers of system calls on {name} are not known")
    return ARCHITECTURES[name]


def _load(program: bpf.Program, machine: Architecture, flags: int) -> int:
    code = bpf.packed(program)
    buffer = ctypes.create_string_buffer(code, len(code))
    header = struct.pack("@HP", len(program), ctypes.addressof(buffer))
    libc = ctypes.CDLL(None, use_errno=True)
    if libc.prctl(_PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) != 0:
        raise OSError(ctypes.get_errno(), os.strerror(ctypes.get_errno()))
    arguments = (ctypes.c_long(_SET_MODE_FILTER), ctypes.c_long(flags), ctypes.c_char_p(header))
    libc.syscall.restype = ctypes.c_long
    handle = int(libc.syscall(ctypes.c_long(machine.seccomp), *arguments))
    if handle < 0:
        raise OSError(ctypes.get_errno(), os.strerror(ctypes.get_errno()))
    return handle


def _by_family(internet: bpf.Program) -> bpf.Program:
    local = (socket.AF_UNIX, socket.AF_NETLINK, _AF_ALG)
    return (
        bpf.when(bpf.low(0), local, bpf.give(bpf.ALLOW))
        + bpf.when(bpf.low(0), (socket.AF_INET, socket.AF_INET6), internet)
        + bpf.error(errno.EAFNOSUPPORT)
    )


def _without_fast_open(index: int) -> bpf.Program:
    fast_open = bpf.when(bpf.low(index), (_MSG_FASTOPEN,), bpf.error(errno.EOPNOTSUPP), mask=_MSG_FASTOPEN)
    return fast_open + bpf.give(bpf.ALLOW)
