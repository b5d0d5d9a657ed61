"""The incomplete beta function against SciPy and against closed forms."""

from __future__ import annotations

import math

import pytest
from scipy import special, stats

from gate.stats.special import (
    beta_below,
    beta_quantile,
    binomial_at_least,
    normal_above,
    normal_quantile,
    student_quantile,
)

SHAPES = [
    (1, 1),
    (0.5, 0.5),
    (3, 0.5),
    (1, 60),
    (60, 1),
    (7, 44),
    (45, 6),
    (500, 501),
    (9_000, 1_001),
    (75_000, 25_001),
]


@pytest.mark.parametrize(("a", "b"), SHAPES)
def test_beta_below_is_scipys(a: float, b: float) -> None:
    for x in (1e-9, 0.001, 0.1, a / (a + b), 0.5, 0.9, 0.999):
        assert beta_below(x, a, b) == pytest.approx(special.betainc(a, b, x), rel=1e-9, abs=1e-13)


@pytest.mark.parametrize(("a", "b"), SHAPES)
def test_beta_quantile_is_scipys(a: float, b: float) -> None:
    for level in (1e-12, 2.5e-4, 0.025, 0.5, 0.8, 0.999):
        assert beta_quantile(level, a, b) == pytest.approx(special.betaincinv(a, b, level), abs=1e-12)


def test_the_ends_are_0_and_1() -> None:
    assert (beta_below(0, 2, 3), beta_below(1, 2, 3), beta_below(-1, 2, 3), beta_below(2, 2, 3)) == (0, 1, 0, 1)


def test_binomial_tail_is_a_sum_of_chances() -> None:
    for passes in range(9):
        whole = sum(math.comb(7, k) * 0.3**k * 0.7 ** (7 - k) for k in range(passes, 8))
        assert binomial_at_least(passes, 7, 0.3) == pytest.approx(whole, abs=1e-14)


@pytest.mark.parametrize("freedom", [1, 2, 4, 11, 199])
def test_student_quantile_is_scipys(freedom: float) -> None:
    for tail in (1e-6, 0.005, 0.025, 0.2):
        assert student_quantile(tail, freedom) == pytest.approx(stats.t.isf(tail, freedom), rel=1e-10)
    assert student_quantile(0.5, freedom) == 0


def test_normal_quantile_and_tail_are_each_others_inverse() -> None:
    for tail in (1e-12, 0.025, 0.5, 0.9):
        assert normal_above(normal_quantile(tail)) == pytest.approx(tail, rel=1e-9)
    assert normal_quantile(0.025) == pytest.approx(1.959963984540054, abs=1e-12)


def test_arguments_out_of_range_are_refused() -> None:
    for a, b in ((0, 1), (1, -1), (math.nan, 1)):
        with pytest.raises(ValueError, match="above 0"):
            beta_below(0.5, a, b)
    for level in (0, 1, math.nan):
        with pytest.raises(ValueError, match="strictly between"):
            beta_quantile(level, 1, 1)
    for tail in (0, 0.51):
        with pytest.raises(ValueError, match="a tail"):
            student_quantile(tail, 3)
