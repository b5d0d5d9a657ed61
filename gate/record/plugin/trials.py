"""Tests marked `stochastic` as trials: the design is asked after each, and the test is reported once."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

import pytest

from gate.errors import GateError
from gate.record.plugin import ending
from gate.record.plugin.attempt import SCOPE, Attempts
from gate.record.plugin.carrier import FACETS
from gate.record.plugin.marker import NAME, Asked, asked_of
from gate.record.plugin.source import fingerprint
from gate.record.plugin.timed import TimedTrials, pytest_timeout_of
from gate.schema.codec import trials_to_json
from gate.schema.report import Session, Trials
from gate.trials.carry import Carried
from gate.trials.designs import Fixed
from gate.trials.loop import Ending, TrialLoop, TrialsRun
from gate.trials.plan import Plan
from gate.trials.question import Posed, pose

if TYPE_CHECKING:
    from gate.record.plugin.calls import Calls
    from gate.record.plugin.inputs import InputsToday

ENTRY = "_gate_entry"
_SHORT = 7


@dataclass(frozen=True, slots=True)
class _Given:
    """What the trials of a test were answered from.

    Attributes:
        stored: of how many trials a replay has answers; 0 where that is no limit.
        answers, alike: as `gate.schema.report.Session` has them.
    """

    stored: int = 0
    answers: str = ""
    alike: int = 0


class TrialRunner(TimedTrials):
    """Stands in every process that runs tests.

    Args:
        plan: how many trials, and what they are compared with.
        timeout: seconds of one trial, where its marker names none.
        inputs: what digests a test's inputs; None when nothing carries over.
    """

    def __init__(self, config: pytest.Config, plan: Plan, timeout: float, inputs: InputsToday | None) -> None:
        super().__init__()
        self._config = config
        self._plan = plan
        self._timeout = timeout
        self._inputs = inputs
        self._designs: dict[Any, Any] = {}
        self._ordinary = any(config.getoption(name, False) for name in ("setuponly", "setupplan", "usepdb"))

    @pytest.hookimpl(tryfirst=True)
    def pytest_collection_modifyitems(self, items: list[pytest.Item]) -> None:
        """Before anybody deselects: what was collected was loaded."""
        if self._inputs is not None and any(item.get_closest_marker(NAME) is not None for item in items):
            earlier = [carried for entries in self._plan.carried.values() for carried in entries]
            self._inputs.begin(items, earlier)

    @pytest.hookimpl(tryfirst=True)
    def pytest_runtest_protocol(self, item: pytest.Item, nextitem: pytest.Item | None) -> bool | None:
        asked = None if self._ordinary or SCOPE in item.__dict__ else _asked(item)
        if asked is None:
            return None  # an ordinary test
        item.ihook.pytest_runtest_logstart(nodeid=item.nodeid, location=item.location)
        for report in self._measure(item, nextitem, asked):
            item.ihook.pytest_runtest_logreport(report=report)
        item.ihook.pytest_runtest_logfinish(nodeid=item.nodeid, location=item.location)
        return True

    def _measure(self, item: pytest.Item, nextitem: pytest.Item | None, asked: Asked) -> list[pytest.TestReport]:
        posed = self._pose(item, asked)
        carried = self._carried(item, asked)
        digest = fingerprint(item, asked)  # before a trial can change a parameter
        calls: Calls | None = self._config.pluginmanager.get_plugin("gate-calls")
        stored = calls.stored_trials(item.nodeid) if calls is not None and calls.gives else 0
        loop = TrialLoop(
            posed.design,
            cap=min(posed.cap, stored) if stored else posed.cap,
            s0=posed.s0,
            carried="" if carried is None else carried.outcomes,
            excerpt="" if carried is None else carried.excerpt,
        )
        attempts = Attempts(
            item,
            nextitem,
            asked.infrastructure,
            self.fired,
            (lambda number: "") if calls is None else (lambda number: calls.trouble(item.nodeid, number)),
        )
        if calls is not None and calls.gives:
            # as many as the baseline has, so that one round of recording decides as well as the baseline can
            calls.wants(item.nodeid, min(posed.cap, max(self._plan.fixed or self._plan.estimate, stored)))
        with self.running(item, attempts, self._limit(item, asked)):
            stored = _make(loop, attempts, item, calls, stored)
            answers = calls.same_answers(item.nodeid) if calls is not None else ""
            if calls is not None and calls.mode == "record":
                _record_on(loop, attempts, item, min(posed.cap, self._plan.fixed or self._plan.estimate))
            broken = attempts.finish()
        result = loop.result()
        if calls is not None and result.carried:
            calls.keep(item.nodeid)
        given = _Given(stored, answers, result.made if answers else 0)
        if answers and len(set(result.outcomes)) == 1:
            # one sample; where the same answers end differently, the code itself varies and each trial is a draw of it
            given = replace(given, stored=1)
            result = replace(result, outcomes=result.outcomes[:1], carried=0)
        reports = self._reports(item, asked, posed, result, attempts, broken, given)
        if calls is not None:
            calls.facet(item.nodeid, reports[-1])
        if digest:
            setattr(reports[-1], FACETS, {**getattr(reports[-1], FACETS), "fingerprint": digest})
        return reports

    def _reports(
        self,
        item: pytest.Item,
        asked: Asked,
        posed: Posed,
        run: TrialsRun,
        attempts: Attempts,
        broken: pytest.TestReport | None,
        given: _Given,
    ) -> list[pytest.TestReport]:
        xfailed = attempts.expected is not None
        judged = ending.judge(run, below=posed.below(run), regressed=posed.regressed(run), xfailed=xfailed)
        reports = ending.reports_of(item, run, attempts, judged)
        if broken is not None and reports[-1] is not broken:
            reports[-1] = broken
        facets = getattr(reports[-1], FACETS, {"stochastic": True})
        trials = self._trials(asked, posed, run, attempts.shared, given)
        if 0 < given.stored < posed.cap and len(run.outcomes) >= given.stored and run.answer == "undecided":
            trials = replace(trials, recorded=given.stored)
        setattr(reports[-1], FACETS, {**facets, "trials": trials_to_json(trials)})
        if self._inputs is not None and self._plan.fixed is None and broken is None:
            usual = all(not hasattr(report, "wasxfail") for report in reports)
            if usual and run.ending is not Ending.ABANDONED:
                setattr(reports[-1], ENTRY, self._inputs.entry(item, asked, run, self._session))
        return reports

    def _trials(self, asked: Asked, posed: Posed, run: TrialsRun, shared: tuple[str, ...], given: _Given) -> Trials:
        fixed = isinstance(posed.design, Fixed) and run.ending is Ending.ANSWERED
        session = Session(self._session, run.outcomes, fixed, given.answers, given.alike)
        sessions = (session,) if run.outcomes else ()
        return Trials(
            sessions,
            asked=asked.deciding(),
            errors=run.errors,
            timed_out=run.timed_out,
            shared=shared,
            carried=run.carried,
            excerpt=run.excerpt,
        )

    @property
    def _session(self) -> str:
        return self._plan.session or str(self._config.getoption("--gate-commit", ""))[:_SHORT]

    def _pose(self, item: pytest.Item, asked: Asked) -> Posed:
        try:
            return pose(self._plan, item.nodeid, asked, self._designs)
        except ValueError as error:
            raise pytest.UsageError(f"{item.nodeid}: the plan asks what can't be answered: {error}") from None

    def _carried(self, item: pytest.Item, asked: Asked) -> Carried | None:
        earlier = self._plan.carried.get(item.nodeid, ())
        return self._inputs.recall(item, asked, earlier) if self._inputs is not None and earlier else None

    def _limit(self, item: pytest.Item, asked: Asked) -> float | None:
        """Seconds of one trial: of the marker, else of pytest-timeout, which would take all trials for one test."""
        others = pytest_timeout_of(item)
        return asked.timeout if asked.timeout is not None else others if others is not None else self._timeout


def _make(loop: TrialLoop, attempts: Attempts, item: pytest.Item, calls: Calls | None, stored: int) -> int:
    """Make trials until the loop wants no more; of how many a replay has answers, the first trial shows."""
    while loop.wants_more and not (item.session.shouldstop or item.session.shouldfail):
        loop.tell(attempts.run_once(loop.number))
        if calls is not None and stored and loop.result().made == 1:
            stored = calls.answering_trials(item.nodeid)
            loop.limit(stored)
    return stored


def _record_on(loop: TrialLoop, attempts: Attempts, item: pytest.Item, count: int) -> None:
    """Record as many trials as a sample for the baseline has, where fewer decided: a later replay may need them.

    How they end is no matter of the decision, which a replay of what is stored repeats from the trials that made it.
    """
    result = loop.result()
    if result.ending is not Ending.ANSWERED or result.carried:
        return
    for number in range(result.made, count):
        if item.session.shouldstop or item.session.shouldfail:
            return
        attempts.record_once(number)


def _asked(item: pytest.Item) -> Asked | None:
    try:
        return asked_of(item)
    except GateError as error:  # a marker that was added after the collection
        raise pytest.UsageError(str(error)) from None
