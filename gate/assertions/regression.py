"""Asserts that a candidate passes as often as a baseline, with as few calls as that takes."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Coroutine
from dataclasses import dataclass
from functools import lru_cache
from typing import Any, overload

from gate.assertions.arguments import ArgumentError, Call, count, fraction, is_async, one_of, time_limit
from gate.assertions.drive import Judge, Steps, ask, drive
from gate.assertions.results import RegressionResult, enforce, report
from gate.stats.intervals import paired_difference
from gate.stats.paired_rates import PairTest, independent_difference, pair_test
from gate.stats.refusal import TooLittle

Trial = Callable[[], bool]
AsyncTrial = Callable[[], Awaitable[bool]]
Pending = Coroutine[Any, Any, RegressionResult]
MAX_SAMPLES = 60


@dataclass(frozen=True, slots=True)
class _Asked:
    confidence: float
    max_samples: int
    paired: bool
    tolerance: float
    description: str | None


@overload
def assert_no_regression(
    baseline: Trial = ...,
    candidate: Trial = ...,
    confidence: float = ...,
    max_samples: int = ...,
    paired: bool = ...,
    description: str | None = ...,
    *,
    tolerance: float = ...,
    timeout: None = ...,
    baseline_fn: Trial = ...,
    candidate_fn: Trial = ...,
    sample_count: int | None = ...,
) -> RegressionResult: ...
@overload
def assert_no_regression(
    baseline: AsyncTrial = ...,
    candidate: AsyncTrial = ...,
    confidence: float = ...,
    max_samples: int = ...,
    paired: bool = ...,
    description: str | None = ...,
    *,
    tolerance: float = ...,
    timeout: float | None = ...,
    baseline_fn: AsyncTrial = ...,
    candidate_fn: AsyncTrial = ...,
    sample_count: int | None = ...,
) -> Pending: ...
def assert_no_regression(  # noqa: PLR0913  two names for each
    baseline: Call | None = None,
    candidate: Call | None = None,
    confidence: float = 0.95,
    max_samples: int = MAX_SAMPLES,
    paired: bool = True,
    description: str | None = None,
    *,
    tolerance: float = 0.30,
    timeout: float | None = None,
    baseline_fn: Call | None = None,
    candidate_fn: Call | None = None,
    sample_count: int | None = None,
) -> RegressionResult | Pending:
    """Assert that the candidate's pass rate is not below the baseline's.

    Both are called in turn, the baseline first, until the answer is clear: at most `max_samples` pairs, so twice as
    many calls. An unchanged or better candidate fails with chance at most 1 - confidence, whatever the rates are and
    however both calls of a pair depend on each other; the pairs must not depend on each other. A drop of `tolerance` or
    more is ruled out wrongly with chance at most 1 - confidence. When the pairs are used up before anything is clear,
    or a regression can't be reached any more, the assertion passes with an `UndecidedWarning`.

    Args:
        baseline, candidate: called without arguments, return True or False (a bool of NumPy will do, a number won't).
            With async functions, or any that return an awaitable, the assertion is to be awaited. What they raise is
            passed on: an error is no failed trial.
        confidence: strictly between .5 and 1.
        max_samples: pairs at most, that is calls of each function.
        paired: whether both functions see the same input in the same call, which makes the interval of the change
            narrower. The decision is the same: it is exact in both cases.
        description: what is tested, for the messages.
        tolerance: the drop that must not be overlooked, a fraction; a smaller one stops later.
        timeout: seconds a call, for async functions alone; a longer one raises `TrialTimeoutError`.
        baseline_fn, candidate_fn, sample_count: other names of `baseline`, `candidate` and `max_samples`.

    Returns the result, with its counts.

    Raises:
        StatisticalAssertionError: the rate fell; an AssertionError whose `result` has the counts.
        ArgumentError: a value outside its range, or so few pairs that nothing could ever fail; a ValueError.
        OutcomeError: no callable, or one that returned no truth value; a TypeError.
    """
    __tracebackhide__ = True
    calls = (
        one_of("baseline", baseline, "baseline_fn", baseline_fn),
        one_of("candidate", candidate, "candidate_fn", candidate_fn),
    )
    asked = _Asked(confidence, _pairs(max_samples, sample_count), paired, tolerance, description)
    return _run(enforce, calls, asked, timeout)


@overload
def evaluate_regression(
    baseline: Trial = ...,
    candidate: Trial = ...,
    confidence: float = ...,
    max_samples: int = ...,
    paired: bool = ...,
    description: str | None = ...,
    *,
    tolerance: float = ...,
    timeout: None = ...,
    baseline_fn: Trial = ...,
    candidate_fn: Trial = ...,
    sample_count: int | None = ...,
) -> RegressionResult: ...
@overload
def evaluate_regression(
    baseline: AsyncTrial = ...,
    candidate: AsyncTrial = ...,
    confidence: float = ...,
    max_samples: int = ...,
    paired: bool = ...,
    description: str | None = ...,
    *,
    tolerance: float = ...,
    timeout: float | None = ...,
    baseline_fn: AsyncTrial = ...,
    candidate_fn: AsyncTrial = ...,
    sample_count: int | None = ...,
) -> Pending: ...
def evaluate_regression(  # noqa: PLR0913  two names for each
    baseline: Call | None = None,
    candidate: Call | None = None,
    confidence: float = 0.95,
    max_samples: int = MAX_SAMPLES,
    paired: bool = True,
    description: str | None = None,
    *,
    tolerance: float = 0.30,
    timeout: float | None = None,
    baseline_fn: Call | None = None,
    candidate_fn: Call | None = None,
    sample_count: int | None = None,
) -> RegressionResult | Pending:
    """The result of `assert_no_regression`, whatever it is: same arguments, but no failure and no warning."""
    calls = (
        one_of("baseline", baseline, "baseline_fn", baseline_fn),
        one_of("candidate", candidate, "candidate_fn", candidate_fn),
    )
    asked = _Asked(confidence, _pairs(max_samples, sample_count), paired, tolerance, description)
    return _run(report, calls, asked, timeout)


def _pairs(max_samples: int, sample_count: int | None) -> int:
    """Pairs at most, under whichever name they were given."""
    if sample_count is None:
        return count("max_samples", max_samples)
    if max_samples not in (MAX_SAMPLES, sample_count):
        raise ArgumentError(
            f"max_samples is {max_samples!r} and sample_count {sample_count!r}, two names of one number",
            remedy="give max_samples alone",
        )
    return count("sample_count", sample_count)


def _run(
    judge: Judge[RegressionResult], calls: tuple[Call, Call], asked: _Asked, timeout: float | None
) -> RegressionResult | Pending:
    __tracebackhide__ = True
    confidence, tolerance = fraction("confidence", asked.confidence, 0.5), fraction("tolerance", asked.tolerance)
    seconds = time_limit(timeout, *calls)
    test = _test(tolerance, confidence, asked.max_samples)
    if isinstance(test, TooLittle):
        raise ArgumentError(test.reason, where=f"max_samples={asked.max_samples}", remedy="raise max_samples")
    return drive(_steps(calls, test, asked), judge, seconds, is_async=any(map(is_async, calls)))


def _steps(calls: tuple[Call, Call], test: PairTest, asked: _Asked) -> Steps[RegressionResult]:
    pairs = both = broke = fixed = 0
    answer = None
    while answer is None:
        before = yield from ask(calls[0], "the baseline", pairs)
        now = yield from ask(calls[1], "the candidate", pairs)
        pairs += 1
        if before and now:
            both += 1
        elif before:
            broke += 1
        elif now:
            fixed += 1
        answer = test.answer(broke, fixed, pairs)
    passed, passes = both + broke, both + fixed
    if asked.paired:
        effect = paired_difference(broke, fixed, pairs, asked.confidence)
    else:
        effect = independent_difference((passed, pairs), (passes, pairs), asked.confidence)
    if isinstance(effect, TooLittle):  # pragma: no cover  there is a pair
        raise ArgumentError(effect.reason)
    return RegressionResult(
        decision=answer,
        sample_count=pairs,
        baseline_successes=passed,
        candidate_successes=passes,
        broke=broke,
        fixed=fixed,
        p_value=test.level(broke, fixed),
        ci_lower=effect.interval.low,
        ci_upper=effect.interval.high,
        confidence=asked.confidence,
        max_samples=asked.max_samples,
        paired=asked.paired,
        tolerance=asked.tolerance,
        description=asked.description,
    )


@lru_cache(maxsize=64)
def _test(tolerance: float, confidence: float, cap: int) -> PairTest | TooLittle:
    return pair_test(tolerance, alpha=1 - confidence, beta=1 - confidence, cap=cap)
