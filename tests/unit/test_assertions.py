"""The assertions as a user meets them: names, messages, async trials, and everything that can't be worked with."""

from __future__ import annotations

import asyncio
import subprocess
import sys
import warnings
from collections.abc import Awaitable, Callable, Iterable
from functools import partial
from typing import Any

import numpy as np
import pytest

from gate.assertions import (
    StatisticalAssertionError,
    UndecidedWarning,
    assert_no_regression,
    assert_pass_rate,
    compute_wilson_interval,
    evaluate_pass_rate,
    evaluate_regression,
)

ON_THE_FENCE = [int(0.82 * n + 0.5) > int(0.82 * (n - 1) + 0.5) for n in range(1, 51)]
"""41 of 50, spread evenly: between the limits to the end."""


def yes() -> bool:
    return True


def no() -> bool:
    return False


def each(outcomes: Iterable[Any]) -> Callable[[], Any]:
    return iter(list(outcomes)).__next__


def as_async(call: Callable[[], Any]) -> Callable[[], Awaitable[Any]]:
    async def trial() -> Any:
        await asyncio.sleep(0)
        return call()

    return trial


def test_a_perfect_rate_is_settled_by_twelve_calls() -> None:
    calls: list[int] = []
    result = assert_pass_rate(lambda: not calls.append(1))
    assert (result.decision, result.passed, result.decided, result.observed_rate) == ("holds", True, True, 1.0)
    assert result.calls == result.sample_count == result.success_count == len(calls) == 12


def test_a_broken_rate_fails_after_three_calls_and_says_all_of_it() -> None:
    with pytest.raises(AssertionError) as caught:
        assert_pass_rate(no, min_rate=0.9, description="order intent")
    assert isinstance(caught.value, StatisticalAssertionError)
    assert caught.value.result == evaluate_pass_rate(no, description="order intent")
    assert str(caught.value).splitlines() == [
        "pass rate below 90 %: 'order intent'",
        "  found: 0 of 3 trials passed (0 %), 95 % interval 0 % to 56.1 % (as if their number had been fixed)",
        "  asked: 90 % or more to pass and 70 % or less to fail, each wrong at most 5 times in 100, "
        "in at most 50 trials",
        "  next: read the failed trials; if this rate will do, lower min_rate",
    ]


def test_a_regression_fails_and_says_all_of_it() -> None:
    with pytest.raises(StatisticalAssertionError, match="regression") as caught:
        assert_no_regression(yes, no, description="prompt v1 -> v3")
    assert str(caught.value).splitlines() == [
        "regression: the pass rate fell: 'prompt v1 -> v3'",
        "  found: the baseline passed 6 of 6 (100 %), the candidate 0 of 6 (0 %); "
        "6 pairs broke, 0 were fixed, p = 0.016",
        "  change: -100 points, 95 % interval -100 to -29 (as if their number had been fixed)",
        "  asked: to fail an unchanged candidate, or to rule out a drop of 30 points or more, "
        "wrongly at most 5 times in 100 each, in at most 60 pairs",
        "  next: read the pairs in which only the baseline passed; if the drop is meant, change the baseline",
    ]


def test_error_rates_of_odd_confidences_are_worded() -> None:
    assert "each wrong at most 2.5 times in 100," in evaluate_pass_rate(no, confidence=0.975).explain()
    assert "each wrong at most 10 times in 10,000," in evaluate_pass_rate(no, confidence=0.999).explain()


def test_what_holds_and_what_is_better_pass() -> None:
    result = assert_no_regression(yes, yes)
    assert (result.decision, result.calls, result.p_value, result.change) == ("holds", 24, 1.0, 0.0)
    assert result.ci_lower < 0 < result.ci_upper
    better = assert_no_regression(no, yes)
    assert (better.decision, better.fixed, better.change, better.regressed) == ("holds", 4, 1.0, False)
    assert "no regression of 30 points or more" in better.explain()
    assert "pass rate not below 90 %" in evaluate_pass_rate(yes).explain()


def test_baseline_and_candidate_are_called_in_turn_and_counted() -> None:
    calls: list[str] = []
    result = evaluate_regression(
        lambda: bool(calls.append("baseline") or len(calls) % 4 == 1), lambda: bool(calls.append("candidate"))
    )
    assert calls == ["baseline", "candidate"] * result.sample_count
    assert result.calls == len(calls)
    assert result.baseline_successes == result.broke == (result.sample_count + 1) // 2
    assert (result.candidate_successes, result.fixed) == (0, 0)
    assert result.baseline_rate == result.broke / result.sample_count


def test_paired_calls_have_the_narrower_interval_and_the_same_decision() -> None:
    outcomes = ([True, False] * 30, [True, False] * 30)
    results = [evaluate_regression(each(outcomes[0]), each(outcomes[1]), paired=paired) for paired in (True, False)]
    assert results[0].decision == results[1].decision == "holds"
    widths = [result.ci_upper - result.ci_lower for result in results]
    assert 0 < widths[0] < widths[1]


def test_an_undecided_assertion_passes_with_a_warning_and_its_twin_without() -> None:
    with pytest.warns(UndecidedWarning, match="raise max_samples") as caught:
        result = assert_pass_rate(each(ON_THE_FENCE))
    assert (result.decision, result.passed, result.decided, result.success_count) == ("undecided", True, False, 41)
    assert caught[0].filename == __file__
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert evaluate_pass_rate(each(ON_THE_FENCE)).decision == "undecided"
    with pytest.warns(UndecidedWarning, match="regression undecided"):
        assert_no_regression(each([True, False] * 30), each([False, True] * 30))


def test_the_warning_of_an_async_assertion_points_at_its_caller() -> None:
    async def main() -> None:
        await assert_pass_rate(as_async(each(ON_THE_FENCE)))

    with pytest.warns(UndecidedWarning) as caught:
        asyncio.run(main())
    assert caught[0].filename == __file__


def test_async_functions_give_the_same_result_when_awaited() -> None:
    trial = as_async(yes)
    wanted = evaluate_pass_rate(yes)

    def later() -> Awaitable[Any]:
        return trial()

    for call in (trial, partial(trial), later):
        assert asyncio.run(evaluate_pass_rate(call)) == wanted
        assert asyncio.run(assert_pass_rate(call)) == wanted
    with pytest.raises(StatisticalAssertionError, match="regression"):
        asyncio.run(assert_no_regression(as_async(yes), as_async(no)))
    assert asyncio.run(evaluate_regression(as_async(yes), as_async(no))) == evaluate_regression(yes, no)


def test_a_plain_baseline_may_meet_an_async_candidate() -> None:
    mixed: Any = evaluate_regression(yes, as_async(no))  # type: ignore[call-overload]
    assert asyncio.run(mixed) == evaluate_regression(yes, no)


def test_a_bool_of_numpy_is_an_outcome() -> None:
    assert evaluate_pass_rate(lambda: np.float64(0.9) > 0.8) == evaluate_pass_rate(yes)


@pytest.mark.parametrize(
    ("successes", "total", "wanted"),
    [(5, 10, (0.2366, 0.7634)), (0, 10, (0.0, 0.2775)), (10, 10, (0.7225, 1.0))],
)
def test_the_interval_of_wilson(successes: int, total: int, wanted: tuple[float, float]) -> None:
    assert compute_wilson_interval(successes, total) == pytest.approx(wanted, abs=5e-5)
    low, high = compute_wilson_interval(successes, total, confidence=0.99)
    assert low <= wanted[0] + 5e-5
    assert high >= wanted[1] - 5e-5


def test_results_can_not_be_changed() -> None:
    result: Any = evaluate_pass_rate(yes)
    with pytest.raises(AttributeError):
        result.decision = "below"


def test_the_package_gives_the_assertions_and_loads_them_when_asked() -> None:
    program = (
        "import sys, gate\n"
        "assert 'gate.assertions' not in sys.modules and 'gate.stats' not in sys.modules\n"
        "from gate import assert_pass_rate, assert_no_regression, evaluate_pass_rate, evaluate_regression\n"
        "assert gate.compute_wilson_interval(5, 10) == gate.compute_wilson_interval(5, total=10)\n"
        "assert assert_pass_rate(lambda: True).passed and 'numpy' not in sys.modules\n"
        "assert not hasattr(gate, 'assert_everything')\n"
    )
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
