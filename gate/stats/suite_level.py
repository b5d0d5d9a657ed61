"""The suite as a whole: many cases each lost a little, and none shows it alone.

The first m trials of every case are compared with its baseline. Given how often a case passed on both sides together,
its passes among the m are hypergeometric when nothing changed, whatever its rate is, and independent between cases. So
the distribution of their weighted sum is known exactly, by convolution: the permutation form of the test of Cochran
(1954) and of Mantel and Haenszel (1959). Its level holds at every set of rates.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from math import comb, erfc, sqrt
from typing import TYPE_CHECKING, Any

from gate.stats.intervals import Effect, Interval, check_confidence, check_counts
from gate.stats.refusal import TooLittle
from gate.stats.special import normal_quantile

if TYPE_CHECKING:
    from numpy import ndarray

FIRST = 5
"""Most trials of one case that are looked at."""
_FINENESS = 1
"""Steps of the lattice in one unit of weight, at most; 2, 4 and 8 find no more and take longer."""
_LATTICE = 2**16
"""Longest lattice; a suite that needs a longer one gets coarser weights."""
_BISECTIONS = 60


@dataclass(frozen=True, slots=True)
class Stratum:
    """One case on both sides.

    Attributes:
        passes, trials: the baseline.
        now: passes among the first trials of the candidate.
        first: how many first trials of the candidate: 0 to `FIRST`. It is a constant: a number that depends on their
            outcomes (the trials of a case that stopped early) or on the baseline's passes makes the level wrong.
    """

    passes: int
    trials: int
    now: int
    first: int

    @property
    def speaks(self) -> bool:
        """Whether it can tell a change: both sides have trials, and among all of them some passed and some failed."""
        return self.trials > 0 and self.first > 0 and 0 < self.passes + self.now < self.trials + self.first


@dataclass(frozen=True, slots=True)
class SuiteLevel:
    """What the suite says as a whole.

    Attributes:
        level: attained one-sided level of "the rates fell"; exact.
        effect: mean change of the pass rate over the cases with trials on both sides, weighted as Mantel and Haenszel
            do; a fraction, −0.05 is five points down. Its interval is approximate.
        speaking: how many cases can tell a change.
        cases: how many cases have trials on both sides.
    """

    level: float
    effect: Effect
    speaking: int
    cases: int


def suite_level(strata: Sequence[Stratum], confidence: float = 0.95) -> SuiteLevel | TooLittle:
    """Test all cases together.

    A case weighs 1/(p(1 − p)) with p = (passes + now + .5)/(trials + first + 1), the weight that is best against the
    same drop everywhere, rounded to a lattice. It depends on the sum of passes alone, so the test stays exact.

    Args:
        strata: the cases; those that can't speak contribute nothing to the level.
        confidence: of the interval of the effect.

    Raises:
        ValueError: counts that are no counts, more first trials than `FIRST`, or confidence outside (0, 1).
    """
    check_confidence(confidence)
    for each in strata:
        check_counts(each.passes, each.trials)
        check_counts(each.now, each.first)
        if each.first > FIRST:
            raise ValueError(f"at most the first {FIRST} trials of a case are looked at")
    speaking = [each for each in strata if each.speaks]
    if not speaking:
        return TooLittle("no case with trials on both sides has passes and failures, so the suite can't tell a drop")
    both = [each for each in strata if each.trials and each.first]
    return SuiteLevel(_level(speaking), _effect(both, confidence), len(speaking), len(both))


def inflated_level(level: float, sessions: Sequence[int], now: int, icc: float) -> float:
    """What becomes of a level when trials of one session are alike, and all cases share what the session does to them.

    The variance of a pass rate over n trials of one session grows by the design effect 1 + (n − 1)ρ (Kish 1965); the
    level is that of a normal variable with the grown variance of the difference. Approximate; where a part of the
    correlation is each case's own, it is less.

    Args:
        level: nominal, one-sided, in (0, 1).
        sessions: trials of each session of the baseline, over all cases.
        now: trials of the candidate that are looked at, over all cases.
        icc: ρ, from 0 to 1.

    Raises:
        ValueError: level outside (0, 1), icc outside [0, 1], or a side without trials.
    """
    if not 0 < level < 1 or not 0 <= icc <= 1 or now < 1 or not sessions or min(sessions) < 1:
        raise ValueError("a level lies in (0, 1), a correlation in [0, 1], and both sides have trials")
    count = sum(sessions)
    nominal = 1 / now + 1 / count
    grown = (1 + (now - 1) * icc) / now + sum(size * (1 + (size - 1) * icc) for size in sessions) / count**2
    return 0.5 * erfc(normal_quantile(level) * sqrt(nominal / grown / 2))


def admissible(stratum: Stratum, made: Sequence[int]) -> bool:
    """Whether a case of a sequential design may join, where the design stops before `first` trials for some baselines.

    To leave out a case by its baseline's passes alone would make the level wrong. It stays exact when the choice
    depends on the sum of passes, which the test holds fixed anyway: the case joins when the design makes `first` trials
    for every baseline with which the first trials could have had the same sum.

    Args:
        stratum: the case, with a constant `first`.
        made: for each number of passes from 0 to `stratum.trials`, how many trials the design makes whatever they say.

    Raises:
        ValueError: counts that are no counts, or not one number for each possible baseline.
    """
    check_counts(stratum.passes, stratum.trials)
    check_counts(stratum.now, stratum.first)
    if len(made) != stratum.trials + 1:
        raise ValueError("there is one number of trials for each number of passes of the baseline")
    total = stratum.passes + stratum.now
    alike = range(max(0, total - stratum.first), min(stratum.trials, total) + 1)
    return all(made[passes] >= stratum.first for passes in alike)


def _weights(strata: Sequence[Stratum]) -> list[int]:
    exact = []
    for each in strata:
        rate = (each.passes + each.now + 0.5) / (each.trials + each.first + 1)
        exact.append(1 / (rate * (1 - rate)))
    longest = sum(weight * each.first for weight, each in zip(exact, strata, strict=True))
    fineness = min(_FINENESS, _LATTICE / longest)
    return [max(1, round(weight * fineness)) for weight in exact]


def _level(strata: Sequence[Stratum]) -> float:
    """Chance of a weighted sum of passes at most as large as the observed one, given each case's sum of passes."""
    import numpy as np

    weights = _weights(strata)
    end = sum(weight * each.now for weight, each in zip(weights, strata, strict=True)) + 1
    chances = np.zeros(end)
    chances[0], filled = 1.0, 1
    for weight, each in zip(weights, strata, strict=True):
        everything, passed = each.trials + each.first, each.passes + each.now
        ways = comb(everything, each.first)
        before = chances[:filled].copy()
        chances[:filled] = 0.0
        filled = min(end, filled + weight * each.first)
        for now in range(max(0, passed - each.trials), min(each.first, passed) + 1):
            chance = comb(passed, now) * comb(everything - passed, each.first - now) / ways
            shift = weight * now
            reached = min(filled - shift, len(before))
            if reached > 0:
                chances[shift : shift + reached] += chance * before[:reached]
    return min(1.0, float(chances.sum()))


def _effect(strata: Sequence[Stratum], confidence: float) -> Effect:
    """The Mantel-Haenszel difference of rates, and the interval of the drops that a score test doesn't reject.

    A case weighs trials × first / (trials + first). The score test of a change d (Miettinen and Nurminen 1985) takes
    the variance at d; there the rates are p + d × trials/(trials + first) for the candidate and
    p − d × first/(trials + first) for the baseline (Wallenstein 1997), cut to 0 to 1, with p as in the weights of the
    test. Never of zero width.
    """
    import numpy as np

    passes, trials, now, first = np.array(
        [(each.passes, each.trials, each.now, each.first) for each in strata], dtype=float
    ).T
    both = trials + first
    weights = trials * first / both
    weights /= weights.sum()
    rate = (passes + now + 0.5) / (both + 1)
    estimate = min(1.0, max(-1.0, float((weights * (now / first - passes / trials)).sum())))
    z = normal_quantile((1 - confidence) / 2)

    def rejects(change: float) -> bool:
        after = np.clip(rate + change * trials / both, 0, 1)
        before = np.clip(rate - change * first / both, 0, 1)
        variance = _mean_variance(weights, after, first) + _mean_variance(weights, before, trials)
        return abs(estimate - change) > z * sqrt(variance)

    limits = []
    for bound in (-1.0, 1.0):
        inside, outside = estimate, bound
        if rejects(bound):
            for _ in range(_BISECTIONS):
                middle = (inside + outside) / 2
                inside, outside = (inside, middle) if rejects(middle) else (middle, outside)
        limits.append(outside)
    return Effect(estimate, Interval(limits[0], limits[1], confidence))


def _mean_variance(weights: ndarray[Any, Any], rate: ndarray[Any, Any], size: ndarray[Any, Any]) -> float:
    """Variance of the weighted mean of independent observed rates."""
    return float((weights**2 * rate * (1 - rate) / size).sum())
