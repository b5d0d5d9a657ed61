"""The guard within Python: sockets that would leave the machine are refused in the process that asks.

It sees what goes through the module `socket`, asyncio and threads included, by its audit events (PEP 578), and names
that only C would look up, by the methods of `socket.socket`. It does not see code that calls the C library itself:
gRPC, uvloop, `ctypes`, other processes. That is for the kernel, see `gate.sandbox.network.guard`.
"""

from __future__ import annotations

import functools
import socket
import sys
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from gate.errors import RecordingError
from gate.sandbox.network.loopback import (
    Listeners,
    Loopback,
    Protocol,
    foreign_listeners,
    is_loopback,
    local_names,
    numeric,
)


@dataclass(frozen=True, slots=True)
class Refusal:
    """One attempt that was refused.

    Attributes:
        host: as it was asked for: a name, an address, or the name of an address family.
        port: None for a look-up of a name.
        case: id of the test that ran; empty outside of one.
        call: the audit event, such as `socket.connect`.
    """

    host: str
    port: int | None
    case: str
    call: str


class NetworkRefusedError(RecordingError, ConnectionRefusedError):
    """A socket that would leave the machine in replay; an OSError too, since clients expect those of a socket."""


@dataclass(frozen=True, slots=True)
class _Rules:
    case: Callable[[], str]
    note: Callable[[Refusal], None]
    loopback: Loopback
    foreign: Listeners
    names: frozenset[str]


_UNCHECKED = frozenset(
    getattr(socket, name) for name in ("AF_UNIX", "AF_NETLINK", "AF_ALG", "AF_SYSTEM") if hasattr(socket, name)
)
_INTERNET = (socket.AF_INET, socket.AF_INET6)
_METHODS = ("connect", "connect_ex", "sendto", "sendmsg")
_rules: list[_Rules] = []
_hooked: list[bool] = []
_replaced: dict[str, Any] = {}


def install(
    *,
    case: Callable[[], str] = str,
    note: Callable[[Refusal], None] = lambda refusal: None,
    loopback: Loopback = "own",
    foreign: Listeners | None = None,
) -> None:
    """Refuse from now on, in all threads of this process and in those that it forks.

    Args:
        case: id of the test that runs now.
        note: told of each refusal before the error is raised; must not use the network.
        loopback: which loopback addresses may be reached.
        foreign: servers of the machine that are not the suite's; by default those that listen now and belong to
            neither this process nor its descendants. Processes of one run share the first one's, see `to_text`.
    """
    found = foreign if foreign is not None else foreign_listeners()
    _rules[:] = [_Rules(case, note, loopback, found, local_names())]
    if not _hooked:
        _hooked.append(True)
        sys.addaudithook(_audit)  # it can't be taken away again; without rules it does nothing
    if not _replaced:
        for name in _METHODS:
            if hasattr(socket.socket, name):
                _replaced[name] = method = _checked(name, getattr(socket.socket, name))
                setattr(socket.socket, name, method)


def uninstall() -> None:
    """Refuse nothing any more."""
    _rules.clear()
    for name, method in _replaced.items():
        if socket.socket.__dict__.get(name) is method:
            delattr(socket.socket, name)
    _replaced.clear()


def _checked(name: str, original: Callable[..., Any]) -> Callable[..., Any]:
    """A method that looks at a host's name before C asks a name server about it, which is before the audit event."""

    @functools.wraps(original)
    def method(self: socket.socket, *arguments: Any) -> Any:
        if _rules and arguments:
            _check_address(f"socket.{name}", self, arguments[-1])
        return original(self, *arguments)

    return method


def _audit(event: str, arguments: tuple[Any, ...]) -> None:
    check = _CHECKS.get(event)
    if check is not None and _rules:
        check(event, *arguments)


def _check_address(call: str, sock: Any, address: Any) -> None:
    """A destination as Python knows it; None where a call names none."""
    rules = _rules[0]
    if address is None or sock.family in _UNCHECKED:
        return
    if sock.family not in _INTERNET:
        _refuse(rules, call, getattr(sock.family, "name", str(sock.family)), None)
    if not isinstance(address, tuple) or len(address) < 2 or not isinstance(address[1], int):
        return  # the call itself will refuse it
    host, port = _text(address[0]), address[1]
    protocol: Protocol = "udp" if sock.type & 0xF == socket.SOCK_DGRAM else "tcp"
    if not _may_reach(rules, host, port, protocol):
        _refuse(rules, call, host, port)


def _may_reach(rules: _Rules, host: str, port: int, protocol: Protocol) -> bool:
    if rules.loopback == "none" or not (is_loopback(host) or _is_own_name(rules, host)):
        return False
    return rules.loopback == "host" or not rules.foreign.hold(protocol, port)


def _check_name(call: str, host: Any, *_: Any) -> None:
    """A look-up: of names of this machine and of plain addresses it needs no name server."""
    name = _text(host)
    if name and numeric(name) is None and not _is_own_name(_rules[0], name):
        _refuse(_rules[0], call, name, None)


def _check_reverse(call: str, host: Any, *_: Any) -> None:
    """The name of an address: a name server is asked about every address that is not the machine's own."""
    name = _text(host[0] if isinstance(host, tuple) and host else host)
    address = numeric(name)
    own = is_loopback(name) or address.is_link_local if address is not None else _is_own_name(_rules[0], name)
    if not own:
        _refuse(_rules[0], call, name, None)


def _is_own_name(rules: _Rules, host: str) -> bool:
    name = host.lower().rstrip(".")
    return name in rules.names or name.endswith(".localhost")


def _text(host: Any) -> str:
    if host is None:
        return ""
    return host.decode("utf-8", "replace") if isinstance(host, bytes | bytearray) else str(host)


def _refuse(rules: _Rules, call: str, host: str, port: int | None) -> None:
    refusal = Refusal(host, port, rules.case(), call)
    rules.note(refusal)
    place = host if port is None else f"{host}:{port}" if ":" not in host else f"[{host}]:{port}"
    doing = "look-up of" if port is None else "connection to"
    raise NetworkRefusedError(
        f"the {doing} {place} was refused: in replay nothing leaves this machine",
        where=refusal.case,
        remedy="record this call (`gate run --mode record`), or give the test a server of its own on 127.0.0.1",
    )


_CHECKS: dict[str, Callable[..., None]] = {
    "socket.connect": _check_address,
    "socket.sendto": _check_address,
    "socket.sendmsg": _check_address,
    "socket.getaddrinfo": _check_name,
    "socket.gethostbyname": _check_name,
    "socket.gethostbyaddr": _check_reverse,
    "socket.getnameinfo": _check_reverse,
}
