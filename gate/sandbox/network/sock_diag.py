"""Who listens for TCP, asked of Linux by its socket diagnostics (sock_diag(7)) instead of `/proc/net/tcp`.

The file walks the kernel's whole table of connections at each look, which takes milliseconds on a large machine; a
question for listening sockets alone takes microseconds.
"""

from __future__ import annotations

import errno
import os
import socket
import struct
from collections.abc import Iterator

_HEADER = struct.Struct("=IHHII")  # nlmsghdr: length, type, flags, sequence, port
_QUESTION = struct.Struct("=BBBBI48x")  # inet_diag_req_v2: family, protocol, extensions, padding, states, socket
_SOCK_DIAG_BY_FAMILY, _REQUEST_DUMP = 20, 0x301
_ERROR, _DONE = 2, 3
_LISTEN = 1 << 10
_NETLINK_SOCK_DIAG = 4
_PORT = struct.Struct(">4xH")
_INODE = struct.Struct("=68xI")  # inet_diag_msg, whose last field it is
_BYTES = 1 << 16


def listening() -> set[tuple[int, int]]:
    """Port and inode of the TCP sockets of both address families that wait in this network namespace.

    Raises:
        OSError: this is no Linux, its kernel lacks the diagnostics, or a filter of system calls refuses the question.
    """
    return {entry for family in (socket.AF_INET, socket.AF_INET6) for entry in _of(family)}


def _of(family: int) -> Iterator[tuple[int, int]]:
    kind = getattr(socket, "AF_NETLINK", None)
    if kind is None:
        raise OSError(errno.EAFNOSUPPORT, os.strerror(errno.EAFNOSUPPORT))
    with socket.socket(kind, socket.SOCK_DGRAM, _NETLINK_SOCK_DIAG) as asked:
        body = _QUESTION.pack(family, socket.IPPROTO_TCP, 0, 0, _LISTEN)
        asked.send(_HEADER.pack(_HEADER.size + len(body), _SOCK_DIAG_BY_FAMILY, _REQUEST_DUMP, 1, 0) + body)
        while True:
            for number, message in _parts(asked.recv(_BYTES)):
                if number == _DONE:
                    return
                if number == _ERROR:
                    code = -struct.unpack_from("=i", message)[0]
                    raise OSError(code, os.strerror(code))
                yield _PORT.unpack_from(message)[0], _INODE.unpack_from(message)[0]


def _parts(data: bytes) -> Iterator[tuple[int, bytes]]:
    place = 0
    while place + _HEADER.size <= len(data):
        length, number, *_ = _HEADER.unpack_from(data, place)
        yield number, data[place + _HEADER.size : place + length]
        place += max(length + 3 & ~3, _HEADER.size)
