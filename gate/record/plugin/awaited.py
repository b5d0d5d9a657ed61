"""Calls to a server of the suite that does not listen yet: a test that starts one asks until somebody answers."""

from __future__ import annotations

import contextlib
import os
import threading

from gate.errors import RecordingError
from gate.record.plugin.own_servers import OwnServers
from gate.record.recordings.exchange import Answer, Failure, Headers, Recorder, Request, Scope, Session
from gate.record.recordings.session import RecordingSession

_REFUSED = Answer(0, failure="connection")


class Awaited:
    """Stands before a session, as one; thread-safe.

    Where nobody listens at an address of this machine, it is not known yet whose the server is that will. So such a
    call fails as any refused connection does, and is told to nobody until `settle`: it was no matter of recordings if
    the suite's own server came, and is a call like every other if not. One that comes between the look and the call
    changes nothing of that.

    Args:
        asked: the session.
        own: the suite's own servers.
        session: knows the mode, and what is stored.
    """

    def __init__(self, asked: Session, own: OwnServers, session: RecordingSession) -> None:
        self._asked = asked
        self._own = own
        self._session = session
        self._process = os.getpid()
        self._lock = threading.Lock()
        self._waiting: dict[tuple[Scope, str, str, bytes], tuple[Request, Failure]] = {}

    def ask(self, request: Request, scope: Scope) -> Answer | Recorder:
        """As `Session.ask`."""
        __tracebackhide__ = True
        if not self._own.may_come(request.url, lambda: self._stores(request, scope)):
            return self._asked.ask(request, scope)
        if self._session.mode != "replay":
            return _Late(self, request, scope)
        self.wait(request, scope, _REFUSED.failure)
        return _REFUSED

    def _stores(self, request: Request, scope: Scope) -> bool:
        """Whether it is to be asked at once: a stored answer, or an error, is at hand."""
        return os.getpid() != self._process or self._session.stores(request, scope)

    def wait(self, request: Request, scope: Scope, failure: Failure) -> None:
        """A call failed; the same one again says nothing more."""
        with self._lock:
            self._waiting.setdefault((scope, request.method, request.url, request.body), (request, failure))

    def came(self, request: Request, scope: Scope) -> Recorder | None:
        """What records a call that was answered after all; None where the suite answered, or it is known already."""
        found = None if self._own(request.url) else self._asked.ask(request, scope)
        return None if isinstance(found, Answer) else found

    def settle(self) -> None:
        """Tell the session of the calls that no server of the suite came for."""
        with self._lock:
            waiting, self._waiting = self._waiting, {}
        for (scope, _, url, _), (request, failure) in waiting.items():
            if not self._own(url):
                with contextlib.suppress(RecordingError):  # the session has noted it
                    found = self._asked.ask(request, scope)
                    if not isinstance(found, Answer):
                        found.fail(failure)


class _Late:
    """A recorder that asks for the true one once something comes."""

    def __init__(self, awaited: Awaited, request: Request, scope: Scope) -> None:
        self._awaited = awaited
        self._request = request
        self._scope = scope
        self._recorder: Recorder | None = None
        self._over = False

    def start(self, status: int, headers: Headers) -> None:
        self._over = True
        self._recorder = self._awaited.came(self._request, self._scope)
        if self._recorder is not None:
            self._recorder.start(status, headers)

    def chunk(self, data: bytes) -> None:
        if self._recorder is not None:
            self._recorder.chunk(data)

    def finish(self) -> None:
        if self._recorder is not None:
            self._recorder.finish()

    def fail(self, failure: Failure) -> None:
        if self._recorder is not None:
            self._recorder.fail(failure)
        elif not self._over:
            self._over = True
            self._awaited.wait(self._request, self._scope, failure)
