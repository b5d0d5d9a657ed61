"""Which addresses are the suite's own: loopback ones, without the servers that the machine ran before."""

from __future__ import annotations

import contextlib
import ipaddress
import os
import socket
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

from gate.sandbox.network import lsof, sock_diag

Loopback = Literal["own", "host", "none"]
"""Which loopback addresses may be reached: of servers that the suite starts, of any server, or none."""

Protocol = Literal["tcp", "udp"]

_LISTENING = {"tcp": "0A", "udp": "07"}  # TCP_LISTEN; TCP_CLOSE, which a bound and unconnected UDP socket has
_PROC = Path("/proc")


@dataclass(frozen=True, slots=True)
class Listeners:
    """Sockets that waited for clients at some moment.

    Attributes:
        sockets: protocol, port and the kernel's number of each; empty where the machine does not say.
    """

    sockets: frozenset[tuple[str, int, int]] = frozenset()

    def hold(self, protocol: Protocol, port: int) -> bool:
        """Whether one of these very sockets still has a port; a later one with the same port is another."""
        known = {found for found in self.sockets if found[:2] == (protocol, port)}
        return bool(known) and not known.isdisjoint(_listening(protocol))

    def others_listen(self, protocol: Protocol, port: int) -> bool:
        """Whether a port has sockets that wait, and none of them is one of these."""
        waiting = {found for found in _listening(protocol) if found[1] == port}
        return bool(waiting) and waiting.isdisjoint(self.sockets)

    def to_text(self) -> str:
        """For an environment variable, so that all processes of a run agree."""
        return " ".join(f"{protocol}:{port}:{inode}" for protocol, port, inode in sorted(self.sockets))

    @classmethod
    def from_text(cls, text: str) -> Listeners:
        """What `to_text` wrote; what is no such entry is left out."""
        found = set()
        for entry in text.split():
            protocol, _, rest = entry.partition(":")
            port, _, inode = rest.partition(":")
            if protocol in _LISTENING and port.isdecimal() and inode.isdecimal():
                found.add((protocol, int(port), int(inode)))
        return cls(frozenset(found))


def tells() -> bool:
    """Whether this machine says who listens: Linux itself, others where `lsof` is installed, as on every macOS."""
    return _has_proc() or bool(lsof.program())


def _has_proc() -> bool:
    return (_PROC / "net" / "tcp").exists()


def foreign_listeners() -> Listeners:
    """The servers of this machine that are neither this process's nor its descendants'."""
    own = _own_inodes()
    found = {entry for protocol in ("tcp", "udp") for entry in _listening(protocol) if entry[2] not in own}
    return Listeners(frozenset(found))


def is_loopback(host: str) -> bool:
    """Whether a numeric address never leaves the machine; the unspecified address means loopback to `connect`."""
    address = numeric(host)
    if address is None:
        return False
    mapped = getattr(address, "ipv4_mapped", None)
    address = mapped if mapped is not None else address
    return address.is_loopback or address.is_unspecified


def numeric(host: str) -> ipaddress.IPv4Address | ipaddress.IPv6Address | None:
    """The address that a text stands for without a look-up; None for a name. `127.1` is an address, as in C."""
    if not host:
        return ipaddress.IPv4Address(0)
    with contextlib.suppress(ValueError):
        return ipaddress.ip_address(host.partition("%")[0])
    if host[0].isdigit() and " " not in host:
        with contextlib.suppress(OSError, ValueError):
            return ipaddress.IPv4Address(socket.inet_aton(host))
    return None


def local_names(hosts: Path = Path("/etc/hosts")) -> frozenset[str]:
    """Names that mean this machine without a question to a name server."""
    names = {"localhost", "localhost.localdomain", "ip6-localhost", socket.gethostname().lower()}
    with contextlib.suppress(OSError):
        for line in hosts.read_text(encoding="utf-8", errors="replace").splitlines():
            address, *rest = line.partition("#")[0].split() or [""]
            if address and is_loopback(address):
                names.update(name.lower() for name in rest)
    return frozenset(names)


def _listening(protocol: str) -> set[tuple[str, int, int]]:
    """Protocol, port and inode of the sockets of both address families that wait in this network namespace."""
    if not _has_proc():
        return lsof.listening(protocol) if lsof.program() else set()
    if protocol == "tcp":
        with contextlib.suppress(OSError):
            return {("tcp", port, inode) for port, inode in sock_diag.listening()}
    found = set()
    for table in (protocol, f"{protocol}6"):
        with contextlib.suppress(OSError):
            for line in (_PROC / "net" / table).read_text(encoding="ascii").splitlines()[1:]:
                fields = line.split()
                if len(fields) > 9 and fields[3] == _LISTENING[protocol]:
                    found.add((protocol, int(fields[1].rpartition(":")[2], 16), int(fields[9])))
    return found


def _own_inodes() -> frozenset[int]:
    """The kernel's numbers of the sockets that this process and its descendants hold."""
    if not _has_proc():
        return lsof.held_by_tree(os.getpid()) if lsof.program() else frozenset()
    found: set[int] = set()
    waiting, seen = [os.getpid()], set()
    while waiting:
        process = waiting.pop()
        if process in seen:
            continue
        seen.add(process)
        found |= _inodes_of(process)
        with contextlib.suppress(OSError):
            for thread in (_PROC / str(process) / "task").iterdir():
                waiting += [int(child) for child in (thread / "children").read_text(encoding="ascii").split()]
    return frozenset(found)


def _inodes_of(process: int) -> set[int]:
    found = set()
    with contextlib.suppress(OSError):
        for handle in (_PROC / str(process) / "fd").iterdir():
            with contextlib.suppress(OSError):
                kind, _, number = str(handle.readlink()).partition(":[")
                if kind == "socket":
                    found.add(int(number[:-1]))
    return found
