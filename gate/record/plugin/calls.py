"""Calls of models during a run of pytest: each belongs to a test and its trial, and is recorded or replayed."""

from __future__ import annotations

import contextlib
import os
import sys
from collections.abc import Generator
from pathlib import Path
from typing import Any

import pytest

from gate.errors import GateError, RecordingError
from gate.record.plugin import stale
from gate.record.plugin.attempt import SCOPE
from gate.record.plugin.carrier import FACETS
from gate.record.plugin.outside import Outside
from gate.record.plugin.spending import Spending, raised
from gate.record.recordings import interceptors
from gate.record.recordings.costs import Cost, Meter
from gate.record.recordings.exchange import Scope
from gate.record.recordings.missing import MissingEntry, joined, read_missing, to_bytes, write_missing
from gate.record.recordings.observed import ObservedSession
from gate.record.recordings.options import options_from_text
from gate.record.recordings.proxy import Proxy
from gate.record.recordings.scope import current, entered
from gate.record.recordings.session import RecordingSession
from gate.record.recordings.store import Store
from gate.record.recordings.tally import Counts
from gate.record.recordings.upstreams import placeholder_keys, routes
from gate.record.recordings.volatile import read_volatile
from gate.sandbox.network import sockets
from gate.sandbox.network.loopback import Listeners, foreign_listeners
from gate.schema.codec import calls_to_json
from gate.schema.report import Calls as Counted

PLUGIN = "gate-calls"
KEYS = (
    "OPENAI_API_KEY",
    "ANTHROPIC_API_KEY",
    "AZURE_OPENAI_API_KEY",
    "GEMINI_API_KEY",
    "GOOGLE_API_KEY",
    "MISTRAL_API_KEY",
    "COHERE_API_KEY",
    "GROQ_API_KEY",
    "OPENROUTER_API_KEY",
    "AWS_SECRET_ACCESS_KEY",
    "GATE_MODEL_KEY",
)
"""Variables of which one that is not empty lets `auto` record what is missing."""

_MISSING = "gate_missing"
_LISTENERS = "GATE_FOREIGN_LISTENERS"
_LONGEST = 600


def register(config: pytest.Config) -> None:
    """Answer the calls of this process from the store, as the mode says.

    Raises:
        pytest.UsageError: the recordings can't be used.
    """
    option = config.getoption
    mode, overlay = option("--gate-mode"), option("--gate-overlay")
    store = Store(Path(config.rootpath) / option("--gate-recordings"))
    can_record = any(os.environ.get(name) for name in KEYS)
    try:
        options = options_from_text(option("--gate-calls"))
        volatile = read_volatile(options.volatile)
        live = mode != "replay" and (mode != "auto" or can_record)
        spending = Spending(options, store, live=live, environ=os.environ)
        session = RecordingSession(
            store,
            mode,
            overlay=Store(Path(config.rootpath) / overlay) if overlay else None,
            volatile=volatile,
            can_record=can_record,
            replay_failures=options.replay_failures,
            meter=spending.meter,
        )
    except GateError as error:
        raise pytest.UsageError(str(error)) from None
    spending.begin(config, session)
    observed = ObservedSession(session, volatile) if option("--gate-mutate", False) else None
    calls = Calls(config, session, spending.meter, observed)
    config.pluginmanager.register(calls, PLUGIN)
    folders = [*([Path(config.rootpath) / overlay] if overlay else []), store.folder]
    stale.register(config, session, folders, calls.lacked, volatile)


class Calls:
    """Stands in every process that runs tests."""

    def __init__(
        self, config: pytest.Config, session: RecordingSession, meter: Meter, observed: ObservedSession | None = None
    ) -> None:
        self._config = config
        self.observed = observed
        """What was sent, for those who compare; None where nobody does."""
        self._session = session
        self._meter = meter
        self._missing: list[MissingEntry] = []
        self._told = Cost()
        self._lacked = 0
        self._unanswered: set[str] = set()
        self._trouble: list[str] = []
        self._refused: dict[Scope, str] = {}
        self._carried: set[str] = set()
        self._outside = Outside(worker=hasattr(config, "workerinput"))
        asked = session if observed is None else observed
        self._proxy = Proxy(asked, routes(os.environ))
        self._guard()
        self._proxy.__enter__()
        self._outside.set(self._proxy.environment(os.environ))
        interceptors.install(asked, lambda url: self._proxy.target(url) is not None)

    def _guard(self) -> None:
        """In a replay nothing of this process leaves the machine, and clients start without a key."""
        if not self.replays:
            return
        self._outside.set(placeholder_keys(os.environ))
        known = os.environ.get(_LISTENERS)
        foreign = Listeners.from_text(known) if known else foreign_listeners()
        self._outside.set({_LISTENERS: foreign.to_text()}, shared=True)  # what this process saw
        sockets.install(
            case=lambda: current().case,
            note=self._note,
            loopback=self._config.getoption("--gate-loopback"),
            foreign=foreign,
        )

    def _note(self, refusal: Any) -> None:
        self._refused.setdefault(current(), f"the network is closed in a replay: {refusal.call} to {refusal.host}")

    def environ(self) -> dict[str, str]:
        """The environment as it is outside of the run, without the addresses of its proxy."""
        return self._outside.environ()

    def keep(self, case: str) -> None:
        """Leave what is stored of a test: earlier trials stand for some of its own, so that it asks for the rest."""
        self._carried.add(case)

    @property
    def mode(self) -> str:
        """The mode as it is meant here: `auto` without a key is `replay`."""
        return self._session.mode

    @property
    def replays(self) -> bool:
        return self._session.mode == "replay"

    def trouble(self, case: str, trial: int) -> str:
        """What a trial of a test asked for in vain, also where its code swallowed that; empty for nothing."""
        noted = self._session.noted(Scope(case, trial))
        return str(noted[0])[:_LONGEST] if noted else self._refused.get(Scope(case, trial), "")

    def counts(self, case: str) -> Counts:
        """Calls of a case, each counted where it left the process."""
        return self._session.counts(case)

    def stored_trials(self, case: str) -> int:
        """Of how many trials of a test answers are stored; 0 where it asks nobody."""
        return self._session.stored_trials(case)

    def identical(self, case: str) -> bool:
        """Whether all trials of a test were given the very same answers, and are one sample."""
        return self._session.identical(case)

    @pytest.hookimpl(wrapper=True, tryfirst=True)
    def pytest_runtest_protocol(self, item: pytest.Item) -> Generator[None, object, object]:
        case = item.__dict__.get(SCOPE, item.nodeid)
        with entered(Scope(case)):
            done = yield
        self._ended(case)
        return done

    def _ended(self, case: str) -> None:
        """Its new answers replace the old ones from now on; where that can't be written, the old ones hold."""
        if case in self._carried:
            return
        try:
            self._session.ended(case)
        except GateError as error:
            self._trouble.append(str(error))

    @pytest.hookimpl(wrapper=True, tryfirst=True)
    def pytest_fixture_setup(self, fixturedef: Any, request: Any) -> Generator[None, object, object]:
        """What a fixture of a wider scope asks belongs to the fixture, whichever test comes first."""
        if fixturedef.scope == "function":
            return (yield)
        with entered(Scope(_fixture_id(fixturedef, request))):
            return (yield)

    def pytest_fixture_post_finalizer(self, fixturedef: Any, request: Any) -> None:
        """A fixture of a wider scope is over."""
        if fixturedef.scope != "function":
            self._ended(_fixture_id(fixturedef, request))

    @pytest.hookimpl(wrapper=True)
    def pytest_runtest_makereport(self, item: pytest.Item, call: pytest.CallInfo[Any]) -> Generator[None, Any, Any]:
        report = yield
        if SCOPE in item.__dict__:
            return report  # a trial of another case, which nobody is told of by itself
        if call.excinfo is not None and raised(call.excinfo.value, RecordingError):
            self._unanswered.add(item.nodeid)  # also by a fixture that failed in an earlier test
        if report.when != "teardown" or item.get_closest_marker("stochastic") is not None:
            return report  # trials are told together, see `facet`
        trouble = self.trouble(item.nodeid, 0)
        self.facet(item.nodeid, report)
        if trouble and report.passed:
            report.outcome = "failed"
            report.longrepr = trouble
        return report

    def facet(self, case: str, report: pytest.TestReport) -> None:
        """Put what a test called on its last report."""
        calls = self.since_last(case)
        if calls:
            setattr(report, FACETS, {**getattr(report, FACETS, {}), "calls": calls})

    def since_last(self, case: str) -> dict[str, Any]:
        """What was called since the last test ended: fixtures of wider scopes and the collection are in it."""
        now = self._meter.total
        counts = self._session.totals()
        known, self._lacked = self._lacked, counts.missing + counts.exhausted + counts.refused + counts.broken
        live, replayed, before = now.live, now.replayed, self._told
        self._told = now
        found = Counted(
            live=live.calls - before.live.calls,
            replayed=replayed.calls - before.replayed.calls,
            tokens=live.tokens - before.live.tokens,
            money=round(live.money - before.live.money, 9),
            saved=round(replayed.money - before.replayed.money, 9),
            missing=max(self._lacked - known, int(case in self._unanswered)),
            unpriced=live.unpriced + replayed.unpriced - before.live.unpriced - before.replayed.unpriced,
        )
        return calls_to_json(found)

    @pytest.hookimpl(optionalhook=True)
    def pytest_testnodedown(self, node: Any) -> None:
        """What a worker of pytest-xdist asked for in vain."""
        told = (getattr(node, "workeroutput", None) or {}).get(_MISSING, "")
        if told:
            self._missing += read_missing(told.encode("utf-8"))

    def lacked(self) -> tuple[MissingEntry, ...]:
        """What this process and its workers asked for in vain, so far."""
        return joined([*self._missing, *self._session.missing_entries()])

    def pytest_sessionfinish(self) -> None:
        missing = self._session.missing_entries()
        output: dict[str, Any] | None = getattr(self._config, "workeroutput", None)
        if output is not None:
            output[_MISSING] = to_bytes(missing).decode("utf-8") if missing else ""
            return
        path = self._config.getoption("--gate-missing")
        if path is not None:
            with contextlib.suppress(GateError):
                write_missing(self._config.invocation_params.dir / path, self.lacked())

    @pytest.hookimpl(trylast=True)
    def pytest_unconfigure(self) -> None:
        interceptors.uninstall()
        sockets.uninstall()
        self._proxy.__exit__(None, None, None)
        self._outside.restore()
        try:
            self._session.finish()
        except GateError as error:
            sys.stderr.write(f"recordings: {error}\n")

    def pytest_terminal_summary(self, terminalreporter: Any) -> None:
        for notice in (*self._session.notices, *self._proxy.problems(), *self._trouble):
            terminalreporter.write_line(f"recordings: {notice}")
        for case in self._session.kept:
            terminalreporter.write_line(f"recordings: a call of {case} had no answer, so its older answers were kept")


def _fixture_id(fixturedef: Any, request: Any) -> str:
    """A name that does not depend on which test asks first: where the fixture stands, its name, its parameter."""
    place = str(fixturedef.baseid or "conftest")
    parameter = f"[{request.param_index}]" if getattr(request, "param_index", 0) else ""
    return f"{place.partition('::')[0]}::fixture {fixturedef.argname}{parameter}"
