"""Size and power of McNemar's tests: the sequential one exactly, by dynamic programming, the fixed ones by summing."""

from __future__ import annotations

from math import comb

import numpy as np
import pytest

from gate.stats.mcnemar import (
    CAP,
    SequentialMcNemar,
    crossing,
    exact_one_sided,
    log_evidence,
    mid_p_one_sided,
    sequential,
)

ALPHA = 0.05
QUOTED = {1: 2.71, 12: 5.32, 200: 8.08}
"""Thresholds worked out beforehand for M suites that share alpha; rounded, and a little on the safe side."""


def design(cases: int) -> SequentialMcNemar:
    found = sequential(ALPHA / cases)
    assert isinstance(found, SequentialMcNemar)
    return found


@pytest.mark.parametrize("cases", QUOTED)
def test_thresholds_agree_with_those_worked_out_beforehand(cases: int) -> None:
    assert QUOTED[cases] - 0.1 <= design(cases).threshold <= QUOTED[cases]
    assert crossing(QUOTED[cases], CAP, 0.5)[0] <= ALPHA / cases


@pytest.mark.parametrize("cases", QUOTED)
def test_false_alarms_stay_within_alpha_and_use_most_of_it(cases: int) -> None:
    size = design(cases).size
    assert 0.85 * ALPHA <= 1 - (1 - size) ** cases <= ALPHA


@pytest.mark.parametrize(
    ("cases", "psi", "power", "pairs"), [(1, 0.8, 0.999, 17), (12, 0.8, 0.999, 31), (200, 0.8, 0.99, 46)]
)
def test_regressions_are_found_early(cases: int, psi: float, power: float, pairs: float) -> None:
    found, mean = design(cases).operating(psi)
    assert found >= power
    assert mean <= pairs


def test_simulated_paths_cross_as_often_as_computed() -> None:
    """20,000 paths of fair coins, all at once."""
    found = design(1)
    evidence = np.array([[log_evidence(broke, max(0, n - broke)) for broke in range(CAP + 1)] for n in range(CAP + 1)])
    heads = np.random.default_rng(0).integers(0, 2, (20_000, CAP)).cumsum(axis=1)
    crossed = (evidence[np.arange(1, CAP + 1), heads] >= found.threshold - 1e-12).any(axis=1).mean()
    assert crossed == pytest.approx(found.size, abs=4 * (found.size / 20_000) ** 0.5)


@pytest.mark.parametrize("discordant", [0.02, 0.2, 0.5])
def test_fixed_tests_keep_their_size_at_every_share_of_changed_pairs(discordant: float) -> None:
    pairs = 60
    exact = mid = 0.0
    for changed in range(pairs + 1):
        chance = comb(pairs, changed) * discordant**changed * (1 - discordant) ** (pairs - changed)
        for broke in range(changed + 1):
            weight = chance * comb(changed, broke) * 0.5**changed
            exact += weight * (exact_one_sided(broke, changed - broke) <= ALPHA)
            mid += weight * (mid_p_one_sided(broke, changed - broke) <= ALPHA)
    assert exact <= mid <= 1.1 * ALPHA
    assert exact <= ALPHA
