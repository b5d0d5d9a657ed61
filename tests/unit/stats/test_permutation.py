"""The permutation test against every permutation, and against SciPy's."""

from __future__ import annotations

from itertools import combinations
from math import comb

import numpy as np
import pytest
from scipy import stats

import gate.stats.permutation as module
from gate.stats.fisher import fisher_one_sided
from gate.stats.permutation import permutation_level, steps


def enumerated(baseline: list[float], candidate: list[float]) -> float:
    pooled = [*steps(baseline), *steps(candidate)]
    observed, size = sum(steps(candidate)), len(candidate)
    sums = [sum(chosen) for chosen in combinations(pooled, size)]
    return sum(each <= observed for each in sums) / len(sums)


@pytest.mark.parametrize("seed", range(12))
def test_level_is_the_share_of_all_choices(seed: int) -> None:
    generator = np.random.default_rng(seed)
    before, now = generator.integers(2, 9), generator.integers(1, 7)
    draw = [generator.random, lambda n: generator.choice([0, 0.25, 0.5, 1], n), lambda n: np.full(n, 0.7)][seed % 3]
    baseline, candidate = draw(before).tolist(), draw(now).tolist()
    assert permutation_level(baseline, candidate) == pytest.approx(enumerated(baseline, candidate), rel=1e-12)


def test_scores_of_0_and_1_are_fishers_test() -> None:
    for passes, now in ((9, 3), (45, 2), (50, 6), (0, 0)):
        scores = [1.0] * passes + [0.0] * (50 - passes)
        found = permutation_level(scores, [1.0] * now + [0.0] * (8 - now))
        assert found == pytest.approx(fisher_one_sided(passes, 50, now, 8))


def test_it_is_scipys() -> None:
    generator = np.random.default_rng(5)
    baseline, candidate = np.round(generator.random((2, 7)), 2)
    oracle = stats.permutation_test(
        (candidate, baseline),
        lambda a, b, axis: a.sum(axis=axis),
        vectorized=True,
        alternative="less",
        n_resamples=np.inf,
    )
    assert permutation_level(baseline.tolist(), candidate.tolist()) == pytest.approx(oracle.pvalue)


def test_large_samples_neither_overflow_nor_vanish() -> None:
    level = permutation_level([1.0] * 3_000, [1.0] * 39 + [0.0])
    assert level == pytest.approx(40 / 3_040)
    assert permutation_level([1.0] * 50, [0.0] * 60) == pytest.approx(1 / comb(110, 60))


def test_random_permutations_stand_in_for_large_samples(monkeypatch: pytest.MonkeyPatch) -> None:
    generator = np.random.default_rng(1)
    baseline, candidate = generator.beta(8, 2, 40).tolist(), generator.beta(7, 3, 15).tolist()
    exact = permutation_level(baseline, candidate, np.random.default_rng(2))
    monkeypatch.setattr(module, "_WORK", 0)
    assert permutation_level(baseline, candidate) == exact
    sampled = permutation_level(baseline, candidate, np.random.default_rng(2))
    assert sampled != exact
    assert sampled == pytest.approx(exact, abs=4 * (exact / 20_000) ** 0.5)
    assert sampled == permutation_level(baseline, candidate, np.random.default_rng(2))
    assert permutation_level([1.0] * 90, [0.01] * 9, np.random.default_rng(2)) == 1 / 20_001


def test_an_empty_sample_is_no_evidence() -> None:
    assert permutation_level([], [0.5]) == permutation_level([0.5], []) == 1.0


def test_scores_outside_0_and_1_are_refused() -> None:
    for wrong in (-0.01, 1.01, float("nan")):
        for samples in (([wrong], [0.5]), ([0.5], [wrong])):
            with pytest.raises(ValueError, match="scores lie"):
                permutation_level(*samples)
