"""Everything by which calls of one process and its children are seen, from the start of a run until its end."""

from __future__ import annotations

import os
from collections.abc import Callable
from typing import Any
from urllib.parse import urlsplit

from gate.record.plugin.awaited import Awaited
from gate.record.plugin.outside import Outside
from gate.record.plugin.own_servers import OwnServers, known_foreign, watched
from gate.record.plugin.shared import Shared
from gate.record.recordings import interceptors, threads
from gate.record.recordings.exchange import Session
from gate.record.recordings.proxy import Proxy
from gate.record.recordings.scope import current
from gate.record.recordings.session import RecordingSession
from gate.record.recordings.upstreams import placeholder_keys, routes
from gate.sandbox.network import listening, loopback, sockets
from gate.sandbox.network.loopback import Loopback


class Interception:
    """Client libraries, threads, the proxy for children, and in a replay the guard of Python's sockets.

    Args:
        asked: what answers and records.
        session: knows the mode, and what is stored.
        outside: takes the variables that lead clients here.
        shared: where the processes of a run tell each other at which ports they listen.
        refused: told of each socket that the guard refused, see `sockets.Refusal`.
        local: which loopback addresses a replay leaves open.
    """

    def __init__(
        self,
        asked: Session,
        session: RecordingSession,
        outside: Outside,
        shared: Shared,
        *,
        refused: Callable[[Any], None],
        local: Loopback,
    ) -> None:
        self._replays = session.mode == "replay"
        self._unrecorded: list[str] = []
        upstreams = routes(os.environ)
        self._proxy = Proxy(asked, upstreams)
        foreign = known_foreign(outside)
        if self._replays:  # nothing leaves the machine, and clients start without a key
            outside.set(placeholder_keys(os.environ))
            sockets.install(case=lambda: current().case, note=refused, loopback=local, foreign=foreign)
        self._proxy.__enter__()
        outside.set(self._proxy.environment(os.environ))
        listened = watched(shared.folder, tells=loopback.tells())
        self._own = OwnServers(foreign, upstreams.bases.values(), listened=listened)
        self._awaited = Awaited(asked, self._own, session)
        threads.install()
        interceptors.install(
            self._awaited, self._left_alone, lambda url: self._proxy.target(url) or url, self._goes_unrecorded
        )

    def _left_alone(self, url: str) -> bool:
        """Whether a call of this process goes its own way: to a server of the suite, or to the proxy, which records it.

        In a replay what the proxy would say is said here, without its address, which differs from run to run.
        """
        return self._own(url) if self._proxy.target(url) is None else not self._replays

    def _goes_unrecorded(self, url: str) -> None:
        said = f"a call to {urlsplit(url).hostname} by `putrequest` of http.client can't be recorded; use `request`"
        if said not in self._unrecorded:
            self._unrecorded.append(said)

    def settle(self) -> None:
        """Tell the session of what was asked where nobody listened, see `Awaited`."""
        self._awaited.settle()

    def problems(self) -> tuple[str, ...]:
        """What could not be seen or served, one sentence each."""
        return (*self._proxy.problems(), *self._unrecorded, *self._own.doubts())

    def remove(self) -> None:
        """Give everything back."""
        interceptors.uninstall()
        threads.uninstall()
        sockets.uninstall()
        listening.unwatch()
        self._proxy.__exit__(None, None, None)
