"""Answers the kernel's questions about `connect` for a filtered process tree (seccomp_unotify(2)).

The address is read from the memory of the process that asks, and then the kernel reads it again. A program that
rewrites it in between gets through; the guard is against calls that nobody thought of, not against an attack.
"""

from __future__ import annotations

import contextlib
import errno
import fcntl
import ipaddress
import os
import select
import socket
import struct
from collections.abc import Callable

from gate.sandbox.network.loopback import Listeners, Loopback, is_loopback

_RECEIVE, _SEND, _STILL_VALID = 0xC0502100, 0xC0182101, 0x40082102  # SECCOMP_IOCTL_NOTIF_*
_QUESTION = struct.Struct("=QIIiIQ6Q")  # struct seccomp_notif: id, pid, flags, number, architecture, place, arguments
_ANSWER = struct.Struct("=QqiI")  # struct seccomp_notif_resp: id, value, error, flags
_CONTINUE = 1
_LONGEST_ADDRESS = 128  # struct sockaddr_storage
_LOCAL = (socket.AF_UNSPEC, socket.AF_UNIX, socket.AF_NETLINK, 38)  # AF_UNSPEC disconnects; 38 is AF_ALG


def supervise(handle: int, ended: int, reap: Callable[[], bool], *, loopback: Loopback, foreign: Listeners) -> None:
    """Answer until the suite has ended.

    Args:
        handle: on which the kernel asks.
        ended: readable whenever some child may have ended.
        reap: takes ended children away; True once the suite's own process is among them.
        loopback, foreign: as `decide`.
    """
    waiting = select.poll()
    waiting.register(handle, select.POLLIN)
    waiting.register(ended, select.POLLIN)
    while True:
        for ready, event in waiting.poll():
            if ready == ended:
                with contextlib.suppress(BlockingIOError):
                    os.read(ended, 4096)
                if reap():
                    return
            elif event & select.POLLIN:
                _answer_one(handle, loopback, foreign)
            else:
                waiting.unregister(handle)  # no process is left that could ask


def decide(address: bytes, *, loopback: Loopback, foreign: Listeners) -> int:
    """The error number for a `connect` to a `struct sockaddr`; 0 lets it happen.

    Args:
        loopback: which loopback addresses may be reached.
        foreign: servers that are not the suite's, of which `own` excludes.
    """
    if len(address) < 2:
        return errno.EINVAL
    family = int.from_bytes(address[:2], "little")
    if family in _LOCAL:
        return 0
    if family == socket.AF_INET and len(address) >= 8:
        host: ipaddress.IPv4Address | ipaddress.IPv6Address = ipaddress.IPv4Address(address[4:8])
    elif family == socket.AF_INET6 and len(address) >= 24:
        host = ipaddress.IPv6Address(address[8:24])
    else:
        return errno.EINVAL if family in (socket.AF_INET, socket.AF_INET6) else errno.EAFNOSUPPORT
    if not is_loopback(str(host)):
        return errno.ENETUNREACH
    port = int.from_bytes(address[2:4], "big")
    return errno.ECONNREFUSED if loopback == "own" and foreign.hold("tcp", port) else 0


def _answer_one(handle: int, loopback: Loopback, foreign: Listeners) -> None:
    question = bytearray(_QUESTION.size)
    try:
        fcntl.ioctl(handle, _RECEIVE, question)
    except OSError:  # the process was killed or interrupted meanwhile
        return
    identity, process, _, _, _, _, _, place, length, *_ = _QUESTION.unpack(question)
    try:
        address = _read(process, place, min(length & 0xFFFFFFFF, _LONGEST_ADDRESS))
        # the number of the process may be another's by now
        fcntl.ioctl(handle, _STILL_VALID, struct.pack("=Q", identity))
        error = decide(address, loopback=loopback, foreign=foreign)
    except OSError:  # its memory is closed to us: another user's, or undumpable
        error = errno.EACCES
    with contextlib.suppress(OSError):
        fcntl.ioctl(handle, _SEND, bytearray(_ANSWER.pack(identity, 0, -error, 0 if error else _CONTINUE)))


def _read(process: int, place: int, length: int) -> bytes:
    memory = os.open(f"/proc/{process}/mem", os.O_RDONLY)
    try:
        return os.pread(memory, length, place)
    finally:
        os.close(memory)
