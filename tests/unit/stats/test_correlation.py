"""The session correlation: its formula, its bias and error on beta-binomial data, and what it refuses."""

from __future__ import annotations

import numpy as np
import pytest

from gate.stats.correlation import Correlation, effective_trials, session_correlation
from gate.stats.refusal import TooLittle


def simulated(seed: int, cases: int, sessions: int, size: int, icc: float) -> list[list[tuple[int, int]]]:
    generator = np.random.default_rng(seed)
    mean = generator.uniform(0.75, 0.95, (cases, 1))
    rates = np.broadcast_to(mean, (cases, sessions))
    if icc:
        rates = generator.beta(mean * (1 / icc - 1), (1 - mean) * (1 / icc - 1), (cases, sessions))
    return [[(int(passes), size) for passes in row] for row in generator.binomial(size, rates)]


def estimated(cases: list[list[tuple[int, int]]]) -> Correlation:
    found = session_correlation(cases)
    assert isinstance(found, Correlation)
    return found


def test_equal_sessions_give_the_textbook_estimate() -> None:
    """Mean squares of the single outcomes, by their definition."""
    cases = simulated(1, 8, 4, 6, 0.1)
    between = within = freedom_between = freedom_within = 0.0
    for sessions in cases:
        outcomes = np.array([[1.0] * passes + [0.0] * (size - passes) for passes, size in sessions])
        if outcomes.min() == outcomes.max():
            continue
        between += 6 * ((outcomes.mean(axis=1) - outcomes.mean()) ** 2).sum()
        within += ((outcomes - outcomes.mean(axis=1, keepdims=True)) ** 2).sum()
        freedom_between += 3
        freedom_within += 20
    between, within = between / freedom_between, within / freedom_within
    assert estimated(cases).estimate == pytest.approx((between - within) / (between + 5 * within))


@pytest.mark.parametrize("icc", [0.0, 0.02, 0.1, 0.3])
def test_it_is_unbiased_and_its_interval_covers(icc: float) -> None:
    found = [estimated(simulated(seed, 60, 5, 10, icc)) for seed in range(150)]
    spread = np.std([each.estimate for each in found])
    assert np.mean([each.estimate for each in found]) == pytest.approx(icc, abs=4 * spread / 150**0.5 + 0.01 * icc)
    covered = np.mean([each.interval.low <= icc <= each.interval.high for each in found])
    assert 0.89 <= covered <= 0.99
    assert np.mean([each.error for each in found]) == pytest.approx(spread, rel=0.3)


def test_sessions_of_other_sizes_and_empty_ones_are_allowed() -> None:
    cases = [[*sessions[:2], (0, 0), (3, 4), (1, 1)] for sessions in simulated(3, 30, 3, 10, 0.05)]
    found = estimated(cases)
    assert (found.cases, found.sessions) == (30, 120)
    assert found.interval.low < found.estimate < found.interval.high


def test_the_extremes_stay_in_range_with_a_width() -> None:
    for sessions in ([(10, 10), (0, 10)], [(5, 10), (5, 10)], [(1, 1), (0, 1), (2, 2)]):
        found = estimated([sessions] * 6)
        assert -1 <= found.interval.low < found.interval.high <= 1
        assert found.error > 0


@pytest.mark.parametrize(
    "cases",
    [
        [],
        [[(9, 10), (8, 10)]] * 4,
        [[(10, 10), (10, 10)]] * 40 + [[(0, 10), (0, 10)]] * 40,
        [[(9, 10)]] * 40,
        [[(1, 1), (0, 1), (1, 1)]] * 40,
        [[(9, 10), (0, 0)]] * 40,
    ],
)
def test_too_little_is_said(cases: list[list[tuple[int, int]]]) -> None:
    refused = session_correlation(cases)
    assert isinstance(refused, TooLittle)
    assert "5 are needed" in refused.reason


def test_effective_trials_shrink_with_the_correlation() -> None:
    assert effective_trials([10, 20, 0], 0.0) == 30
    assert effective_trials([10, 20, 0], 1.0) == 2
    assert effective_trials([50], 0.02) == pytest.approx(50 / 1.98)
    assert effective_trials([], 0.5) == 0


def test_arguments_out_of_range_are_refused() -> None:
    with pytest.raises(ValueError, match="passes are"):
        session_correlation([[(11, 10), (3, 10)]])
    with pytest.raises(ValueError, match="confidence lies"):
        session_correlation([], confidence=1)
    for sessions, icc in (([3], -0.1), ([3], 1.1), ([-3], 0.1), ([3], float("nan"))):
        with pytest.raises(ValueError, match="icc lies"):
            effective_trials(sessions, icc)
