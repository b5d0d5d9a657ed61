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

_Program = list[tuple[int, int, int, int]]

_LOAD, _AND, _RETURN, _JUMP = 0x20, 0x54, 0x06, 0x05  # BPF_LD|W|ABS, ALU|AND|K, RET|K, JMP|JA
_EQUAL, _AT_LEAST = 0x15, 0x35  # JMP|JEQ|K, JMP|JGE|K
_ALLOW, _ERRNO, _ASK = 0x7FFF0000, 0x00050000, 0x7FC00000
_NUMBER, _ARCHITECTURE = 0, 4  # offsets in `struct seccomp_data`
_X32 = 0x40000000
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


def supervised_program(machine: Architecture) -> _Program:
    """TCP sockets may be made; each `connect` is asked about."""
    tcp = [*_when(_argument(2), (0, socket.IPPROTO_TCP), [_allow()]), _error(errno.EPROTONOSUPPORT)]
    internet = [*_when(_argument(1), (socket.SOCK_STREAM,), tcp, mask=0xF), _error(errno.EACCES)]
    return (
        _native_only(machine)
        + _when(_NUMBER, (machine.connect,), [_give(_ASK)])
        + _when(_NUMBER, (machine.socket,), _by_family(internet))
        + _when(_NUMBER, (machine.sendto, machine.sendmmsg), _without_fast_open(3))
        + _when(_NUMBER, (machine.sendmsg,), _without_fast_open(2))
        + _when(_NUMBER, (machine.io_uring_setup,), [_error(errno.ENOSYS)])
        + [_allow()]
    )


def socketless_program(machine: Architecture) -> _Program:
    """No socket of the Internet may be made, loopback included."""
    return (
        _native_only(machine)
        + _when(_NUMBER, (machine.socket,), _by_family([_error(errno.EACCES)]))
        + _when(_NUMBER, (machine.io_uring_setup,), [_error(errno.ENOSYS)])
        + [_allow()]
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


def _load(program: _Program, machine: Architecture, flags: int) -> int:
    code = b"".join(struct.pack("=HBBI", *instruction) for instruction in program)
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


def _native_only(machine: Architecture) -> _Program:
    """Calls by the numbers of another architecture (32 bits, x32) are unknown."""
    return [
        (_LOAD, 0, 0, _ARCHITECTURE),
        (_EQUAL, 1, 0, machine.audit),
        _error(errno.ENOSYS),
        (_LOAD, 0, 0, _NUMBER),
        (_AT_LEAST, 0, 1, _X32),
        _error(errno.ENOSYS),
    ]


def _by_family(internet: _Program) -> _Program:
    local = (socket.AF_UNIX, socket.AF_NETLINK, _AF_ALG)
    return (
        _when(_argument(0), local, [_allow()])
        + _when(_argument(0), (socket.AF_INET, socket.AF_INET6), internet)
        + [_error(errno.EAFNOSUPPORT)]
    )


def _without_fast_open(index: int) -> _Program:
    return [*_when(_argument(index), (_MSG_FASTOPEN,), [_error(errno.EOPNOTSUPP)], mask=_MSG_FASTOPEN), _allow()]


def _when(offset: int, values: tuple[int, ...], then: _Program, *, mask: int = 0) -> _Program:
    """`then`, which ends with a return, where a number is one of the values; else what follows."""
    start = [(_LOAD, 0, 0, offset)] + ([(_AND, 0, 0, mask)] if mask else [])
    tests = [(_EQUAL, len(values) - place, 0, int(value)) for place, value in enumerate(values)]
    return [*start, *tests, (_JUMP, 0, 0, len(then)), *then]


def _argument(index: int) -> int:
    """Offset of an argument's low half; both architectures store it first."""
    return 16 + 8 * index


def _give(value: int) -> tuple[int, int, int, int]:
    return (_RETURN, 0, 0, value)


def _allow() -> tuple[int, int, int, int]:
    return _give(_ALLOW)


def _error(number: int) -> tuple[int, int, int, int]:
    return _give(_ERRNO | number)
