"""What a sweep found, as numbers."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from gate.errors import UndecidedError, UsageError
from gate.suites.perturbation.measures.consistency import consistency
from gate.suites.perturbation.measures.per_epsilon import measure
from gate.suites.perturbation.measures.robust import robust
from gate.suites.perturbation.measures.smallest import first_flips, smallest_epsilon
from gate.suites.perturbation.measures.status import gate_status, worst


@pytest.mark.parametrize(
    ("score", "status"),
    [(0.0, "PASS"), (0.1499, "PASS"), (0.15, "WARNING"), (0.2249, "WARNING"), (0.15 * 1.5, "FAIL"), (1.0, "FAIL")],
)
def test_the_status_turns_at_t_and_at_one_and_a_half_t(score: float, status: str) -> None:
    assert gate_status(score, 0.15) == status


@pytest.mark.parametrize("score", [float("nan"), float("inf"), -0.1])
def test_no_score_has_no_status(score: float) -> None:
    with pytest.raises(UndecidedError, match="no status"):
        gate_status(score, 0.15)


@pytest.mark.parametrize("threshold", [0, 0.0, -0.1, float("nan"), float("inf"), None, "0.15", True])
def test_a_threshold_that_decides_nothing_is_refused(threshold: Any) -> None:
    with pytest.raises(UsageError, match="threshold"):
        gate_status(0.1, threshold)


def test_the_worst_status_counts() -> None:
    assert worst(["PASS", "FAIL", "WARNING"]) == "FAIL"
    assert worst(["WARNING", "PASS"]) == "WARNING"


def test_one_epsilon() -> None:
    found = measure(0.05, [0.0, 0.1, 0.2, 0.3, 0.4], [0, 0, 0, 1, 1])
    assert (found.maximum, found.count, found.flips, found.flip_rate) == (0.4, 5, 2, 0.4)
    assert found.mean == pytest.approx(0.2)
    assert found.quantiles == pytest.approx({0.5: 0.2, 0.9: 0.36, 0.99: 0.396})
    assert (found.interval.low, found.interval.high) == pytest.approx((0.1176, 0.7693), abs=1e-4)  # Wilson, 2 of 5


@pytest.mark.parametrize("bad", [float("nan"), float("inf"), -0.1])
def test_a_change_that_is_none_is_an_error(bad: float) -> None:
    with pytest.raises(UndecidedError):
        measure(0.05, [0.1, bad], [False, False])


@pytest.mark.parametrize(
    ("changes", "flipped"), [([], []), ([0.1], [True, False]), ([0.1], [2]), ([[0.1]], [True]), (["x"], [True])]
)
def test_changes_that_do_not_fit_are_refused(changes: Any, flipped: Any) -> None:
    with pytest.raises(UsageError):
        measure(0.05, changes, flipped)


def test_robust_accuracy_counts_examples_that_were_right() -> None:
    found = robust([1, 1, 1, 1, 0, 0], [1, 0, 0, 0, 1, 1], [1, 1, 1, 1, 1, 0])
    assert (found.known, found.right, found.broken) == (5, 4, 1)
    assert (found.accuracy, found.robust_accuracy) == (0.8, 0.6)
    assert (found.attack_success_rate, found.stability) == (0.25, 0.75)
    assert found.interval is not None and found.interval.low < 0.25 < found.interval.high


def test_rates_over_nothing_are_none() -> None:
    found = robust([0, 0], [1, 1])
    assert (found.attack_success_rate, found.stability, found.interval) == (None, None, None)
    assert found.accuracy == 0.0


def test_the_median_counts_what_was_never_flipped() -> None:
    nan = float("nan")
    assert smallest_epsilon([0.1, 0.2, 0.3, nan, nan], 0.5).median == 0.3  # without the censored ones it would be 0.2
    half = smallest_epsilon([0.1, 0.2, nan, nan], 0.5)
    assert (half.median, half.flipped, half.censored) == (0.2, 2, 2)
    few = smallest_epsilon([0.1, nan, nan, nan], 0.5)
    assert (few.median, few.above) == (None, 0.5)


def test_searches_of_different_reach_are_weighed_as_kaplan_and_meier_do() -> None:
    nan = float("nan")
    # S(1) = 5/6, one given up at 1.5, S(2) = 5/6 · 3/4 = .625, S(3) = .625 · 2/3 < 1/2
    found = smallest_epsilon([1, nan, 2, 3, 4, nan], [9, 1.5, 9, 9, 9, 9])
    assert found.median == 3


def test_first_flips_are_the_smallest() -> None:
    flips = first_flips([0.1, 0.2], [[True, False, False], [False, True, False]])
    assert flips.tolist()[:2] == [0.1, 0.2]
    assert np.isnan(flips[2])
    with pytest.raises(UsageError, match="ascending"):
        first_flips([0.2, 0.1], [[True], [True]])


@pytest.mark.parametrize(("found", "reached"), [([], 1), ([0.5], 0), ([2.0], 1), ([-1.0], 1)])
def test_smallest_epsilons_that_cannot_be_are_refused(found: list[float], reached: float) -> None:
    with pytest.raises(UsageError):
        smallest_epsilon(found, reached)


def test_consistency_of_a_line_is_its_slope() -> None:
    x = np.array([[0.0], [1.0], [3.0]])
    found = consistency(x, 0.2 * x[:, 0], neighbours=1)
    assert found.steepest == pytest.approx(0.2)
    assert found.agreement == pytest.approx(1 - (0.2 + 0.2 + 0.4) / 3)
    assert (found.contradictions, found.rows, found.of_rows) == (0, 3, 3)


def test_equal_rows_with_other_answers_contradict() -> None:
    found = consistency([[1.0], [1.0], [2.0]], [0.0, 1.0, 1.0])
    assert found.contradictions == 1
    assert found.steepest == pytest.approx(1.0)


def test_another_category_is_one_unit_away() -> None:
    found = consistency([[0.0], [0.0]], [0.2, 0.5], [["a"], ["b"]])
    assert (found.contradictions, found.steepest) == (0, pytest.approx(0.3))
    assert consistency(np.zeros((2, 0)), [0.2, 0.5], [[1, 1], [2, 2]]).steepest == pytest.approx(0.3 / 2**0.5)


def test_blocks_change_nothing_and_a_sample_is_said() -> None:
    random = np.random.default_rng(3)
    x, f = random.normal(size=(90, 4)), random.random((90, 3))
    assert consistency(x, f, block=7) == consistency(x, f, block=90)
    slopes = np.abs(f[:, None] - f[None]).max(2) / (np.sqrt(((x[:, None] - x[None]) ** 2).sum(2)) + np.eye(90) * 1e9)
    assert consistency(x, f).steepest == pytest.approx(slopes.max())
    sampled = consistency(x, f, rows=30)
    assert (sampled.rows, sampled.of_rows) == (30, 90)
    assert sampled.steepest <= slopes.max()


@pytest.mark.parametrize("x", [[[1.0]], [[1.0], [float("nan")]], [1.0, 2.0]])
def test_what_cannot_be_compared_is_refused(x: Any) -> None:
    with pytest.raises(UsageError):
        consistency(x, [0.0] * len(x))
