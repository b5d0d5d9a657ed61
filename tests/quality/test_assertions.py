"""Error rates and calls of the assertions, exactly where that is possible, beside a plain test of the same thing.

The plain tests are what such assertions usually run: Wald's ratio at its nominal bounds, where its sign decides at the
cap; and McNemar's exact test of thirty pairs. Clastogen 0.10 decides so. `benchmarks/assertions.py` measures it itself.
"""

from __future__ import annotations

import random
from functools import cache
from math import comb, log

import pytest

from gate.assertions import RegressionResult, evaluate_pass_rate, evaluate_regression
from gate.stats.mcnemar import exact_one_sided
from gate.stats.one_sample import RateTest, rate_test
from gate.stats.paired_rates import PairTest, pair_test

RATES = (1.0, 0.95, 0.90, 0.85, 0.80, 0.70, 0.50)
CANDIDATES = (0.90, 0.80, 0.70, 0.50, 0.40)
RUNS = 3_000
FIVE_SIGMA = 5.0


@cache
def rate_design() -> RateTest:
    test = rate_test(0.90, 0.20, alpha=0.05, beta=0.05, cap=50)
    assert isinstance(test, RateTest)
    return test


@cache
def pair_design() -> PairTest:
    test = pair_test(0.30, alpha=0.05, beta=0.05, cap=60)
    assert isinstance(test, PairTest)
    return test


def plain_wald(rate: float) -> tuple[float, float]:
    """Chance to fail, and mean calls, of .90 against .70 at five per cent and fifty calls."""
    bound, a_pass, a_fail = log(19), log(0.7 / 0.9), log(3)
    failed, mean, going = 0.0, 0.0, {0: 1.0}
    for trials in range(1, 51):
        mean += sum(going.values())
        after: dict[int, float] = {}
        for passes, chance in going.items():
            after[passes + 1] = after.get(passes + 1, 0.0) + chance * rate
            after[passes] = after.get(passes, 0.0) + chance * (1 - rate)
        going = {}
        for passes, chance in after.items():
            ratio = passes * a_pass + (trials - passes) * a_fail
            if ratio >= bound or (trials == 50 and ratio > 0):
                failed += chance
            elif ratio > -bound:
                going[passes] = chance
    return failed, mean


def plain_mcnemar(baseline: float, candidate: float) -> float:
    """Chance that thirty pairs of independent calls are significant at five per cent."""
    breaks, fixes = baseline * (1 - candidate), (1 - baseline) * candidate
    return sum(
        comb(30, broke)
        * comb(30 - broke, fixed)
        * breaks**broke
        * fixes**fixed
        * (1 - breaks - fixes) ** (30 - broke - fixed)
        for broke in range(31)
        for fixed in range(31 - broke)
        if exact_one_sided(broke, fixed) < 0.05
    )


@pytest.mark.parametrize("rate", RATES)
def test_a_pass_rate_is_judged_better_and_sooner_than_by_the_plain_test(rate: float) -> None:
    ours, (failed, mean) = rate_design().operating(rate), plain_wald(rate)
    assert ours.trials <= mean
    if rate >= 0.90:
        assert ours.below <= 0.05
    else:
        assert ours.below >= failed
    if rate <= 0.70:
        assert ours.holds <= 0.05


@pytest.mark.parametrize("candidate", CANDIDATES)
def test_a_regression_is_found_more_often_and_sooner_than_by_thirty_pairs(candidate: float) -> None:
    ours = pair_design().operating(0.9 * (1 - candidate), 0.1 * candidate)
    assert 2 * ours.pairs < 60
    if candidate == 0.90:
        assert ours.regression <= 0.05
        assert 2 * ours.pairs < 43
    else:
        assert ours.regression >= plain_mcnemar(0.90, candidate)
    if candidate == 0.50:
        assert 2 * ours.pairs < 43
    if candidate <= 0.60:
        assert ours.holds <= 0.05


@pytest.mark.parametrize("rate", [1.0, 0.99, 0.95, 0.90, 0.85, 0.80, 0.75, 0.60, 0.50, 0.30, 0.0])
def test_an_unchanged_candidate_is_failed_at_most_five_times_in_a_hundred_at_every_rate(rate: float) -> None:
    assert pair_design().operating(rate * (1 - rate), rate * (1 - rate)).regression <= 0.05


def simulated_rate(rate: float, runs: int) -> tuple[float, float]:
    """Share of failures and mean calls of the public function."""
    draw = random.Random(20).random
    found = [evaluate_pass_rate(lambda: draw() < rate) for _ in range(runs)]
    return sum(not result.passed for result in found) / runs, sum(result.calls for result in found) / runs


def simulated_pairs(baseline: float, candidate: float, runs: int) -> list[RegressionResult]:
    draw = random.Random(21).random
    return [evaluate_regression(lambda: draw() < baseline, lambda: draw() < candidate) for _ in range(runs)]


@pytest.mark.parametrize("rate", [0.90, 0.80])
def test_the_public_function_does_what_was_computed_for_a_rate(rate: float) -> None:
    exact, (failed, mean) = rate_design().operating(rate), simulated_rate(rate, RUNS)
    assert abs(failed - exact.below) < FIVE_SIGMA * (exact.below * (1 - exact.below) / RUNS) ** 0.5
    assert abs(mean - exact.trials) < FIVE_SIGMA * 14 / RUNS**0.5


@pytest.mark.parametrize("candidate", [0.90, 0.70])
def test_the_public_function_does_what_was_computed_for_two(candidate: float) -> None:
    exact = pair_design().operating(0.9 * (1 - candidate), 0.1 * candidate)
    found = simulated_pairs(0.9, candidate, RUNS)
    failed = sum(result.regressed for result in found) / RUNS
    assert abs(failed - exact.regression) < FIVE_SIGMA * (exact.regression * (1 - exact.regression) / RUNS) ** 0.5
    assert abs(sum(result.sample_count for result in found) / RUNS - exact.pairs) < FIVE_SIGMA * 18 / RUNS**0.5


def test_pairs_of_different_items_that_depend_on_each_other_keep_the_level() -> None:
    """Items from certain to hopeless, each with one rate on both sides, half of the time with the very same outcome."""
    draw = random.Random(22).random
    wrong = 0
    for _ in range(RUNS):
        now: dict[str, tuple[float, float]] = {}

        def baseline(now: dict[str, tuple[float, float]] = now) -> bool:
            now["item"] = (draw(), draw())
            return now["item"][1] < now["item"][0]

        def candidate(now: dict[str, tuple[float, float]] = now) -> bool:
            rate, before = now["item"]
            return (before if draw() < 0.5 else draw()) < rate

        wrong += evaluate_regression(baseline, candidate).regressed
    assert wrong / RUNS <= 0.05


def test_the_same_items_cost_fewer_calls_than_independent_ones() -> None:
    """Where most pairs agree because the items decide, an unchanged candidate is done sooner."""
    test = pair_design()
    assert test.operating(0.02, 0.02).pairs < test.operating(0.09, 0.09).pairs
