"""One trial of a pytest item after the other: each with its own set-up, call and tear-down.

A trial is torn down only when it is known whether another one follows, since the last tear-down also ends the fixtures
of wider scopes that the next test does not share.
"""

from __future__ import annotations

import contextlib
import copy
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from typing import Any

import pytest
from _pytest.runner import call_and_report

from gate.record.plugin.marker import Errors
from gate.record.plugin.pauses import asked_for
from gate.record.recordings.exchange import Scope
from gate.record.recordings.scope import entered
from gate.trials.infrastructure import is_infrastructure
from gate.trials.loop import EXCERPT_LENGTH, Result, TrialResult

SCOPE = "_gate_scope"
"""On an item whose trials belong to another case than the test itself: that case."""
PRISTINE = "_gate_parameters"
"""On an item that is run before its trials: `mutable_parameters` as they were before that."""


@dataclass(slots=True)
class Attempt:
    """What pytest reported of one trial.

    Attributes:
        reports: of set-up, subtests, call and tear-down, in order; nobody has been told of them.
        result: None until the call has ended.
    """

    reports: list[pytest.TestReport] = field(default_factory=list)
    result: TrialResult | None = None
    broken: list[str] = field(default_factory=list)
    """Excerpts of failures that are no infrastructure errors."""
    unreachable: list[str] = field(default_factory=list)
    """Excerpts of infrastructure errors."""
    wait: float | None = None
    """Seconds that the last of these asks to wait, where it names any."""

    def note(self, call: pytest.CallInfo[Any], report: pytest.TestReport, declared: Errors) -> None:
        """Take what a phase or subtest raised; the exception itself is not kept, since it holds whole frames."""
        if call.excinfo is None or (report.skipped and isinstance(call.excinfo.value, pytest.skip.Exception)):
            if report.failed:  # a strict xfail that passed
                self.broken.append(excerpt_of(report))
            return
        if is_infrastructure(call.excinfo.value, declared):
            self.unreachable.append(f"{type(call.excinfo.value).__name__}: {call.excinfo.value}"[:EXCERPT_LENGTH])
            self.wait = asked_for(call.excinfo.value)
        elif report.failed:
            self.broken.append(excerpt_of(report))


class Attempts:
    """The trials of one item.

    Args:
        item: of which every trial is made anew, but for what wider scopes hold.
        nextitem: the test that comes afterwards.
        declared: types of errors that are no trials, beside the known ones.
        fired: whether the time limit struck since the trial began.
        lacked: what the calls of a trial asked for in vain; empty for nothing.
        case: to which the calls of its trials belong; the test itself by default.
    """

    def __init__(
        self,
        item: pytest.Item,
        nextitem: pytest.Item | None,
        declared: Errors,
        fired: Callable[[], bool],
        lacked: Callable[[int], str] = lambda number: "",
        case: str = "",
    ) -> None:
        self._item = item
        self._nextitem = nextitem
        self._declared = declared
        self._fired = fired
        self._lacked = lacked
        self._case = case or item.nodeid
        self._number = 0
        self._properties = list(item.user_properties)
        self._parameters = mutable_parameters(item)
        self._open: Attempt | None = None
        self._noting: Attempt | None = None
        self._failed: pytest.TestReport | None = None
        self.first: dict[Result, Attempt] = {}
        """The first trial that ended so, by how it ended."""
        self.expected: Attempt | None = None
        """The first trial that failed as an `xfail` mark or `pytest.xfail` expects."""
        self.made = 0
        self.seconds = 0.0
        self.shared: tuple[str, ...] = ()

    def note(self, call: pytest.CallInfo[Any], report: pytest.TestReport) -> None:
        """Take what a phase of the running trial raised, from the hook that makes reports."""
        if self._noting is not None:
            self._noting.note(call, report, self._declared)

    def run_once(self, number: int) -> TrialResult:
        """Make the trial of this number."""
        if self._open is not None:
            self._tear_down(self._open, copy.copy(self._item))  # to other plugins the next trial is the next test
            if self._failed is not None:
                return TrialResult(Result.ABANDONED, excerpt_of(self._failed))
        self.renew()
        self.made += 1
        self._number = number
        attempt = self._open = self._noting = Attempt()
        with entered(Scope(self._case, number)), _intercepted(self._item, attempt.reports.append):
            setup = call_and_report(self._item, "setup", log=False)
            attempt.reports.insert(0, setup)
            if setup.passed:
                attempt.reports.append(call_and_report(self._item, "call", log=False))
        self.shared = shared_fixtures(self._item) or self.shared
        result = attempt.result = self._result(attempt, first=number == 0 and self.made == 1)
        self.first.setdefault(result.result, attempt)
        if result.result is Result.FAILED and any(map(_is_xfailed, attempt.reports)):
            self.expected = self.expected or attempt
        return result

    def record_once(self, number: int) -> None:
        """Make the trial of this number for what it asks alone: how it ends is not told with the test."""
        first, expected = dict(self.first), self.expected
        self.run_once(number)
        self.first, self.expected = first, expected

    def run_whole(self, number: int) -> Attempt:
        """Make the trial of this number and tear it down at once, as if another one of the same test followed.

        Its `result` is that of set-up and call; what the tear-down said is its last report.
        """
        self.run_once(number)
        attempt = self._open
        assert attempt is not None  # noqa: S101  nothing is open before, so that the trial was made
        self._tear_down(attempt, copy.copy(self._item))
        self._failed = None  # the next trial has nothing to do with it
        return attempt

    def finish(self) -> pytest.TestReport | None:
        """End the last trial and what the next test does not share; the first report of a tear-down that failed."""
        session: Any = self._item.session
        following = None if session.shouldfail or session.shouldstop else self._nextitem
        if self._open is not None:
            self._tear_down(self._open, following)
        else:  # no trial is open, but wider scopes may be, of this test or of the one before
            call = pytest.CallInfo.from_call(lambda: session._setupstate.teardown_exact(following), when="teardown")
            if call.excinfo is not None:
                report = self._item.ihook.pytest_runtest_makereport(item=self._item, call=call)
                self._failed = self._failed or report
        return self._failed

    def _tear_down(self, attempt: Attempt, following: pytest.Item | None) -> None:
        self._open = None
        item: Any = self._item
        try:
            with entered(Scope(self._case, self._number)), _intercepted(item, attempt.reports.append):
                report = call_and_report(item, "teardown", log=False, nextitem=following)
        finally:
            self._noting = None
            if hasattr(item, "_request"):
                item._request = False
                item.funcargs = None
        attempt.reports.append(report)
        self.seconds += sum(each.duration for each in attempt.reports if each.when in ("setup", "call", "teardown"))
        if report.failed:
            self._failed = self._failed or report
        elif _is_xfailed(report):
            self.expected = self.expected or attempt

    def renew(self) -> None:
        """Everything that pytest keeps on an item and that a trial could leave to the next one."""
        item: Any = self._item
        if hasattr(item, "_request") and not item._request:
            item._initrequest()
        bound = getattr(item, "_instance", None) is not None or _is_bound(item.__dict__.get("_obj"))
        if bound and isinstance(item.parent, pytest.Class):  # also before the first: the item may have been run before
            item.__dict__.pop("_instance", None)
            item._obj = None
        item.user_properties[:] = self._properties
        item._report_sections = []
        forget_failed_subtests(item)
        for name, pristine in self._parameters.items():
            item.callspec.params[name] = copy.deepcopy(pristine)

    def _result(self, attempt: Attempt, *, first: bool) -> TrialResult:
        setup = attempt.reports[0]
        lacked = self._lacked(self._number)
        if lacked:  # whatever the test made of it: what it asked was not answered
            return TrialResult(Result.ABANDONED, lacked)
        if self._fired():
            told = next(iter(attempt.broken), "") or "the trial ran out of time"
            return TrialResult(Result.TIMED_OUT, told)
        subtest = next((each for each in attempt.reports if each.failed and each.when == "call"), None)
        if attempt.broken or (subtest is not None and not attempt.unreachable):
            told = attempt.broken[0] if attempt.broken else excerpt_of(subtest)
            return TrialResult(Result.ABANDONED if setup.failed else Result.FAILED, told)
        if attempt.unreachable:
            return TrialResult(Result.INFRASTRUCTURE, attempt.unreachable[0])
        xfailed = next(filter(_is_xfailed, attempt.reports), None)
        if xfailed is not None:  # the check did not hold, whatever was expected; `run=False` allows no trial at all
            return TrialResult(Result.ABANDONED if xfailed is setup and first else Result.FAILED, _expected(xfailed))
        last = attempt.reports[-1]
        if last.skipped:
            return TrialResult(Result.ABANDONED if first else Result.INFRASTRUCTURE, excerpt_of(last))
        return TrialResult(Result.PASSED)


def _is_xfailed(report: pytest.TestReport) -> bool:
    """Whether a phase or subtest failed as expected; pytest reports that as skipped."""
    return report.skipped and hasattr(report, "wasxfail")


def _expected(report: pytest.TestReport) -> str:
    return (excerpt_of(report) or f"expected failure: {report.wasxfail}")[:EXCERPT_LENGTH]


def _is_bound(function: Any) -> bool:
    """Whether a function, or what it wraps, is bound to an instance of its class."""
    while function is not None:
        if getattr(function, "__self__", None) is not None:
            return True
        function = getattr(function, "__wrapped__", None) or getattr(function, "_raw_test_func", None)
    return False


def excerpt_of(report: pytest.TestReport | None) -> str:
    """What went wrong, at most 300 characters; untrusted text."""
    if report is None or not report.longrepr:
        return ""
    crash = getattr(report.longrepr, "reprcrash", None)
    if crash is not None:
        return str(crash.message)[:EXCERPT_LENGTH]
    if isinstance(report.longrepr, tuple):  # a skip: file, line, reason
        return str(report.longrepr[-1])[:EXCERPT_LENGTH]
    return report.longreprtext.strip()[:EXCERPT_LENGTH]


def forget_failed_subtests(item: Any) -> None:
    """pytest 9 counts failed subtests a test, and would fail every later trial for those of an earlier one."""
    try:
        from _pytest.subtests import failed_subtests_key
    except ImportError:
        return
    counts = item.config.stash.get(failed_subtests_key, None)
    for key in (getattr(item, "id", None), item.nodeid):
        if counts is not None and key is not None:
            counts.pop(key, None)


def shared_fixtures(item: Any) -> tuple[str, ...]:
    """Names of the fixtures that all trials of the item share, because their scope is wider than one test."""
    definitions = getattr(getattr(item, "_request", None), "_fixture_defs", None) or {}
    names = set()
    for definition in definitions.values():
        if definition.scope == "function":
            continue
        name = str(definition.argname)
        for prefix in ("_xunit_", "_unittest_"):
            if name.startswith(prefix):
                names.add(name.removeprefix(prefix).partition("_fixture_")[0])
                break
        else:
            package = (getattr(definition.func, "__module__", None) or "").partition(".")[0]
            if not package.startswith(("_pytest", "pytest")) and package not in ("xdist", "anyio"):
                names.add(name)
    return tuple(sorted(names))


def mutable_parameters(item: Any) -> dict[str, Any]:
    """Parameters in plain containers, which a trial could change for the next one; others are taken as they are."""
    if PRISTINE in item.__dict__:
        return dict(item.__dict__[PRISTINE])
    callspec = getattr(item, "callspec", None)
    if callspec is None:
        return {}
    found = {}
    for name, value in callspec.params.items():
        scope = str(getattr(callspec, "_arg2scope", {}).get(name, "function"))
        if isinstance(value, list | dict | set | bytearray) and "function" in scope.lower():
            with contextlib.suppress(Exception):  # something inside may not be copied
                found[name] = copy.deepcopy(value)
    return found


class _Intercepting:
    """The hooks of an item, but that nobody is told of a report yet."""

    def __init__(self, relay: Any, take: Callable[[Any], None]) -> None:
        self._relay = relay
        self._take = take

    def __getattr__(self, name: str) -> Any:
        return getattr(self._relay, name)

    def pytest_runtest_logreport(self, *, report: Any) -> None:
        self._take(report)


@contextlib.contextmanager
def _intercepted(item: pytest.Item, take: Callable[[Any], None]) -> Iterator[None]:
    """Subtests report themselves at once; within this, `take` gets their reports instead."""
    session: Any = item.session
    relay_of = session.gethookproxy
    session.gethookproxy = lambda path: _Intercepting(relay_of(path), take)
    try:
        yield
    finally:
        del session.gethookproxy
