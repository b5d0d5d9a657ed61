"""Confidence intervals of a pass rate, and of the change between two runs of the same tests.

Rates and changes are fractions: a change of −0.05 reads "five points down". No interval has zero width, none leaves
the range that its quantity can have, and without data there is a refusal.
"""

from __future__ import annotations

from dataclasses import dataclass
from math import expm1, log, sqrt

from gate.stats.refusal import TooLittle
from gate.stats.special import beta_quantile, normal_quantile

_NO_TRIAL = TooLittle("no trial was run, so nothing is known about the pass rate")


@dataclass(frozen=True, slots=True)
class Interval:
    """From `low` to `high`, with the chance `confidence` to hold the true value."""

    low: float
    high: float
    confidence: float


@dataclass(frozen=True, slots=True)
class Effect:
    """A change as it was observed (candidate minus baseline, a fraction), and the interval of the true one."""

    estimate: float
    interval: Interval


def wilson(passes: int, trials: int, confidence: float = 0.95) -> Interval | TooLittle:
    """Score interval of a pass rate (Wilson 1927); its coverage is near `confidence` on average over rates.

    With p = passes/trials and z the normal quantile: (p + z²/2n ± z √(p(1 − p)/n + z²/4n²)) / (1 + z²/n).

    Raises:
        ValueError: confidence outside (0, 1), or passes outside 0 to trials.
    """
    check_confidence(confidence)
    check_counts(passes, trials)
    if not trials:
        return _NO_TRIAL
    z = normal_quantile((1 - confidence) / 2)
    share, square = passes / trials, z * z / trials
    middle = share + square / 2
    half = sqrt(square * (share * (1 - share) + square / 4))
    low = 0.0 if not passes else (middle - half) / (1 + square)
    high = 1.0 if passes == trials else (middle + half) / (1 + square)
    return Interval(low, high, confidence)


def clopper_pearson(passes: int, trials: int, confidence: float = 0.95) -> Interval | TooLittle:
    """Exact interval of a pass rate: both one-sided bounds of Clopper and Pearson (1934), each at half the miss.

    Its coverage is at least `confidence` at every rate.

    Raises:
        ValueError: confidence outside (0, 1), or passes outside 0 to trials.
    """
    check_confidence(confidence)
    miss = (1 - confidence) / 2
    low, high = lower_bound(passes, trials, miss), upper_bound(passes, trials, miss)
    if isinstance(low, TooLittle) or isinstance(high, TooLittle):
        return _NO_TRIAL
    return Interval(low, high, confidence)


def lower_bound(passes: int, trials: int, miss: float) -> float | TooLittle:
    """One-sided Clopper-Pearson bound (1934): the true rate lies below it with chance at most `miss`.

    The `miss` quantile of Beta(passes, trials − passes + 1); 0 when nothing passed.

    Raises:
        ValueError: miss outside (0, 1), or passes outside 0 to trials.
    """
    _check_miss(miss)
    check_counts(passes, trials)
    if not trials:
        return _NO_TRIAL
    if not passes:
        return 0.0
    if passes == trials:
        return float(miss ** (1 / trials))
    return beta_quantile(miss, passes, trials - passes + 1)


def upper_bound(passes: int, trials: int, miss: float) -> float | TooLittle:
    """One-sided Clopper-Pearson bound (1934): the true rate lies above it with chance at most `miss`.

    One minus the lower bound of the rate of failures; 1 when everything passed.

    Raises:
        ValueError: miss outside (0, 1), or passes outside 0 to trials.
    """
    _check_miss(miss)
    check_counts(passes, trials)
    if not trials:
        return _NO_TRIAL
    if passes == trials:
        return 1.0
    if not passes:
        return -expm1(log(miss) / trials)
    return 1 - beta_quantile(miss, trials - passes, passes + 1)


def paired_difference(broke: int, fixed: int, pairs: int, confidence: float = 0.95) -> Effect | TooLittle:
    """Change of the pass rate between two runs of the same tests, the effect that McNemar's test is about.

    Bonett and Price (2012), the adjusted Wald interval: with p = (broke + 1)/(n + 2), r = (fixed + 1)/(n + 2) and
    d = r − p, it is d ± z √((p + r − d²)/(n + 2)), cut to −1 to 1. Unlike Wald's own it keeps its coverage when few
    tests or none changed. It is widened where needed to hold the observed change (fixed − broke)/n.

    Args:
        broke: tests that passed before and fail now.
        fixed: tests that failed before and pass now.
        pairs: tests with an outcome on both sides.

    Raises:
        ValueError: confidence outside (0, 1), a negative count, or more changes than pairs.
    """
    check_confidence(confidence)
    if broke < 0 or fixed < 0 or broke + fixed > pairs:
        raise ValueError("broke and fixed are at least 0 and at most pairs together")
    if not pairs:
        return TooLittle("no test has an outcome on both sides")
    z, size = normal_quantile((1 - confidence) / 2), pairs + 2
    down, up = (broke + 1) / size, (fixed + 1) / size
    change, estimate = up - down, (fixed - broke) / pairs
    half = z * sqrt((down + up - change * change) / size)
    low, high = max(-1.0, min(change - half, estimate)), min(1.0, max(change + half, estimate))
    return Effect(estimate, Interval(low, high, confidence))


def check_confidence(confidence: float) -> None:
    """Raises ValueError when `confidence` is outside (0, 1)."""
    if not 0 < confidence < 1:
        raise ValueError("confidence lies strictly between 0 and 1")


def check_counts(passes: int, trials: int) -> None:
    """Raises ValueError when `passes` is no count among `trials`."""
    if not 0 <= passes <= trials:
        raise ValueError("passes are at least 0 and at most as many as trials")


def _check_miss(miss: float) -> None:
    if not 0 < miss < 1:
        raise ValueError("miss lies strictly between 0 and 1")
