"""The calls of models that an agent makes for one task: through a proxy of its own, which alone holds the key."""

from __future__ import annotations

import contextlib
import threading
from collections import defaultdict
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any
from urllib.parse import urlsplit

from gate.errors import BudgetExhaustedError, RecordingError, UndecidedError
from gate.record.recordings.budget import Amount, amount_of
from gate.record.recordings.costs import Meter, Ticket
from gate.record.recordings.exchange import Answer, Failure, Headers, Recorder, Request, Scope, Session
from gate.record.recordings.proxy import Proxy
from gate.record.recordings.proxy_handler import Handler
from gate.record.recordings.sending import key_header
from gate.record.recordings.session import RecordingSession
from gate.record.recordings.upstreams import WELL_KNOWN, Routes, Upstream, routes
from gate.record.recordings.usage import Usage
from gate.trials.infrastructure import RETRIABLE

DUMMY_KEY = "unused-key-of-this-machine"
"""What an agent finds in the variables of keys; its client starts with it, and it opens nothing."""


class KeyRefusedError(UndecidedError):
    """The provider refuses the key, so that no agent can be asked anything."""


@dataclass(frozen=True, slots=True)
class Spent:
    """What the calls of one task took.

    Attributes:
        amount: of live calls and of replayed ones, which cost when they were recorded.
        models: that answered, as they call themselves, sorted.
    """

    amount: Amount = field(default_factory=Amount)
    models: tuple[str, ...] = ()


class TaskMeter(Meter):
    """A meter that also keeps what each case took. For arguments see `Meter`."""

    def __init__(self, *args: Any, **options: Any) -> None:
        super().__init__(*args, **options)
        self._of_case: dict[str, list[Usage]] = defaultdict(list)
        self._turn_of_case = threading.Lock()

    def after(self, ticket: Ticket, answer: Answer) -> Usage:
        """Count a call that came back, or failed; see `Meter.after`."""
        usage = super().after(ticket, answer)
        self._keep(ticket.scope, usage)
        return usage

    def replayed(self, scope: Scope, usage: Usage) -> None:
        """Count an answer that was served from the store."""
        super().replayed(scope, usage)
        self._keep(scope, usage)

    def _keep(self, scope: Scope, usage: Usage) -> None:
        with self._turn_of_case:
            self._of_case[scope.case].append(usage)

    def spent(self, case: str) -> Spent:
        """What the calls of a case took so far; its usages are forgotten."""
        with self._turn_of_case:
            usages = self._of_case.pop(case, [])
        total = sum((amount_of(usage, self.prices) for usage in usages), Amount())
        return Spent(total, tuple(sorted({usage.model for usage in usages if usage.model})))


class Calls:
    """What an agent's calls go through, for the length of one task.

    Attributes:
        environment: variables that lead clients to the proxy, with dummy keys.
        port: of the proxy on the loopback interface.
        inward: gives the proxy's address for one of an upstream.
        refused: why the budget let no more calls out, in words; empty where it did.
        missing: how many requests had no stored answer.
    """

    def __init__(self, session: Session, case: str) -> None:
        self._session = session
        self._scope = Scope(case)
        self.environment: dict[str, str] = {}
        self.port = 0
        self.inward: Callable[[str], str] = str
        self.count = 0
        self.refused = ""
        self.missing = 0
        self._statuses: list[int] = []

    def check(self, where: str) -> None:
        """See that calls could be made at all.

        Raises:
            BudgetExhaustedError: one had no room in the budget.
            KeyRefusedError: the provider knows none of them to be from anybody.
        """
        if self.refused:
            raise BudgetExhaustedError(f"a call of the agent was not sent: {self.refused}", where=where)
        if self.failed and self._statuses[-1] == 401:
            raise KeyRefusedError(
                "the provider refuses the key (status 401)", where=where, remedy="check the key in the environment"
            )

    @property
    def failed(self) -> str:
        """What the provider answered, in words, where it answered every call with an error; else empty."""
        if not self._statuses or any(200 <= status < 400 for status in self._statuses):
            return ""
        return self.infrastructure or f"the provider answered with status {self._statuses[-1]}"

    @property
    def infrastructure(self) -> str:
        """Why the last call says nothing about the agent, in words; empty where it does."""
        if not self._statuses:
            return ""
        status = self._statuses[-1]
        if status == 0:
            return "the provider could not be reached, or gave no whole answer"
        return f"the provider answered with status {status}" if status in RETRIABLE else ""

    def ask(self, request: Request, _: Scope) -> Answer | Recorder:
        """As a session, under the case of this task."""
        self.count += 1
        try:
            found = self._session.ask(request, self._scope)
        except BudgetExhaustedError as error:
            self.refused = error.message
            raise
        except RecordingError:
            self.missing += 1
            raise
        if isinstance(found, Answer):
            self._statuses.append(0 if found.failure else found.status)
            return found
        return _Watched(found, self._statuses)


class _Watched:
    """A recorder whose end is noted."""

    def __init__(self, recorder: Recorder, statuses: list[int]) -> None:
        self._recorder = recorder
        self._statuses = statuses
        self._status = 0

    def start(self, status: int, headers: Headers) -> None:
        self._status = status
        self._recorder.start(status, headers)

    def chunk(self, data: bytes) -> None:
        self._recorder.chunk(data)

    def finish(self) -> None:
        self._statuses.append(self._status)
        self._recorder.finish()

    def fail(self, failure: Failure) -> None:
        self._statuses.append(0)
        self._recorder.fail(failure)


class _KeyedHandler(Handler):
    """Sends the key of the upstream in place of the agent's dummy, after what is stored was made of the dummy's."""

    def _live(self, request: Request, recorder: Recorder) -> None:
        super()._live(self._proxy.keyed(request), recorder)  # type: ignore[attr-defined]


class KeyedProxy(Proxy):
    """A proxy that holds the keys. For arguments see `Proxy`.

    Args:
        environ: holds the keys.
    """

    def __init__(self, session: Session, upstreams: Routes, environ: Mapping[str, str], **options: Any) -> None:
        super().__init__(session, upstreams, **options)
        self._environ = environ
        self._server.RequestHandlerClass = _KeyedHandler

    def keyed(self, request: Request) -> Request:
        """The request with the upstream's key; as it is, without the agent's, where there is none.

        It asks for no coding of the answer that needs a library to be read: what an agent's runtime can undo, the gate
        may not, and then it could neither count what a call took nor look for secrets in it.
        """
        host = urlsplit(request.url).netloc.lower()
        found = key_header(host, self._environ)
        kept = tuple(
            (name, _READABLE if name.lower() == "accept-encoding" else value)
            for name, value in request.headers
            if name.lower() not in _KEY_HEADERS
        )
        return Request(request.method, request.url, (*kept, *((found,) if found else ())), request.body)


_READABLE = "gzip, deflate"
_KEY_HEADERS = frozenset({"authorization", *(upstream.header for upstream in WELL_KNOWN)})


class Providers:
    """Opens the way to the APIs of models for one task after the other, from several threads at once.

    Args:
        session: answers, or lets a call go live and records it.
        meter: of the session.
        environ: of the gate, with its keys.
        only: names of upstreams that the agent may reach; None for those of which a key or an address is at hand.
        own: further upstreams.
    """

    def __init__(
        self,
        session: RecordingSession,
        meter: TaskMeter,
        environ: Mapping[str, str],
        *,
        only: Sequence[str] | None = None,
        own: Sequence[Upstream] = (),
    ) -> None:
        self._session = session
        self._meter = meter
        self._environ = environ
        self._names = reachable(environ) if only is None else tuple(only)
        self._routes = _allowed(routes(_agreed(environ), own), (*self._names, *(upstream.name for upstream in own)))

    @contextlib.contextmanager
    def opened(self, case: str) -> Iterator[Calls]:
        """Serve the calls of a case until the end of the block."""
        calls = Calls(self._session, case)
        with KeyedProxy(calls, self._routes, self._environ) as proxy:
            calls.port = int(urlsplit(proxy.address).port or 0)
            calls.inward = lambda url: proxy.inward(url, url)
            calls.environment = {**proxy.environment({}), **dummy_keys(self._names)}
            yield calls
        self._session.ended(case)

    def finish(self) -> None:
        """Put what was recorded on the disk, sorted.

        Raises:
            RecordingError: the disk refuses; what was appended is there.
        """
        self._session.finish()

    def spent(self, case: str) -> Spent:
        """What the calls of a case took, once."""
        return self._meter.spent(case)


def _agreed(environ: Mapping[str, str]) -> Mapping[str, str]:
    """The environment in which one address that the user gave an API counts under each of its names.

    Clients look at several names, and not all at the same first: litellm takes `OPENAI_BASE_URL` before
    `OPENAI_API_BASE`, so that it would pass by a gateway of which only the latter tells.
    """
    found = dict(environ)
    for upstream in WELL_KNOWN:
        if not upstream.base:
            continue
        given = {path: environ[name] for name, path in upstream.variables if environ.get(name, "").strip()}
        for name, path in upstream.variables:
            if path in given and not environ.get(name, "").strip():
                found[name] = given[path]
    return found


def reachable(environ: Mapping[str, str]) -> tuple[str, ...]:
    """Names of upstreams of which a key is at hand, or to which a variable names an address of the user's own."""
    return tuple(
        upstream.name
        for upstream in WELL_KNOWN
        if any(environ.get(name, "").strip() for name in (*upstream.keys, *(name for name, _ in upstream.variables)))
    )


def dummy_keys(names: Sequence[str]) -> dict[str, str]:
    """A value for the key of each of these APIs, since without one no client starts."""
    return {name: DUMMY_KEY for upstream in WELL_KNOWN if upstream.name in names for name in upstream.keys[:1]}


def _allowed(found: Routes, names: Sequence[str]) -> Routes:
    variables = {name: place for name, place in found.variables.items() if _upstream(name) in names}
    segments = {segment for segment, _ in variables.values()} | set(names)
    return Routes({name: base for name, base in found.bases.items() if name in segments}, variables)


def _upstream(variable: str) -> str:
    return next((each.name for each in WELL_KNOWN for name, _ in each.variables if name == variable), "")
