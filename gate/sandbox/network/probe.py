"""The inside of a guard's self-test: what can be reached, told on standard output; needs the standard library alone."""

from __future__ import annotations

import contextlib
import json
import os
import socket
import sys
from collections.abc import Callable

_OUTSIDE = "192.0.2.1"  # TEST-NET-1, RFC 5737: no host has it
_SECONDS = 1.0


def main(arguments: list[str]) -> None:
    """Try what must fail and what must not.

    Args:
        arguments: ports on 127.0.0.1 of a TCP and of a UDP server that stand outside of the guard.

    Prints a JSON object: `own` and `own_in_child`, whether an own server was reached; `foreign`,
    `foreign_in_child` and `outside`, whether what stands outside was; the UDP server sees for itself.
    """
    tcp, udp = (int(text) for text in arguments)
    _send(udp)
    found = {"foreign": _reaches("127.0.0.1", tcp), "outside": _reaches(_OUTSIDE, 80)}
    found["foreign_in_child"] = _in_child(lambda: _reaches("127.0.0.1", tcp) or _reaches(_OUTSIDE, 80))
    try:
        with socket.create_server(("127.0.0.1", 0)) as server:
            port = server.getsockname()[1]
            found["own"] = _reaches("127.0.0.1", port)
            found["own_in_child"] = _in_child(lambda: _reaches("127.0.0.1", port))
    except OSError:
        found["own"] = found["own_in_child"] = False
    sys.stdout.write(json.dumps(found))


def _reaches(host: str, port: int) -> bool:
    try:
        with socket.socket(socket.AF_INET, socket.SOCK_STREAM) as sock:
            sock.settimeout(_SECONDS)
            sock.connect((host, port))
    except OSError:
        return False
    return True


def _send(port: int) -> None:
    with contextlib.suppress(OSError), socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as sock:
        sock.sendto(b"x", ("127.0.0.1", port))


def _in_child(test: Callable[[], bool]) -> bool:
    child = os.fork()
    if child == 0:
        os._exit(0 if test() else 1)
    return os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 0
