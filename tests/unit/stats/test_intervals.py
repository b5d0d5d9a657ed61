"""Intervals against SciPy, the formulas of their papers, and their coverage summed exactly."""

from __future__ import annotations

from math import comb, sqrt

import pytest
from scipy import stats

from gate.stats.intervals import (
    Effect,
    Interval,
    clopper_pearson,
    lower_bound,
    paired_difference,
    upper_bound,
    wilson,
)
from gate.stats.refusal import TooLittle

SAMPLES = [(0, 1), (1, 1), (0, 7), (7, 7), (3, 10), (48, 50), (50, 50), (59, 60), (500, 1_000), (99_990, 100_000)]


@pytest.mark.parametrize("confidence", [0.5, 0.9, 0.95, 0.9999])
@pytest.mark.parametrize(("passes", "trials"), SAMPLES)
def test_intervals_are_scipys(passes: int, trials: int, confidence: float) -> None:
    for ours, method in ((clopper_pearson, "exact"), (wilson, "wilson")):
        found = ours(passes, trials, confidence)
        oracle = stats.binomtest(passes, trials).proportion_ci(confidence, method)
        assert isinstance(found, Interval)
        assert (found.low, found.high) == pytest.approx((oracle.low, oracle.high), abs=1e-12)
        assert found.low < found.high
        assert found.low <= passes / trials <= found.high


@pytest.mark.parametrize("miss", [1e-9, 0.05 / 200, 0.05, 0.4])
@pytest.mark.parametrize(("passes", "trials"), SAMPLES)
def test_bounds_are_beta_quantiles(passes: int, trials: int, miss: float) -> None:
    low = stats.beta.ppf(miss, passes, trials - passes + 1) if passes else 0.0
    high = 1 - stats.beta.ppf(miss, trials - passes, passes + 1) if passes < trials else 1.0
    assert lower_bound(passes, trials, miss) == pytest.approx(low, abs=1e-12)
    assert upper_bound(passes, trials, miss) == pytest.approx(high, abs=1e-12)


def test_without_trials_nothing_is_said() -> None:
    for answer in (wilson(0, 0), clopper_pearson(0, 0), lower_bound(0, 0, 0.1), upper_bound(0, 0, 0.1)):
        assert isinstance(answer, TooLittle)
        assert not answer
        assert "no trial" in answer.reason
    assert isinstance(paired_difference(0, 0, 0), TooLittle)


def test_paired_difference_is_that_of_bonett_and_price() -> None:
    found = paired_difference(12, 5, 60)
    assert isinstance(found, Effect)
    down, up = 13 / 62, 6 / 62
    half = 1.959963984540054 * sqrt((down + up - (up - down) ** 2) / 62)
    assert found.estimate == pytest.approx(-7 / 60)
    assert (found.interval.low, found.interval.high) == pytest.approx((up - down - half, up - down + half), abs=1e-12)


def test_paired_difference_has_no_zero_width_and_stays_in_range() -> None:
    for broke, fixed, pairs in ((0, 0, 1), (0, 0, 5_000), (1, 0, 1), (0, 1, 1), (9, 0, 9), (0, 9, 9), (4, 4, 8)):
        for confidence in (0.01, 0.95, 0.999999):
            found = paired_difference(broke, fixed, pairs, confidence)
            assert isinstance(found, Effect)
            assert -1 <= found.interval.low < found.interval.high <= 1
            assert found.interval.low <= found.estimate <= found.interval.high


@pytest.mark.parametrize("pairs", [6, 20, 40])
@pytest.mark.parametrize("chances", [(0.02, 0.02), (0.05, 0.05), (0.2, 0.05), (0.25, 0.25), (0.3, 0.03), (0.04, 0.0)])
def test_paired_difference_covers_what_it_says(pairs: int, chances: tuple[float, float]) -> None:
    broke, fixed = chances
    covered = 0.0
    for b in range(pairs + 1):
        for c in range(pairs + 1 - b):
            found = paired_difference(b, c, pairs)
            assert isinstance(found, Effect)
            if found.interval.low <= fixed - broke <= found.interval.high:
                ways = comb(pairs, b) * comb(pairs - b, c)
                covered += ways * broke**b * fixed**c * (1 - broke - fixed) ** (pairs - b - c)
    assert covered >= 0.945


def test_arguments_out_of_range_are_refused() -> None:
    for passes, trials in ((-1, 3), (4, 3)):
        for ask in (wilson, clopper_pearson):
            with pytest.raises(ValueError, match="passes are"):
                ask(passes, trials)
    for confidence in (0, 1, -0.1, float("nan")):
        with pytest.raises(ValueError, match="confidence lies"):
            wilson(1, 2, confidence)
        with pytest.raises(ValueError, match="confidence lies"):
            paired_difference(1, 1, 2, confidence)
        with pytest.raises(ValueError, match="miss lies"):
            lower_bound(1, 2, confidence)
    for broke, fixed, pairs in ((-1, 0, 2), (0, -1, 2), (2, 1, 2)):
        with pytest.raises(ValueError, match="broke and fixed"):
            paired_difference(broke, fixed, pairs)
