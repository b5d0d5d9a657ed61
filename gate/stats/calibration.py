"""The boundaries of one case, and the exact calibration of the line.

Written for a baseline with s0 passes of n0 and a candidate with k passes and f failures, n = k + f, with
l(x, m) = x ln(x/m) + (m - x) ln(1 - x/m) and 0 ln 0 = 0, all in natural logarithms:

- LINE = k ln(p1/p0) + f ln((1 - p1)/(1 - p0)), Wald's probability ratio (Wald 1945) of the smoothed baseline rate
  p0 = (s0 + a)/(n0 + 2a) against p1 = p0 - delta, with a = 2/3, or 1 for shares below .002. Not used where p1 < .02.
- GUARD = l(s0, n0) + l(k, n) - l(s0 + k, n0 + n) where k/n < s0/n0, the likelihood ratio of two samples. It finds
  total breakage in few calls.
- ACCEPT = l(s0 + k, n0 + n) less the greatest log likelihood of both samples under a drop of exactly delta. Not used
  where s0/n0 <= delta: such a rate can't fall by delta, so nothing would be said by saying that it didn't.

At n trials each is monotone in the failures, and the least failures that cross it grow by at most one a trial: it is
stored as one threshold a column (see `lattice`), found by walking along the columns.
"""

from __future__ import annotations

from collections.abc import Callable
from math import inf, log
from typing import NamedTuple

import numpy as np

from gate.stats.lattice import Exits, Floats, Ints, by_totals, greatest_chance, regression_paths
from gate.stats.likelihood import drop_by, one_rate, x_log_x

LEAST_RATE = 0.02
_SMALL_SHARE = 0.002
_GUARD = 16.0
_GUARD_STEP = 0.5
_LEAST_LINE = 0.05
_MOST_LINE = 1e3
_CLOSE = 0.005
_TINY = 1e-300


class Boundaries(NamedTuple):
    """A calibrated rule: the constants of LINE (infinite: not used) and GUARD, and the tables of `lattice`."""

    line: float
    guard: float
    regression: Ints
    holds: Ints


def calibrate(n0: int, cap: int, share: float, delta: float, power: float) -> Boundaries:
    """The rule whose chance of a false regression is at most `share` at every true rate.

    The guard starts at ln(16/share) and is raised by .5 while it alone spends more than half of the share. The line
    takes the rest: its constant is the smallest one at which both together spend at most the share.
    """
    holds = accept_table(n0, cap, delta, log(1 / (1 - power)))
    return fit(n0, share, delta, holds, _spent)


def fit(n0: int, share: float, delta: float, holds: Ints, spent: Callable[[Ints, Ints], float]) -> Boundaries:
    """`calibrate` for any account of what is spent: the greatest chance of a false regression, over all rates.

    Args:
        n0, share, delta: as in `calibrate`.
        holds: the table of ACCEPT, (n0 + 1, cap + 1).
        spent: of the tables regression and holds.
    """
    cap = holds.shape[1] - 1

    def rule(regression: Ints) -> tuple[Ints, Ints]:
        return regression, np.minimum(holds, regression - 1)

    guard = log(_GUARD / share)
    by_guard = guard_table(n0, cap, guard)
    while spent(*rule(by_guard)) > share / 2:
        guard += _GUARD_STEP
        by_guard = guard_table(n0, cap, guard)

    slopes = line_slopes(n0, share, delta)

    def both(line: float) -> tuple[Ints, Ints]:
        return rule(np.minimum(by_guard, line_table(slopes, cap, line)))

    used = bool(np.isfinite(slopes).any())
    line = smallest_constant(lambda constant: spent(*both(constant)), share) if used else inf
    return Boundaries(line, guard, *both(line))


def accept_table(n0: int, cap: int, delta: float, needed: float) -> Ints:
    """Greatest failures at which ACCEPT is at least `needed`, for each s0 and n; -1 where there are none."""
    s0, logs = np.arange(n0 + 1), x_log_x(n0 + cap)
    table = np.full((cap + 1, n0 + 1), -1)
    possible = s0 > delta * n0
    for n in range(1, cap + 1):
        passes = n - 1 - table[n - 1]
        dropped: Floats = drop_by(s0, n0, passes, n, delta)
        together = one_rate(logs, s0 + passes, np.full_like(s0, n0 + n))
        table[n] = table[n - 1] + (possible & (together - dropped >= needed))
    return table.T.copy()


def guard_table(n0: int, cap: int, needed: float) -> Ints:
    """Least failures at which GUARD is at least `needed` > 0, for each s0 and n; n + 1 where there are none.

    The walk starts at no pass and stays below the baseline's rate, where the ratio is 0.
    """
    s0, logs = np.arange(n0 + 1), x_log_x(n0 + cap)
    table = np.ones((cap + 1, n0 + 1), dtype=np.int64)
    before = one_rate(logs, s0, np.full_like(s0, n0))
    for n in range(1, cap + 1):
        trials = np.full_like(s0, n)
        passes = n - table[n - 1]
        ratio = before + one_rate(logs, passes, trials) - one_rate(logs, s0 + passes, trials + n0)
        table[n] = table[n - 1] + (ratio < needed)
    return table.T.copy()


def line_slopes(n0: int, share: float, delta: float) -> Floats:
    """What one pass and one failure add to LINE for each s0, an array of (2, n0 + 1).

    NaN where LINE is not used: too low a rate, or no baseline.
    """
    smooth = 1.0 if share < _SMALL_SHARE else 2 / 3
    before = (np.arange(n0 + 1) + smooth) / (n0 + 2 * smooth)
    after = np.where((n0 > 0) & (before - delta >= LEAST_RATE), before - delta, np.nan)
    return np.log([after / before, (1 - after) / (1 - before)])


def line_table(slopes: Floats, cap: int, needed: float) -> Ints:
    """Least failures at which LINE is at least `needed`, for each s0 and n; n + 1 where there are none."""
    n = np.arange(cap + 1)
    a_pass, a_failure = slopes[:, :, None]
    exact = (needed - n * a_pass) / (a_failure - a_pass)
    least = np.where(np.isfinite(exact), np.ceil(np.nan_to_num(exact, posinf=0.0)), cap + 1)
    return np.clip(least, 1, n + 1).astype(np.int64)


def smallest_constant(spent: Callable[[float], float], share: float) -> float:
    """The smallest constant at which `spent` is at most `share`; infinite when no useful one is.

    `spent` falls with the constant, about exponentially, so the search interpolates its logarithm between brackets; it
    ends within .005 of the constant, or within 1 % of the share.
    """
    low, at_low = _LEAST_LINE, inf
    high = log(1 / share) + 1
    at_high = spent(high)
    while at_high > share:
        if high > _MOST_LINE:
            return inf
        low, at_low = high, at_high
        high += 1 + 2 * log(at_high / share)
        at_high = spent(high)
    while high - low > _CLOSE and at_high < 0.99 * share:
        middle = _between(low, at_low, high, at_high, share)
        at_middle = spent(middle)
        if at_middle <= share:
            high, at_high = middle, at_middle
        else:
            low, at_low = middle, at_middle
    return high


def _between(low: float, at_low: float, high: float, at_high: float, share: float) -> float:
    """Where the chord of the logarithms meets the share, kept a tenth of the bracket away from its ends."""
    if at_low == inf:
        return max((low + high) / 2, high - log(share / max(at_high, _TINY)) - 0.1)
    fall = log(at_low / max(at_high, _TINY))
    part = log(at_low / (0.995 * share)) / fall
    return low + (high - low) * min(max(part, 0.1), 0.9)


def _spent(regression: Ints, holds: Ints) -> float:
    """The greatest chance of a false regression over all rates."""
    return greatest_chance(by_totals(Exits(regression_paths(regression, holds), regression)))
