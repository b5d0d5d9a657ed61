"""What a design does: chances of its answers and expected calls, exact by counting paths.

Nothing here is simulated. `operating` averages over the baseline's own noise, s0 ~ Bin(n0, q); `at` takes the s0 that
main has. Rates are fractions, drops are fractions of 1 (.30 is 30 points), calls are trials of the candidate.
"""

from __future__ import annotations

from dataclasses import dataclass
from math import ceil

import numpy as np

from gate.stats.design import Design
from gate.stats.lattice import Floats, binomial, chances


@dataclass(frozen=True, slots=True)
class Operating:
    """Chances of the three answers, which add up to 1, and the expected trials of the candidate."""

    regression: float
    holds: float
    undecided: float
    calls: float


def operating(design: Design, q: float, now: float) -> Operating:
    """When the baseline's true rate is q and the candidate's is now, over all baselines that q gives.

    Raises:
        ValueError: a rate outside [0, 1].
    """
    _check_rates(q, now)
    return _over(design, binomial(design.question.n0, q), now)


def at(design: Design, s0: int, now: float) -> Operating:
    """When the baseline has s0 passes and the candidate's true rate is now.

    Raises:
        ValueError: a rate outside [0, 1], or s0 outside 0 to n0.
    """
    _check_rates(now)
    return _over(design, _known(design, s0), now)


def family_false_alarm(design: Design, q: float, cases: int) -> float:
    """Chance that at least one of so many independent unchanged cases of true rate q is called a regression."""
    return float(-np.expm1(cases * np.log1p(-operating(design, q, q).regression)))


def smallest_drop(design: Design, s0: int) -> float | None:
    """The smallest drop from the observed rate s0/n0 that is found with the power asked, rounded up to a thousandth.

    None when not even a drop to 0 is found that often.
    """
    weights, n0 = _known(design, s0), design.question.n0
    return _smallest_drop(design, weights, s0 / n0) if n0 else None


def smallest_drop_from(design: Design, q: float) -> float | None:
    """The same for a drop from the true rate q, over all baselines that q gives.

    Raises:
        ValueError: a rate outside [0, 1].
    """
    _check_rates(q)
    return _smallest_drop(design, binomial(design.question.n0, q), q)


def _smallest_drop(design: Design, weights: Floats, rate: float) -> float | None:
    def found(drop: float) -> bool:
        chance = chances(design.paths.regression, weights, max(rate - drop, 0.0)).sum()
        return float(chance) >= design.question.power

    if not found(rate):
        return None
    low, high = 0, ceil(1000 * rate)
    while high - low > 1:
        middle = (low + high) // 2
        low, high = (low, middle) if found(middle / 1000) else (middle, high)
    return min(high / 1000, rate)


def _over(design: Design, weights: Floats, now: float) -> Operating:
    paths = design.paths
    ends = [chances(end, weights, now) for end in (paths.regression, paths.holds, *paths.undecided)]
    regression, holds, futile, late = (float(end.sum()) for end in ends)
    trials = np.arange(design.question.cap + 1)
    return Operating(regression, holds, futile + late, float(sum((end @ trials).sum() for end in ends)))


def _known(design: Design, s0: int) -> Floats:
    n0 = design.question.n0
    if not 0 <= s0 <= n0:
        raise ValueError(f"a baseline of {n0} trials has no {s0} passes")
    weights = np.zeros(n0 + 1)
    weights[s0] = 1.0
    return weights


def _check_rates(*rates: float) -> None:
    for rate in rates:
        if not 0 <= rate <= 1:
            raise ValueError(f"a rate lies between 0 and 1, not at {rate}")
