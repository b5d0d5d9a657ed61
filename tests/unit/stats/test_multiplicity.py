"""Holm against its own definition by rejecting step by step, Benjamini and Hochberg against SciPy."""

from __future__ import annotations

import numpy as np
import pytest
from scipy import stats

from gate.stats.multiplicity import benjamini_hochberg, holm


def stepwise(levels: list[float], weights: list[float], alpha: float) -> list[bool]:
    """Reject the smallest p/w while it is at most alpha over the weights that are left."""
    left, rejected = set(range(len(levels))), [False] * len(levels)
    while left:
        first = min(left, key=lambda at: levels[at] / weights[at])
        if levels[first] > alpha * weights[first] / sum(weights[at] for at in left):
            break
        rejected[first] = True
        left.remove(first)
    return rejected


def test_holm_is_the_example_of_hand() -> None:
    assert holm([0.01, 0.04, 0.03, 0.005]) == pytest.approx([0.03, 0.06, 0.06, 0.02])
    assert holm([0.9, 0.8]) == [1.0, 1.0]


@pytest.mark.parametrize("seed", range(20))
def test_holm_rejects_what_the_steps_reject(seed: int) -> None:
    generator = np.random.default_rng(seed)
    levels = (generator.random(9) ** 4).tolist()
    weights = generator.uniform(0.1, 3, 9).tolist()
    for alpha in (0.01, 0.05, 0.2):
        assert [level <= alpha for level in holm(levels)] == stepwise(levels, [1.0] * 9, alpha)
        assert [level <= alpha for level in holm(levels, weights)] == stepwise(levels, weights, alpha)


@pytest.mark.parametrize("seed", range(20))
def test_benjamini_hochberg_is_scipys(seed: int) -> None:
    levels = np.random.default_rng(seed).random(15) ** 3
    assert benjamini_hochberg(levels.tolist()) == pytest.approx(stats.false_discovery_control(levels).tolist())


def test_no_test_has_no_level() -> None:
    assert holm([]) == benjamini_hochberg([]) == []


def test_only_the_ratios_of_weights_matter() -> None:
    levels = [0.01, 0.02, 0.03]
    assert holm(levels, [2, 2, 2]) == pytest.approx(holm(levels))


def test_arguments_out_of_range_are_refused() -> None:
    for wrong in ([1.1], [-0.1], [float("nan")]):
        for adjust in (holm, benjamini_hochberg):
            with pytest.raises(ValueError, match="levels lie"):
                adjust(wrong)
    for weights in ([1.0], [0.0, 1.0], [1.0, float("inf")], [1.0, float("nan")]):
        with pytest.raises(ValueError, match="one weight"):
            holm([0.1, 0.2], weights)
