"""Servers that the suite starts itself: they are code under review, so nothing of theirs is recorded or replayed."""

from __future__ import annotations

import os
from collections.abc import Callable, Collection, Iterable
from pathlib import Path
from urllib.parse import SplitResult, urlsplit

from gate.record.plugin.outside import Outside
from gate.sandbox.network import listening
from gate.sandbox.network.loopback import Listeners, foreign_listeners, is_loopback, local_names

_LISTENERS = "GATE_FOREIGN_LISTENERS"
_PORTS = {"http": 80, "https": 443}
_ANY = "loopback"
_LISTENED = "listened"
_NAMED = 5


def known_foreign(outside: Outside) -> Listeners:
    """Servers of this machine that ran before; workers take them from the process that started them."""
    known = os.environ.get(_LISTENERS)
    foreign = Listeners.from_text(known) if known is not None else foreign_listeners()
    outside.set({_LISTENERS: foreign.to_text()}, shared=True)  # what this process saw
    return foreign


def watched(folder: Path | None, *, tells: bool) -> Callable[[], Collection[int]] | None:
    """See from now on where this process listens, where the machine does not say who does.

    Args:
        folder: which the processes of this run share.
        tells: whether the machine says it.

    Returns:
        What gives the ports, see `OwnServers`.
    """
    if tells or folder is None:
        return None
    path = folder / _LISTENED
    listening.watch(path)
    return lambda: listening.ports(path)


class OwnServers:
    """Says of an address whether a server of the suite has it; a callable for the interceptors.

    A loopback address is the suite's own where a socket listens at its port that did not when the run began, and where
    nothing names it as the address of a model. A server that has been the suite's own stays so once it is down, since
    what a test then expects is that nobody answers.

    Args:
        foreign: what listened before, see `foreign_listeners`.
        upstreams: addresses of models, whoever serves them.
        listened: ports at which the suite was seen to listen, where the machine does not say who listens (not Linux);
            None where it does.
    """

    def __init__(
        self,
        foreign: Listeners,
        upstreams: Iterable[str] = (),
        *,
        listened: Callable[[], Collection[int]] | None = None,
    ) -> None:
        self._foreign = foreign
        self._listened = listened
        self._before = {port for protocol, port, _ in foreign.sockets if protocol == "tcp"}
        self._names = local_names()
        self._upstreams = {place for url in upstreams if (place := self._place(url)) is not None}
        self._known: set[int] = set()
        self._unknown: set[int] = set()

    def may_come(self, url: str, known: Callable[[], bool]) -> bool:
        """Whether an address is one of this machine where no server of somebody else's listens, so that one of the
        suite may come, or has come since it was last asked about.

        Args:
            url: the address.
            known: whether it is known otherwise what answers; asked before the machine is.
        """
        place = self._place(url)
        if place is None or place[0] != _ANY or place in self._upstreams or self._listened is not None or known():
            return False
        return not self._foreign.hold("tcp", place[1])

    def __call__(self, url: str) -> bool:
        place = self._place(url)
        if place is None or place[0] != _ANY or place in self._upstreams:
            return False
        port = place[1]
        if self._listened is not None:
            own = port in self._listened()
            self._unknown |= set() if own else {port}
            return own
        if port in self._known and port not in self._before:
            return True  # without a look, which takes long where many sockets are open
        if self._foreign.others_listen("tcp", port):
            self._known.add(port)
            return True
        return port in self._known and not self._foreign.hold("tcp", port)

    def doubts(self) -> tuple[str, ...]:
        """Ports of which it can't be told who has them, in one sentence; nothing where the machine says it."""
        ports = ", ".join(str(port) for port in sorted(self._unknown)[:_NAMED])
        told = f"who listens at port {ports} of this machine can't be told here, so it is recorded like a model"
        return (f"{told}; if the suite starts it, install `lsof`",) if ports else ()

    def _place(self, url: str) -> tuple[str, int] | None:
        """Host and port; all names of this machine are one."""
        try:
            parts: SplitResult = urlsplit(url)
            host, port = parts.hostname or "", parts.port or _PORTS.get(parts.scheme, 0)
        except ValueError:
            return None
        name = host.rstrip(".")
        own = bool(host) and (is_loopback(host) or name in self._names or name.endswith(".localhost"))
        return (_ANY if own else name), port
