"""What a correlation within sessions does to the error budget, exactly, for any test of one case.

The model is that of `gate.stats.correlation`: in each session a case has a pass rate of its own, a Beta variable whose
mean is the case's rate and whose spread gives two trials of a session the correlation icc.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from math import comb
from typing import TYPE_CHECKING, Any

from gate.stats.correlation import check_sessions

if TYPE_CHECKING:
    from numpy import ndarray

RATES = (0.50, 0.60, 0.70, 0.75, 0.80, 0.85, 0.90, 0.95, 0.98, 0.99)
"""Pass rates over which the worst false alarm is looked for."""
_ALIKE = 1 - 1e-12
"""Stands for 1, where the first factor of the formula is 0/0."""


@dataclass(frozen=True, slots=True, eq=False)
class Points:
    """Where a test of one case says regression: one entry a point, arrays of one length.

    Attributes:
        baseline: passes of the baseline.
        passes, fails: of the candidate at that point.
        ways: in how many orders of outcomes the point is reached: C(passes + fails, fails) for a fixed number of
            trials, the number of paths that stop there for a sequential test.
    """

    baseline: ndarray[Any, Any]
    passes: ndarray[Any, Any]
    fails: ndarray[Any, Any]
    ways: ndarray[Any, Any]


def points_of_paths(paths: ndarray[Any, Any], fails: ndarray[Any, Any]) -> Points:
    """Of a sequential test.

    Args:
        paths: at [s0, n], the number of paths that stop with a regression after n trials of the candidate, for a
            baseline with s0 passes.
        fails: the candidate's failures at that point, same shape.
    """
    import numpy as np

    baseline, trials = np.nonzero(paths)
    failed = fails[baseline, trials]
    return Points(baseline, trials - failed, failed, paths[baseline, trials])


def points_of_test(count: int, trials: int, rejects: Callable[[int, int], bool]) -> Points:
    """Of a test of fixed samples: `rejects(passes, now)` for passes of `count` and now of `trials`."""
    import numpy as np

    found = [
        (passes, now, trials - now, float(comb(trials, now)))
        for passes in range(count + 1)
        for now in range(trials + 1)
        if rejects(passes, now)
    ]
    baseline, passed, failed, ways = np.array(found, dtype=float).reshape(-1, 4).T
    return Points(baseline.astype(int), passed.astype(int), failed.astype(int), ways)


def inflated_false_alarm(
    points: Points, sessions: Sequence[int], icc: float, cases: int, rates: Sequence[float] = RATES
) -> float:
    """Chance that an unchanged pull request is failed, when trials of a session are correlated.

    Exact under the beta-binomial model: the baseline's passes are a sum of one beta-binomial a session, and all of the
    candidate's trials are one session more, where a sequence of k passes and f failures has chance
    Π (q(1 − ρ) + iρ) Π ((1 − q)(1 − ρ) + iρ) / Π (1 − ρ + iρ), i from 0 to k − 1, f − 1 and k + f − 1 (Skellam
    1948; the order doesn't matter). Over `cases` independent cases p becomes 1 − (1 − p)^cases.

    Args:
        points: the regression region of one case at its share of alpha.
        sessions: trials of each session of the baseline; their sum is the n0 of the region.
        icc: ρ, from 0 to 1; 0 gives the nominal chance.
        cases: how many cases share alpha.
        rates: mean pass rates; the worst counts.

    Raises:
        ValueError: icc outside [0, 1], no rate or one outside [0, 1], cases below 1, or points beyond the baseline.
    """
    import numpy as np

    check_sessions(sessions, icc)
    if cases < 1 or not rates or not all(0 <= rate <= 1 for rate in rates):
        raise ValueError("cases are at least 1, and rates lie between 0 and 1")
    if not len(points.ways):
        return 0.0
    if int(points.baseline.max()) > sum(sessions):
        raise ValueError("the points belong to a larger baseline than these sessions")
    worst = 0.0
    for rate in rates:
        baseline = np.ones(1)
        for size in sessions:
            baseline = np.convolve(baseline, beta_binomial(size, rate, icc))
        paths = _path_chances(int((points.passes + points.fails).max()), rate, icc)
        chance = (baseline[points.baseline] * np.exp(np.log(points.ways) + paths(points.passes, points.fails))).sum()
        worst = max(worst, float(chance))
    return 1 - (1 - min(1.0, worst)) ** cases


def beta_binomial(trials: int, rate: float, icc: float) -> ndarray[Any, Any]:
    """Chances of 0 to `trials` passes (Skellam 1948); the binomial ones for icc 0.

    Raises:
        ValueError: rate or icc outside [0, 1], or a negative number of trials.
    """
    import numpy as np

    check_sessions([trials], icc)
    if not 0 <= rate <= 1:
        raise ValueError("a rate lies between 0 and 1")
    passes = np.arange(trials + 1)
    logs = np.concatenate(([0.0], np.cumsum(np.log(np.arange(1, trials + 1)))))
    ways = logs[trials] - logs[passes] - logs[trials - passes]
    chances: ndarray[Any, Any] = np.exp(ways + _path_chances(trials, rate, icc)(passes, trials - passes))
    return chances


def _path_chances(most: int, rate: float, icc: float) -> Any:
    """Function from arrays of passes and failures to the logarithm of the chance of one order of them."""
    import numpy as np

    icc = min(icc, _ALIKE)
    steps = np.arange(most) * icc
    with np.errstate(divide="ignore"):
        passed, failed, all_of = (
            np.concatenate(([0.0], np.cumsum(np.log(mean * (1 - icc) + steps)))) for mean in (rate, 1 - rate, 1.0)
        )

    def logarithm(passes: Any, fails: Any) -> Any:
        return passed[passes] + failed[fails] - all_of[passes + fails]

    return logarithm
