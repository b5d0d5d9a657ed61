"""What the assertions are given and can't work with: outcomes, errors, endless trials, arguments."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from typing import Any

import numpy as np
import pytest

from gate.assertions import (
    ArgumentError,
    OutcomeError,
    TrialTimeoutError,
    assert_no_regression,
    assert_pass_rate,
    compute_wilson_interval,
    evaluate_pass_rate,
    evaluate_regression,
)
from gate.errors import GateError


def yes() -> bool:
    return True


def no() -> bool:
    return False


def as_async(call: Callable[[], Any]) -> Callable[[], Awaitable[Any]]:
    async def trial() -> Any:
        await asyncio.sleep(0)
        return call()

    return trial


@pytest.mark.parametrize(
    ("returned", "shown"),
    [
        (1, "1 (int)"),
        (0.9, "0.9 (float)"),
        (None, "None"),
        ("yes", "'yes' (str)"),
        (np.int64(1), "int64"),
        ("x" * 200, "... (str)"),
    ],
)
def test_a_trial_that_returns_no_bool_is_refused(returned: object, shown: str) -> None:
    call: Any = lambda: returned  # noqa: E731
    with pytest.raises(OutcomeError, match="has to return True or False") as caught:
        assert_pass_rate(call)
    assert isinstance(caught.value, TypeError)
    assert isinstance(caught.value, GateError)
    assert shown in caught.value.message
    assert len(caught.value.message) < 150
    with pytest.raises(OutcomeError, match=r"the candidate returned .* in call 1"):
        assert_no_regression(yes, call)


def test_a_value_that_can_not_be_shown_is_named_by_its_type() -> None:
    class Opaque:
        def __repr__(self) -> str:
            raise RuntimeError("no")

    call: Any = Opaque
    with pytest.raises(OutcomeError, match="returned a Opaque"):
        assert_pass_rate(call)


def test_what_a_trial_raises_is_passed_on_with_a_note() -> None:
    def broken() -> bool:
        if calls.append(1) or len(calls) == 3:
            raise ConnectionError("rate limited")
        return True

    for run in (assert_pass_rate, lambda call: asyncio.run(assert_pass_rate(as_async(call)))):
        calls: list[int] = []
        with pytest.raises(ConnectionError, match="rate limited") as caught:
            run(broken)
        assert caught.value.__notes__ == [
            "the trial raised this in call 3; an error is no failed trial, so nothing was decided"
        ]


@pytest.mark.parametrize("later", [True, False])
def test_an_error_before_the_first_await_is_passed_on_too(later: bool) -> None:
    def trial() -> Any:
        if calls.append(1) or (later and len(calls) < 3):
            return as_async(yes)()
        raise ConnectionError("refused")

    calls: list[int] = []
    with pytest.raises(ConnectionError) as caught:
        asyncio.run(assert_pass_rate(trial))
    assert f"in call {len(calls)};" in caught.value.__notes__[0]


def test_a_trial_that_never_returns_is_given_up_as_no_trial() -> None:
    async def hangs() -> bool:
        await asyncio.sleep(3600)
        return True

    with pytest.raises(TrialTimeoutError, match=r"longer than 0\.01 seconds") as caught:
        asyncio.run(assert_pass_rate(hangs, timeout=0.01))
    assert isinstance(caught.value, TimeoutError)
    assert asyncio.run(evaluate_pass_rate(as_async(yes), timeout=60)).decision == "holds"


def test_a_time_out_of_the_trial_itself_stays_its_own() -> None:
    async def impatient() -> bool:
        raise TimeoutError("the client's")

    with pytest.raises(TimeoutError, match="the client's") as caught:
        asyncio.run(assert_pass_rate(impatient, timeout=60))
    assert not isinstance(caught.value, TrialTimeoutError)


def test_a_time_limit_needs_trials_that_can_be_stopped() -> None:
    call: Any = yes
    with pytest.raises(ArgumentError, match="needs async functions"):
        assert_pass_rate(call, timeout=1)

    class Agent:
        async def __call__(self) -> bool:
            return True

    assert asyncio.run(evaluate_pass_rate(Agent(), timeout=60)).decision == "holds"


@pytest.mark.parametrize(
    ("name", "value"),
    [
        *[("min_rate", value) for value in (0, 1, 1.0, -0.5, 90, "0.9", None, True, float("nan"))],
        *[("tolerance", value) for value in (0, 1, 0.9, 0.95, "x")],
        *[("confidence", value) for value in (0, 0.5, 1, 95)],
        *[("max_samples", value) for value in (0, -1, 1, 2.5, "50", True, None)],
        *[("timeout", value) for value in (0, -1, float("inf"), "1")],
    ],
)
def test_arguments_outside_their_range_are_named(name: str, value: object) -> None:
    call: Any = as_async(yes)
    with pytest.raises(ArgumentError, match=name) as caught:
        assert_pass_rate(call, **{name: value})
    assert isinstance(caught.value, ValueError)
    assert caught.value.remedy


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("confidence", 0.5),
        ("confidence", 1),
        ("tolerance", 0),
        ("tolerance", 1),
        ("max_samples", 0),
        ("max_samples", 4),
    ],
)
def test_arguments_of_a_comparison_too(name: str, value: object) -> None:
    asked: Any = {name: value}
    with pytest.raises(ArgumentError, match=name):
        assert_no_regression(yes, yes, **asked)


def test_a_number_of_samples_with_which_nothing_could_fail_says_how_many_could() -> None:
    with pytest.raises(ArgumentError, match="2 would be"):
        assert_pass_rate(no, max_samples=1)
    with pytest.raises(ArgumentError, match="5 would be"):
        assert_no_regression(yes, no, max_samples=4)
    assert not evaluate_pass_rate(no, max_samples=2).passed
    assert evaluate_regression(yes, no, max_samples=5).regressed


@pytest.mark.parametrize("given", [{}, {"trial": yes, "evaluator": yes}, {"trial": True}, {"evaluator": 3}])
def test_one_callable_is_needed(given: dict[str, Any]) -> None:
    with pytest.raises(OutcomeError, match="trial"):
        assert_pass_rate(**given)


def test_two_names_of_one_number_must_not_differ() -> None:
    assert evaluate_regression(yes, yes, sample_count=30).max_samples == 30
    assert evaluate_regression(yes, yes, max_samples=30, sample_count=30).max_samples == 30
    with pytest.raises(ArgumentError, match="two names of one number"):
        evaluate_regression(yes, yes, max_samples=40, sample_count=30)


def test_whole_numbers_and_fractions_of_numpy_are_taken() -> None:
    samples, rate = np.int64(50), np.float32(0.9)
    result = evaluate_pass_rate(yes, min_rate=float(rate), max_samples=int(samples))
    taken: Any = evaluate_pass_rate(yes, min_rate=rate, max_samples=samples)  # type: ignore[arg-type]
    assert taken == result
    assert type(taken.max_samples) is int


@pytest.mark.parametrize("wrong", [(0, 0), (11, 10), (-1, 10), (5, 10, 1.0), (5, 10, 0.0), (5, 2.5)])
def test_the_interval_needs_counts(wrong: tuple[Any, ...]) -> None:
    with pytest.raises(ArgumentError):
        compute_wilson_interval(*wrong)
