"""Trials of one marked test while something stands in a target: each is made, judged and cleaned up at once."""

from __future__ import annotations

import contextlib
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from enum import StrEnum
from typing import TYPE_CHECKING, Any

import pytest

from gate.errors import GateError
from gate.record.plugin import marker as stochastic
from gate.record.plugin.attempt import SCOPE, Attempt, Attempts, excerpt_of
from gate.record.plugin.mutation.quick import Stay, is_quick
from gate.record.plugin.timed import TimedTrials, pytest_timeout_of
from gate.trials.loop import EXCERPT_LENGTH, Result

if TYPE_CHECKING:
    from gate.record.plugin.calls import Calls
    from gate.record.plugin.mutation.prepare import Prompted
    from gate.record.plugin.mutation.quick_bench import QuickBench
    from gate.record.plugin.mutation.shared import Shared

Change = str | Callable[[str], str]


class Seen(StrEnum):
    """How one trial ended."""

    PASSED = "passed"
    NOTICED = "noticed"
    UNREACHABLE = "unreachable"
    """An infrastructure error: no trial."""
    LACKED = "lacked"
    """A request had no answer: nothing stored, or a limit was reached."""
    SKIPPED = "skipped"
    SPOILT = "spoilt"
    """The mutant could not be put in its place, or the test put something else there."""


@dataclass(frozen=True, slots=True)
class Trial:
    """One trial.

    Attributes:
        excerpt: of what went wrong; untrusted text.
        wait: seconds that the provider asks to wait before the next one; None where it names none.
    """

    seen: Seen
    excerpt: str = ""
    timed_out: bool = False
    wait: float | None = None


PASSED = Trial(Seen.PASSED)


class TrialMaker:
    """Makes trials of marked tests, one test and target at a time.

    Args:
        timer: interrupts a trial that takes too long.
        timeout: seconds of one trial, where its test names none.
        calls: what knows of requests without an answer.
    """

    def __init__(self, timer: TimedTrials, shared: Shared, calls: Calls | None, timeout: float) -> None:
        self._timer = timer
        self._shared = shared
        self._calls = calls
        self._timeout = timeout
        self._making: Callable[[], None] | None = None
        self._quick: dict[int, bool] = {}
        self._staying: tuple[Stay, QuickBench] | None = None

    @property
    def busy(self) -> bool:
        """Whether the protocol of an item that begins now is the maker's."""
        return self._making is not None

    def protocol(self) -> None:
        """What the protocol of the item is, for the hook of the same name."""
        making, self._making = self._making, None
        assert making is not None  # noqa: S101  the hook asks `busy` first
        making()

    def make(self, item: pytest.Item, case: str, work: Callable[[Bench | QuickBench], None]) -> None:
        """Let `work` make trials of an item, within the protocol that pytest and its plugins give every test.

        Args:
            case: to which their calls belong.
            work: takes the bench on which it makes them.
        """
        if id(item) not in self._quick:
            self.rest()  # whose timer is no test's
            self._quick[id(item)] = is_quick(item)
        item.__dict__[SCOPE] = case
        try:
            if self._quick[id(item)]:
                bench = self._stay(item)
                bench.begin(case)
                with contextlib.nullcontext() if self._calls is None else self._calls.belonging(item):
                    work(bench)
                return
            self.rest()
            self._making = lambda: self._with_ceremony(item, case, work)
            item.ihook.pytest_runtest_protocol(item=item, nextitem=item)
        finally:
            item.__dict__.pop(SCOPE, None)
            self._making = None

    def _with_ceremony(self, item: pytest.Item, case: str, work: Callable[[Bench], None]) -> None:
        bench = Bench(item, case, self._calls, self._shared, self._timer)
        with self._timer.running(item, bench.attempts, self._limit(item)):
            leave(item.session, item)
            work(bench)

    def _stay(self, item: pytest.Item) -> QuickBench:
        """What stands around the trials of a test, until those of another one are made."""
        if self._staying is not None and self._staying[0].item is item:
            return self._staying[1]
        from gate.record.plugin.mutation.quick_bench import QuickBench

        self.rest()
        leave(item.session, item)
        asked = stochastic.asked_of(item)
        declared = () if asked is None else asked.infrastructure
        attempts = Attempts(item, item, declared, lambda: False)
        stay = Stay(item, self._limit(item))
        self._staying = stay, QuickBench(stay, attempts, declared, self._calls, self._shared)
        stay.open()
        return self._staying[1]

    def rest(self) -> None:
        """End what stands around the trials of the last test, as another one follows, or none."""
        if self._staying is not None:
            stay, bench = self._staying
            self._staying = None
            bench.end()
            stay.close()

    def _limit(self, item: pytest.Item) -> float | None:
        asked = stochastic.asked_of(item)
        if asked is not None and asked.timeout is not None:
            return asked.timeout
        others = pytest_timeout_of(item)
        return others if others is not None else self._timeout


class Bench:
    """One test with fixtures of its own for each trial."""

    def __init__(self, item: pytest.Item, case: str, calls: Calls | None, shared: Shared, timer: TimedTrials) -> None:
        self.item = item
        self.case = case
        self._calls = calls
        self._shared = shared
        self._timer = timer
        asked = stochastic.asked_of(item)
        self.attempts = Attempts(
            item,
            item,
            () if asked is None else asked.infrastructure,
            timer.fired,
            (lambda number: "") if calls is None else (lambda number: calls.trouble(case, number)),
            case,
        )

    def trial(self, number: int, prompted: Prompted | None = None, change: Change = "") -> Trial:
        """One trial.

        Args:
            prompted: the target in which `change` stands meanwhile; None leaves every prompt alone.
        """
        failed: list[str] = []
        with self._shared.trial(alone=prompted is not None and prompted.in_file):
            try:
                with changed(prompted, change, failed) as placed:
                    attempt = self.attempts.run_whole(number)
            except GateError as error:
                return Trial(Seen.SPOILT, str(error)[:EXCERPT_LENGTH])
        if failed:
            return Trial(Seen.SPOILT, failed[0][:EXCERPT_LENGTH])
        if placed is not None and placed.disturbed:
            return Trial(Seen.SPOILT, "the test itself puts another prompt into the target while it runs")
        lacked = "" if self._calls is None else self._calls.trouble(self.case, number)
        return Trial(Seen.LACKED, lacked) if lacked else judge(attempt)


def judge(attempt: Attempt) -> Trial:
    """How a trial ended that was made and torn down."""
    result, last = attempt.result, attempt.reports[-1]
    assert result is not None  # noqa: S101  it was made
    if result.result is Result.PASSED and last.failed:  # the tear-down
        only = attempt.unreachable and not attempt.broken
        return Trial(Seen.UNREACHABLE if only else Seen.NOTICED, excerpt_of(last), wait=attempt.wait)
    if result.result is Result.PASSED:
        return PASSED
    skipped = any(each.skipped and not hasattr(each, "wasxfail") for each in attempt.reports)
    if result.result is Result.INFRASTRUCTURE:
        return Trial(Seen.UNREACHABLE if attempt.unreachable else Seen.SKIPPED, result.excerpt, wait=attempt.wait)
    if result.result is Result.ABANDONED and skipped:
        return Trial(Seen.SKIPPED, result.excerpt)
    return Trial(Seen.NOTICED, result.excerpt, result.result is Result.TIMED_OUT)


def leave(session: Any, following: pytest.Item | None) -> None:
    """End the fixtures that the next test does not share; an error of theirs is nobody's verdict."""
    with contextlib.suppress(Exception):
        session._setupstate.teardown_exact(following)


@contextlib.contextmanager
def changed(prompted: Prompted | None, change: Change, failed: list[str]) -> Iterator[Any]:
    """The change in its target; what it can't do within the test is told apart from the test's own failures."""
    if prompted is None:
        yield None
        return

    def told(text: str) -> str:
        assert not isinstance(change, str)  # noqa: S101
        try:
            return change(text)
        except GateError as error:
            failed.append(str(error))
            raise

    with prompted.target.replaced(change if isinstance(change, str) else told) as placed:
        yield placed
