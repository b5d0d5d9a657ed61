"""Exact tests of two fixed samples against SciPy and by enumeration."""

from __future__ import annotations

import itertools
import warnings
from math import comb

import numpy as np
import pytest
from scipy import stats

from gate.stats.fisher import boschloo_one_sided, fisher_one_sided

TABLES = [
    (9, 10, 5, 12),
    (48, 50, 5, 11),
    (50, 50, 8, 10),
    (14, 15, 4, 15),
    (28, 32, 1, 2),
    (30, 60, 30, 60),
    (3, 5, 3, 3),
]


@pytest.mark.parametrize(("passes", "count", "now", "trials"), [*TABLES, (3_900, 4_000, 900, 1_000)])
def test_fisher_is_scipys(passes: int, count: int, now: int, trials: int) -> None:
    oracle = stats.hypergeom.cdf(now, count + trials, passes + now, trials)
    assert fisher_one_sided(passes, count, now, trials) == pytest.approx(oracle, rel=1e-9)


@pytest.mark.parametrize(("passes", "count", "now", "trials"), TABLES)
def test_boschloo_is_scipys(passes: int, count: int, now: int, trials: int) -> None:
    table = [[now, passes], [trials - now, count - passes]]
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        oracle = stats.boschloo_exact(table, alternative="less", n=128).pvalue
    assert boschloo_one_sided(passes, count, now, trials) == pytest.approx(oracle, rel=2e-4)


@pytest.mark.parametrize(("count", "trials"), [(7, 4), (5, 9), (12, 12)])
def test_boschloo_is_never_below_any_rate_nor_above_fisher(count: int, trials: int) -> None:
    rates = np.linspace(0, 1, 2_001)
    tables = list(itertools.product(range(count + 1), range(trials + 1)))
    fisher = {table: fisher_one_sided(table[0], count, table[1], trials) for table in tables}
    chances = {
        (x, y): comb(count, x) * comb(trials, y) * rates ** (x + y) * (1 - rates) ** (count + trials - x - y)
        for x, y in tables
    }
    for observed in tables[:: max(1, len(tables) // 40)]:
        level = boschloo_one_sided(observed[0], count, observed[1], trials)
        worst = sum(chances[table] for table in tables if fisher[table] <= fisher[observed] * (1 + 1e-9)).max()
        assert worst - 1e-12 <= level <= fisher[observed]
        assert level == pytest.approx(worst, rel=1e-5)


def test_boschloo_finds_more_than_fisher() -> None:
    assert fisher_one_sided(58, 60, 27, 33) > 0.02 > boschloo_one_sided(58, 60, 27, 33)


def test_an_empty_sample_is_no_evidence() -> None:
    for test in (fisher_one_sided, boschloo_one_sided):
        assert test(0, 0, 0, 9) == test(9, 9, 0, 0) == test(0, 0, 0, 0) == 1.0
        assert test(5, 5, 5, 5) == test(0, 5, 0, 5) == 1.0


def test_counts_that_are_none_are_refused() -> None:
    for test in (fisher_one_sided, boschloo_one_sided):
        for wrong in ((-1, 5, 1, 2), (6, 5, 1, 2), (1, 5, 3, 2), (1, 5, -1, 2)):
            with pytest.raises(ValueError, match="passes are"):
                test(*wrong)
