"""Calls of models during a run of pytest: each belongs to a test and its trial, and is recorded or replayed."""

from __future__ import annotations

import contextlib
import json
import os
import sys
from collections.abc import Generator, Iterator
from pathlib import Path
from typing import Any

import pytest

from gate.errors import GateError, RecordingError
from gate.record.plugin import rejudge, stale, wide
from gate.record.plugin.attempt import SCOPE
from gate.record.plugin.carrier import FACETS
from gate.record.plugin.in_vain import InVain
from gate.record.plugin.interception import Interception
from gate.record.plugin.outside import Outside
from gate.record.plugin.shared import Shared
from gate.record.plugin.spending import Spending, raised
from gate.record.plugin.tracebacks import end_where_asked
from gate.record.recordings.costs import Cost, Meter
from gate.record.recordings.exchange import Scope
from gate.record.recordings.keys import has_key
from gate.record.recordings.missing import MissingEntry, fitting, joined, read_told, to_bytes, write_missing
from gate.record.recordings.observed import ObservedSession
from gate.record.recordings.options import options_from_text
from gate.record.recordings.rejudging import RejudgingSession
from gate.record.recordings.repeating import Repeating
from gate.record.recordings.scope import entered
from gate.record.recordings.store import Store
from gate.record.recordings.tally import Counts
from gate.record.recordings.volatile import NONE, Volatile, read_volatile
from gate.record.recordings.workers import RunSession
from gate.sandbox.network import loopback
from gate.schema.codec import calls_to_json
from gate.schema.observe import Observer
from gate.schema.report import Calls as Counted

PLUGIN = "gate-calls"
_MISSING = "gate_missing"
_LEFT = "gate_left"
_OUTSIDE = "gate_outside"
_TROUBLE = "gate_trouble"
_RUN = "GATE_RECORDING_RUN"
_NAMED = 20


def register(config: pytest.Config) -> None:
    """Answer the calls of this process from the store, as the mode says.

    Raises:
        pytest.UsageError: the recordings can't be used.
    """
    option = config.getoption
    mode, overlay = option("--gate-mode"), option("--gate-overlay")
    store = Store(Path(config.rootpath) / option("--gate-recordings"))
    try:
        options = options_from_text(option("--gate-calls"))
        can_record = options.key or has_key(os.environ)
        volatile = read_volatile(options.volatile)
        live = mode != "replay" and (mode != "auto" or can_record)
        spending = Spending(options, store, live=live, environ=os.environ)
        over = Store(Path(config.rootpath) / overlay) if overlay else None
        told: dict[str, Any] = {
            "mode": mode,
            "volatile": volatile,
            "can_record": can_record,
            "replay_failures": options.replay_failures,
            "meter": spending.meter,
        }
        run = os.environ.get(_RUN, "") if hasattr(config, "workerinput") else ""
        again = rejudge.session_of(config, store, over, **told)
        session = again or RunSession(store, run=run, overlay=over, **told)
    except GateError as error:
        raise pytest.UsageError(str(error)) from None
    spending.begin(config, session)
    observes = bool(option("--gate-mutate", False))
    calls = Calls(config, session, spending.meter, options.replay_failures, volatile, observes=observes)
    config.pluginmanager.register(calls, PLUGIN)
    config.pluginmanager.register(calls.wide, wide.PLUGIN)
    folders = [*([Path(config.rootpath) / overlay] if overlay else []), store.folder]
    if again is None:
        stale.register(config, session, folders, calls.lacked, volatile)


class Calls:
    """Stands in every process that runs tests."""

    def __init__(
        self,
        config: pytest.Config,
        session: RunSession,
        meter: Meter,
        failures: bool = False,
        volatile: Volatile = NONE,
        *,
        observes: bool = False,
    ) -> None:
        self._config = config
        self._session = session
        self._meter = meter
        self._missing: list[MissingEntry] = []
        self._told = Cost()
        self._failed = ""
        self._whole = True
        self._trouble: list[str] = []
        self._carried: set[str] = set()
        self._stopped: set[str] = set()
        self._outside = Outside(worker=hasattr(config, "workerinput"))
        self._outside.set({_RUN: session.run}, shared=True)
        self._left: list[dict[str, bool]] = []
        repeats, tells = session.mode in ("record", "auto"), loopback.tells()
        self._shared = Shared(repeats or not tells, self._outside, worker=hasattr(config, "workerinput"))
        folder = self._shared.folder
        repeating = Repeating(session, volatile, folder=folder if repeats else None, failures=failures)
        observed = ObservedSession(repeating, volatile) if observes else None
        self._observed = observed
        self.observed: Observer | None = observed
        """What was sent, for those who compare; None where nobody does."""
        asked = repeating if observed is None else observed
        self.ask = asked.ask
        """Answers a call that leaves by no client, or gives what records it."""
        worker = hasattr(config, "workerinput")
        self.wide = wide.WideFixtures(repeating, self._stopped.add, None if worker else self._ended)
        self._vain = InVain(session, self.wide, self._settle)
        self._interception = Interception(
            asked,
            session,
            self._outside,
            self._shared,
            refused=self._vain.refused,
            local=config.getoption("--gate-loopback"),
        )

    def _settle(self) -> None:
        self._interception.settle()

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
    def gives(self) -> bool:
        """Whether a test makes as many trials as are stored: also where a judge may ask about these."""
        return self.replays or isinstance(self._session, RejudgingSession)

    @property
    def replays(self) -> bool:
        return self._session.mode == "replay"

    def trouble(self, case: str, trial: int) -> str:
        """What a trial of a test asked for in vain, also where its code swallowed that; empty for nothing."""
        return self._vain.of_trial(case, trial)

    @property
    def untroubled(self) -> bool:
        """Whether `trouble` is empty for every trial so far; quicker than to ask for each."""
        return self._vain.untroubled

    @property
    def asked(self) -> int | None:
        """How many requests this process saw; None where that can't be told, or any was asked in vain."""
        return None if self._observed is None or not self.untroubled else self._observed.asked

    @contextlib.contextmanager
    def belonging(self, item: pytest.Item) -> Iterator[None]:
        """What is called in the block belongs to an item, or to the case that stands on it as its scope."""
        case = item.__dict__.get(SCOPE, item.nodeid)
        with self._vain.within(item, case), entered(Scope(case)):
            yield
        self._ended(case)

    def reasons(self) -> tuple[str, ...]:
        """Why the report is not whole: something was asked for in vain that belongs to no test."""
        return self._vain.reasons()

    def counts(self, case: str) -> Counts:
        """Calls of a case, each counted where it left the process."""
        return self._session.counts(case)

    def models(self) -> dict[str, set[str]]:
        """By the model that was asked for, the names under which it answered."""
        return self._meter.models

    def stored_trials(self, case: str) -> int:
        """Of how many trials of a test answers are stored; 0 where it asks nobody."""
        return self._session.stored_trials(case)

    def wants(self, case: str, trials: int) -> None:
        """Say how many trials of a test are to be made: what one of them lacks is asked for all of them."""
        self._session.wants(case, trials)

    def answering_trials(self, case: str) -> int:
        """Of how many trials of a test answers are stored to what its first trial asked."""
        return self._session.answering_trials(case)

    def same_answers(self, case: str) -> str:
        """Digest of the answers where all trials of a test were given the very same, and are one sample; else empty."""
        return self._session.same_answers(case)

    @pytest.hookimpl(wrapper=True, tryfirst=True)
    def pytest_runtest_protocol(self, item: pytest.Item) -> Generator[None, object, object]:
        with self.belonging(item):
            return (yield)

    def _ended(self, case: str) -> None:
        """Its new answers replace the old ones from now on; where that can't be written, the old ones hold."""
        self._settle()
        if case in self._carried:
            return
        try:
            self._session.ended(case, whole=case not in self._stopped)
        except GateError as error:
            self._trouble.append(str(error))

    @pytest.hookimpl(wrapper=True)
    def pytest_runtest_makereport(self, item: pytest.Item, call: pytest.CallInfo[Any]) -> Generator[None, Any, Any]:
        if call.excinfo is not None:
            end_where_asked(call.excinfo.value, self._config.rootpath)
        report = yield
        if SCOPE in item.__dict__:
            return report  # a trial of another case, which nobody is told of by itself
        if call.excinfo is not None and raised(call.excinfo.value, RecordingError):
            self._vain.unanswered.add(item.nodeid)  # also by a fixture that failed in an earlier test
        if not report.passed:
            self._stopped.add(item.nodeid)
        if report.failed or report.when == "setup":  # a test that is run again begins anew
            self._failed = item.nodeid if report.failed else ""
        if report.when != "teardown" or item.get_closest_marker("stochastic") is not None:
            return report  # trials are told together, see `facet`
        trouble = self.trouble(item.nodeid, 0)
        self.facet(item.nodeid, report)
        if trouble and report.passed and self._failed != item.nodeid:
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
        now, before = self._meter.total, self._told
        self._told = now
        live, replayed = now.live, now.replayed
        found = Counted(
            live=live.calls - before.live.calls,
            replayed=replayed.calls - before.replayed.calls,
            tokens=live.tokens - before.live.tokens,
            money=round(live.money - before.live.money, 9),
            saved=round(replayed.money - before.replayed.money, 9),
            missing=self._vain.since_last(case),
            unpriced=live.unpriced + replayed.unpriced - before.live.unpriced - before.replayed.unpriced,
        )
        return calls_to_json(found)

    @pytest.hookimpl(optionalhook=True)
    def pytest_testnodedown(self, node: Any) -> None:
        """What a worker of pytest-xdist asked for in vain."""
        output = getattr(node, "workeroutput", None) or {}
        self._missing += read_told(output.get(_MISSING, "").encode("utf-8"))
        self._left.append(json.loads(output.get(_LEFT, "{}")))
        self._vain.told.append(output.get(_OUTSIDE, ""))
        self._trouble += [each for each in json.loads(output.get(_TROUBLE, "[]")) if each not in self._trouble]

    def lacked(self) -> tuple[MissingEntry, ...]:
        """What this process and its workers asked for in vain, so far."""
        return joined([*self._missing, *self._session.missing_entries()])

    def pytest_sessionfinish(self) -> None:
        self._settle()
        missing = self._session.missing_entries()
        output: dict[str, Any] | None = getattr(self._config, "workeroutput", None)
        if output is not None:
            output[_MISSING] = to_bytes(missing).decode("utf-8") if missing else ""
            output[_TROUBLE] = json.dumps([*self._trouble, *self._interception.problems()])
            output[_OUTSIDE] = self._vain.outside()
            output[_LEFT] = json.dumps(self._session.left(self.wide.names, self._stopped))
            return
        path = self._config.getoption("--gate-missing")
        if path is not None:
            kept, left = fitting(self.lacked())
            self._trouble += [f"can't be recorded by `gate record --requests`: {each}" for each in left[:_NAMED]]
            if len(left) > _NAMED:
                self._trouble.append(f"and {len(left) - _NAMED:,} more requests of such kinds")
            with contextlib.suppress(GateError):
                write_missing(self._config.invocation_params.dir / path, kept)

    def pytest_keyboard_interrupt(self) -> None:
        """Somebody stopped the run: the next recording goes on from it."""
        self._whole = False

    @pytest.hookimpl(trylast=True)
    def pytest_unconfigure(self) -> None:
        self._interception.remove()
        self._outside.restore()
        self._shared.remove()
        try:
            self._session.end_left(self._left)
            self._session.finish(whole=self._whole)
        except GateError as error:
            sys.stderr.write(f"recordings: {error}\n")

    def pytest_terminal_summary(self, terminalreporter: Any) -> None:
        for notice in dict.fromkeys((*self._session.notices, *self._interception.problems(), *self._trouble)):
            terminalreporter.write_line(f"recordings: {notice}")
        for case in self._session.kept:
            why = "a call had no answer, or it was skipped or failed before it asked"
            terminalreporter.write_line(f"recordings: the older answers of {case} were kept: {why}")
