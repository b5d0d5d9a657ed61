"""Paired outcomes: the same tests on both sides, where only the pairs that changed speak (McNemar 1947).

Of the pairs that changed, `broke` passed before and fail now, `fixed` the reverse. When nothing changed but the noise,
each of them is a fair coin, whatever the rates of the tests are. That is exact as long as the outcomes of the tests
are independent of each other. All functions give one-sided levels of "it got worse" unless they say otherwise.
"""

from __future__ import annotations

from dataclasses import dataclass
from math import exp, log
from typing import TYPE_CHECKING, Any

from gate.stats.refusal import TooLittle
from gate.stats.special import binomial_at_least

if TYPE_CHECKING:
    from numpy import ndarray

TILTS = (0.65, 0.80, 0.95)
"""Chances of `broke` among changed pairs that the sequential test mixes: a small, a middle and a large regression."""
CAP = 200
"""Changed pairs at which the sequential test ends."""
_TIE = 1e-12


def exact_one_sided(broke: int, fixed: int) -> float:
    """Chance that a fair coin gives `broke` or more heads in broke + fixed throws; 1.0 when nothing changed.

    Raises:
        ValueError: a negative count.
    """
    _check(broke, fixed)
    return binomial_at_least(broke, broke + fixed, 0.5)


def exact_two_sided(broke: int, fixed: int) -> float:
    """Twice the smaller of both exact one-sided levels, at most 1: a change in either direction.

    Raises:
        ValueError: a negative count.
    """
    _check(broke, fixed)
    return min(1.0, 2 * exact_one_sided(max(broke, fixed), min(broke, fixed)))


def mid_p_one_sided(broke: int, fixed: int) -> float:
    """The exact one-sided level less half the chance of the very counts observed (Lancaster 1961).

    More powerful than the exact test; its size rarely exceeds the nominal level, by little (Fagerland, Lydersen and
    Laake 2013), but there is no guarantee. 0.5 when nothing changed.

    Raises:
        ValueError: a negative count.
    """
    _check(broke, fixed)
    changed = broke + fixed
    return (binomial_at_least(broke, changed, 0.5) + binomial_at_least(broke + 1, changed, 0.5)) / 2


def mid_p_two_sided(broke: int, fixed: int) -> float:
    """Twice the smaller of both one-sided mid-p levels, at most 1 (Fagerland, Lydersen and Laake 2013).

    Raises:
        ValueError: a negative count.
    """
    _check(broke, fixed)
    return min(1.0, 2 * mid_p_one_sided(max(broke, fixed), min(broke, fixed)))


def log_evidence(broke: int, fixed: int) -> float:
    """Logarithm of the mixture likelihood ratio against the fair coin.

    The mean over ψ in `TILTS` of (2ψ)^broke (2 − 2ψ)^fixed: Wald's ratio (Wald 1945), mixed over ψ (Robbins 1970). When
    nothing changed the ratio is a martingale of mean 1.

    Raises:
        ValueError: a negative count.
    """
    _check(broke, fixed)
    terms = [broke * log(2 * psi) + fixed * log(2 - 2 * psi) for psi in TILTS]
    largest = max(terms)
    return largest + log(sum(exp(term - largest) for term in terms) / len(TILTS))


@dataclass(frozen=True, slots=True)
class SequentialMcNemar:
    """McNemar's test after every changed pair, until the evidence is enough or the cap is reached.

    Attributes:
        share: its share of the false-alarm budget.
        cap: changed pairs at which it ends.
        threshold: regression as soon as `log_evidence` is this much; the smallest that keeps to the share.
        size: exact chance to reach the threshold by the cap when nothing changed; at most the share.
    """

    share: float
    cap: int
    threshold: float
    size: float

    def regression(self, broke: int, fixed: int) -> bool:
        """Whether the evidence is enough. Ask after every changed pair, and stop at the first yes."""
        return broke + fixed <= self.cap and log_evidence(broke, fixed) >= self.threshold - _TIE

    def reachable(self, broke: int, fixed: int) -> bool:
        """Whether a regression can still be found, if every changed pair up to the cap breaks."""
        return broke + fixed <= self.cap and log_evidence(self.cap - fixed, fixed) >= self.threshold - _TIE

    def level(self, broke: int, fixed: int) -> float:
        """Attained level: chance, when nothing changed, that the evidence ever reaches by the cap what it is now."""
        reached, _ = crossing(log_evidence(broke, fixed), self.cap, 0.5)
        return reached

    def operating(self, psi: float) -> tuple[float, float]:
        """Chance to call a regression and mean changed pairs, when a changed pair is `broke` with chance psi."""
        return crossing(self.threshold, self.cap, psi)


def sequential(share: float, cap: int = CAP) -> SequentialMcNemar | TooLittle:
    """The sequential test for a share of the budget.

    Its threshold is exact: the smallest value of the evidence that an unchanged pull request reaches by the cap with
    chance at most `share`, by dynamic programming over (changed pairs, broke).

    Args:
        share: alpha / M for M paired suites that share alpha.
        cap: changed pairs at which the test ends; the level is exact for any cap, and grows with it otherwise.

    Raises:
        ValueError: share outside (0, 1) or cap below 1.
    """
    import numpy as np

    if not 0 < share < 1 or cap < 1:
        raise ValueError("share lies strictly between 0 and 1, cap is at least 1")
    if 0.5**cap > share:
        need = int(-log(share) / log(2)) + 1
        return TooLittle(f"at a share of {share:.2g} not even {cap} pairs that all broke are enough: {need} would be")
    values = np.unique(_lattice(cap)[np.tri(cap + 1, dtype=bool)])
    low, high = 0, len(values) - 1
    while low < high:
        middle = (low + high) // 2
        if crossing(float(values[middle]), cap, 0.5)[0] <= share:
            high = middle
        else:
            low = middle + 1
    threshold = float(values[low])
    return SequentialMcNemar(share, cap, threshold, crossing(threshold, cap, 0.5)[0])


def crossing(threshold: float, cap: int, psi: float) -> tuple[float, float]:
    """Chance that `log_evidence` reaches `threshold` by the cap, and the mean number of changed pairs until the end.

    Exact. A changed pair is `broke` with chance psi: .5 when nothing changed.

    Raises:
        ValueError: psi outside [0, 1] or cap below 1.
    """
    import numpy as np

    if not 0 <= psi <= 1 or cap < 1:
        raise ValueError("psi lies between 0 and 1, cap is at least 1")
    reached = _lattice(cap) >= threshold - _TIE
    going, stopped, mean = np.zeros(cap + 1), 0.0, 0.0
    going[0] = 1.0
    if reached[0, 0]:
        return 1.0, 0.0
    for changed in range(1, cap + 1):
        mean += float(going.sum())
        going[1:] = going[1:] * (1 - psi) + going[:-1] * psi
        going[0] *= 1 - psi
        over = reached[changed]
        stopped += float(going[over].sum())
        going[over] = 0.0
    return min(1.0, stopped), mean


def smallest_breakage(changed: int, share: float) -> int | None:
    """The fewest `broke` among `changed` pairs whose exact one-sided level is at most `share`; None when none is.

    Raises:
        ValueError: share outside (0, 1) or a negative count.
    """
    _check(changed, 0)
    if not 0 < share < 1:
        raise ValueError("share lies strictly between 0 and 1")
    if exact_one_sided(changed, 0) > share:
        return None
    low, high = changed // 2, changed
    while low < high:
        middle = (low + high) // 2
        if exact_one_sided(middle, changed - middle) <= share:
            high = middle
        else:
            low = middle + 1
    return low


def _lattice(cap: int) -> ndarray[Any, Any]:
    """`log_evidence` at [changed, broke]; −inf where broke exceeds changed, which no path reaches."""
    import numpy as np

    changed, broke = np.indices((cap + 1, cap + 1))
    fixed = np.maximum(changed - broke, 0)
    terms = np.stack([broke * log(2 * psi) + fixed * log(2 - 2 * psi) for psi in TILTS])
    largest = terms.max(axis=0)
    return np.where(broke <= changed, largest + np.log(np.exp(terms - largest).mean(axis=0)), -np.inf)


def _check(broke: int, fixed: int) -> None:
    if broke < 0 or fixed < 0:
        raise ValueError("counts of changed pairs are at least 0")
