"""Servers that the suite starts itself: they are code under review, so nothing of theirs is recorded or replayed."""

from __future__ import annotations

import os
from collections.abc import Iterable
from urllib.parse import SplitResult, urlsplit

from gate.record.plugin.outside import Outside
from gate.sandbox.network.loopback import Listeners, foreign_listeners, is_loopback, local_names

_LISTENERS = "GATE_FOREIGN_LISTENERS"
_PORTS = {"http": 80, "https": 443}
_ANY = "loopback"


def known_foreign(outside: Outside) -> Listeners:
    """Servers of this machine that ran before; workers take them from the process that started them."""
    known = os.environ.get(_LISTENERS)
    foreign = Listeners.from_text(known) if known is not None else foreign_listeners()
    outside.set({_LISTENERS: foreign.to_text()}, shared=True)  # what this process saw
    return foreign


class OwnServers:
    """Says of an address whether a server of the suite has it; a callable for the interceptors.

    A loopback address is the suite's own where a socket listens at its port that did not when the run began, and where
    nothing names it as the address of a model. A server that has been the suite's own stays so once it is down, since
    what a test then expects is that nobody answers.

    Args:
        foreign: what listened before, see `foreign_listeners`. Where the machine does not say (not Linux) nothing is
            known to be the suite's own.
        upstreams: addresses of models, whoever serves them.
    """

    def __init__(self, foreign: Listeners, upstreams: Iterable[str] = ()) -> None:
        self._foreign = foreign
        self._names = local_names()
        self._upstreams = {place for url in upstreams if (place := self._place(url)) is not None}
        self._known: set[int] = set()

    def __call__(self, url: str) -> bool:
        place = self._place(url)
        if place is None or place[0] != _ANY or place in self._upstreams:
            return False
        port = place[1]
        if self._foreign.others_listen("tcp", port):
            self._known.add(port)
            return True
        return port in self._known and not self._foreign.hold("tcp", port)

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
