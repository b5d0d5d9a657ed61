"""Asserts that a pass rate is as high as it should be, with as few calls as that takes."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Coroutine
from functools import lru_cache
from typing import Any, overload

from gate.assertions.arguments import (
    ArgumentError,
    Call,
    count,
    floor_and_tolerance,
    fraction,
    is_async,
    one_of,
    time_limit,
)
from gate.assertions.drive import Judge, Steps, ask, drive
from gate.assertions.results import PassRateResult, enforce, report
from gate.stats.intervals import wilson
from gate.stats.one_sample import RateTest, rate_test
from gate.stats.refusal import TooLittle

Trial = Callable[[], bool]
AsyncTrial = Callable[[], Awaitable[bool]]
Pending = Coroutine[Any, Any, PassRateResult]
_Asked = tuple[float, float, float, int, str | None]


@overload
def assert_pass_rate(
    trial: Trial = ...,
    min_rate: float = ...,
    tolerance: float = ...,
    confidence: float = ...,
    max_samples: int = ...,
    description: str | None = ...,
    *,
    timeout: None = ...,
    evaluator: Trial = ...,
) -> PassRateResult: ...
@overload
def assert_pass_rate(
    trial: AsyncTrial = ...,
    min_rate: float = ...,
    tolerance: float = ...,
    confidence: float = ...,
    max_samples: int = ...,
    description: str | None = ...,
    *,
    timeout: float | None = ...,
    evaluator: AsyncTrial = ...,
) -> Pending: ...
def assert_pass_rate(
    trial: Call | None = None,
    min_rate: float = 0.90,
    tolerance: float = 0.20,
    confidence: float = 0.95,
    max_samples: int = 50,
    description: str | None = None,
    *,
    timeout: float | None = None,
    evaluator: Call | None = None,
) -> PassRateResult | Pending:
    """Assert that a trial passes often enough.

    The trial is called until the answer is clear, at most `max_samples` times. A true rate of `min_rate` or more fails
    with chance at most 1 - confidence, exactly, the cap included. A true rate of `min_rate - tolerance` or less is said
    to hold with chance at most 1 - confidence; between both, either may happen. When the calls are used up before
    anything is clear, the assertion passes with an `UndecidedWarning`.

    Args:
        trial: called without arguments, returns True or False (a bool of NumPy will do, a number won't). With an async
            function, or any that returns an awaitable, the assertion is to be awaited: `await assert_pass_rate(...)`.
            What it raises is passed on: an error is no failed trial.
        min_rate: the rate that is good enough, a fraction strictly between 0 and 1.
        tolerance: how far below it the rate must have fallen to be found reliably, less than `min_rate`.
        confidence: strictly between .5 and 1.
        max_samples: calls at most.
        description: what is tested, for the messages.
        timeout: seconds a trial, for async functions alone; a longer one raises `TrialTimeoutError`.
        evaluator: another name of `trial`.

    Returns the result, with its counts.

    Raises:
        StatisticalAssertionError: the rate is below the floor; an AssertionError whose `result` has the counts.
        ArgumentError: a value outside its range, or so few calls that nothing could ever fail; a ValueError.
        OutcomeError: no callable, or a trial that returned no truth value; a TypeError.
    """
    __tracebackhide__ = True
    call, asked = (
        one_of("trial", trial, "evaluator", evaluator),
        (min_rate, tolerance, confidence, max_samples, description),
    )
    return _run(enforce, call, asked, timeout)


@overload
def evaluate_pass_rate(
    trial: Trial = ...,
    min_rate: float = ...,
    tolerance: float = ...,
    confidence: float = ...,
    max_samples: int = ...,
    description: str | None = ...,
    *,
    timeout: None = ...,
    evaluator: Trial = ...,
) -> PassRateResult: ...
@overload
def evaluate_pass_rate(
    trial: AsyncTrial = ...,
    min_rate: float = ...,
    tolerance: float = ...,
    confidence: float = ...,
    max_samples: int = ...,
    description: str | None = ...,
    *,
    timeout: float | None = ...,
    evaluator: AsyncTrial = ...,
) -> Pending: ...
def evaluate_pass_rate(
    trial: Call | None = None,
    min_rate: float = 0.90,
    tolerance: float = 0.20,
    confidence: float = 0.95,
    max_samples: int = 50,
    description: str | None = None,
    *,
    timeout: float | None = None,
    evaluator: Call | None = None,
) -> PassRateResult | Pending:
    """The result of `assert_pass_rate`, whatever it is: same arguments, but no failure and no warning."""
    call, asked = (
        one_of("trial", trial, "evaluator", evaluator),
        (min_rate, tolerance, confidence, max_samples, description),
    )
    return _run(report, call, asked, timeout)


def compute_wilson_interval(successes: int, total: int, confidence: float = 0.95) -> tuple[float, float]:
    """Wilson's (1927) interval of a rate, two-sided, as (lower, upper).

    Raises:
        ArgumentError: no trial, more successes than trials, or a confidence outside (0, 1); a ValueError.
    """
    trials = count("total", total)
    if not 0 <= successes <= trials:
        raise ArgumentError(f"successes are {successes!r}, but lie between 0 and {trials}", remedy="count them again")
    interval = wilson(successes, trials, fraction("confidence", confidence))
    if isinstance(interval, TooLittle):  # pragma: no cover  there is a trial
        raise ArgumentError(interval.reason)
    return interval.low, interval.high


def _run(judge: Judge[PassRateResult], call: Call, asked: _Asked, timeout: float | None) -> PassRateResult | Pending:
    __tracebackhide__ = True
    min_rate, tolerance, confidence, max_samples, description = asked
    floor, below = floor_and_tolerance(min_rate, tolerance)
    sure, cap = fraction("confidence", confidence, 0.5), count("max_samples", max_samples)
    seconds = time_limit(timeout, call)
    test = _test(floor, below, sure, cap)
    if isinstance(test, TooLittle):
        raise ArgumentError(test.reason, where=f"max_samples={cap}", remedy="raise max_samples")
    return drive(_steps(call, test, (floor, below, sure, cap, description)), judge, seconds, is_async=is_async(call))


def _steps(call: Call, test: RateTest, asked: _Asked) -> Steps[PassRateResult]:
    passes = trials = 0
    answer = None
    while answer is None:
        passed = yield from ask(call, "the trial", trials)
        trials += 1
        passes += passed
        answer = test.answer(passes, trials)
    low, high = compute_wilson_interval(passes, trials, asked[2])
    return PassRateResult(answer, passes, trials, low, high, *asked)


@lru_cache(maxsize=64)
def _test(min_rate: float, tolerance: float, confidence: float, cap: int) -> RateTest | TooLittle:
    return rate_test(min_rate, tolerance, alpha=1 - confidence, beta=1 - confidence, cap=cap)
