"""The boundaries against their formulas, written out point by point."""

from __future__ import annotations

from math import ceil, exp, inf, log

import numpy as np
import pytest

from gate.stats.calibration import (
    accept_table,
    calibrate,
    guard_table,
    line_slopes,
    line_table,
    smallest_constant,
)

SIZES = [(0, 12), (1, 12), (7, 12), (15, 20)]


def ell(x: int, m: int) -> float:
    return sum(part * log(part / m) for part in (x, m - x) if part)


def least(n: int, crosses: list[bool]) -> int:
    """The first failures that cross; all more do, too."""
    first = crosses.index(True) if True in crosses else n + 1
    assert all(crosses[first:])
    return first


@pytest.mark.parametrize(("n0", "cap"), SIZES)
@pytest.mark.parametrize("needed", [1.5, 6.0])
def test_guard(n0: int, cap: int, needed: float) -> None:
    table = guard_table(n0, cap, needed)
    for s0 in range(n0 + 1):
        for n in range(1, cap + 1):
            crosses = [
                (n - f) * n0 < s0 * n and ell(s0, n0) + ell(n - f, n) - ell(s0 + n - f, n0 + n) >= needed
                for f in range(n + 1)
            ]
            assert table[s0, n] == least(n, crosses)
    assert (table[:, 0] == 1).all()


@pytest.mark.parametrize(("n0", "cap"), SIZES[1:])
@pytest.mark.parametrize("share", [0.05, 0.001])
def test_line(n0: int, cap: int, share: float) -> None:
    needed, smooth = 2.5, 1.0 if share < 0.002 else 2 / 3
    table = line_table(line_slopes(n0, share, 0.3), cap, needed)
    for s0 in range(n0 + 1):
        p0 = (s0 + smooth) / (n0 + 2 * smooth)
        p1 = p0 - 0.3
        for n in range(cap + 1):
            crosses = [
                p1 >= 0.02 and (n - f) * log(p1 / p0) + f * log((1 - p1) / (1 - p0)) >= needed for f in range(n + 1)
            ]
            assert table[s0, n] == least(n, crosses)


@pytest.mark.parametrize(("n0", "cap"), SIZES)
@pytest.mark.parametrize("delta", [0.1, 0.3, 0.7])
def test_accept(n0: int, cap: int, delta: float) -> None:
    needed, rates = log(10), delta + (1 - delta) * np.linspace(1e-9, 1 - 1e-9, 2_001)
    table = accept_table(n0, cap, delta, needed)
    logs = [np.log(x) for x in (rates, 1 - rates, rates - delta, 1 - rates + delta)]
    for s0 in range(n0 + 1):
        for n in range(1, cap + 1):
            accepts = []
            for f in range(n + 1):
                weights = (s0, n0 - s0, n - f, f)
                dropped = max(sum(w * x for w, x in zip(weights, logs, strict=True)))
                accepts.append(s0 > delta * n0 and ell(s0 + n - f, n0 + n) - dropped >= needed)
            assert table[s0, n] == least(n, [not accept for accept in accepts]) - 1


def test_no_line_without_a_baseline() -> None:
    assert np.isnan(line_slopes(0, 0.05, 0.3)).all()
    assert calibrate(0, 10, 0.05, 0.3, 0.9).line == inf


def test_tables_grow_by_at_most_one_a_trial() -> None:
    for n0, share, delta, power in [(20, 0.004, 0.3, 0.9), (5, 0.5, 0.6, 0.5), (30, 0.05, 0.05, 0.99)]:
        rule = calibrate(n0, 40, share, delta, power)
        for table in (rule.regression, rule.holds):
            steps = np.diff(table, axis=1)
            assert steps.min() >= 0
            assert steps.max() <= 1
        assert (rule.holds < rule.regression).all()
        assert (rule.regression >= 1).all()


@pytest.mark.parametrize("share", [0.9, 0.05, 1e-6])
def test_smallest_constant(share: float) -> None:
    found = smallest_constant(lambda constant: exp(-0.7 * constant), share)
    assert exp(-0.7 * found) <= share
    assert exp(-0.7 * (found - 0.02)) > share


def test_smallest_constant_of_steps() -> None:
    found = smallest_constant(lambda constant: 10.0 ** -ceil(constant / 3 + 1e-12), 0.002)
    assert found == pytest.approx(6.0, abs=0.006)
    assert smallest_constant(lambda constant: 0.5, 0.1) == inf
    assert smallest_constant(lambda constant: 0.0, 0.1) == pytest.approx(0.05, abs=0.006)
