"""Incomplete beta function and the quantiles that follow from it, to about 1e-13, without SciPy.

Binomial tails, bounds of Clopper and Pearson and Student's t are all incomplete beta functions (Abramowitz and Stegun
1964, 26.5.24, 26.5.27), so this is the one special function that is needed.
"""

from __future__ import annotations

from math import exp, lgamma, log, log1p, sqrt

_TINY = 1e-300
_CLOSE = 3e-16
_TERMS = 20_000
"""Far above what is needed: about the square root of the larger parameter."""
_SETTLED = 1e-9
"""A step of Newton's method so small squares to less than a rounding error."""
_STEPS = 1_200
"""Enough to halve the interval from 0 to 1 down to the smallest number; eight is usual."""


def beta_below(x: float, a: float, b: float) -> float:
    """Chance that a Beta(a, b) variable is at most x: the regularised incomplete beta function.

    By its continued fraction (Abramowitz and Stegun 1964, 26.5.8; evaluated as Lentz 1976 does), from the side where
    that converges quickly.

    Raises:
        ValueError: a or b is not above 0.
    """
    if not a > 0 or not b > 0:
        raise ValueError("a and b lie above 0")
    if x <= 0:
        return 0.0
    if x >= 1:
        return 1.0
    if x > (a + 1) / (a + b + 2):
        return 1 - _lower(1 - x, x, b, a)
    return _lower(x, 1 - x, a, b)


def beta_quantile(level: float, a: float, b: float) -> float:
    """The x at which `beta_below(x, a, b)` is `level`.

    Newton's method on the logarithm of the tail, kept inside a bracket that every step narrows.

    Raises:
        ValueError: level outside (0, 1), or a or b not above 0.
    """
    if not 0 < level < 1:
        raise ValueError("a level lies strictly between 0 and 1")
    if level > 0.5:
        return 1 - beta_quantile(1 - level, b, a)
    low, high, x = 0.0, 1.0, a / (a + b)
    for _ in range(_STEPS):
        below = beta_below(x, a, b)
        if below < level:
            low = x
        else:
            high = x
        density = _density(x, a, b)
        guess = x - below * log(below / level) / density if below > 0 and density > 0 else low
        if low <= guess <= high and abs(guess - x) <= _SETTLED * x:
            return guess
        x = guess if low < guess < high else (low + high) / 2
    return x


def binomial_at_least(passes: int, trials: int, rate: float) -> float:
    """Chance of `passes` or more among `trials` at `rate` (Abramowitz and Stegun 1964, 26.5.24)."""
    if passes <= 0:
        return 1.0
    if passes > trials:
        return 0.0
    return beta_below(rate, passes, trials - passes + 1)


def normal_quantile(tail: float) -> float:
    """The z that a standard normal variable exceeds with chance `tail`, in (0, 1)."""
    from statistics import NormalDist

    return -NormalDist().inv_cdf(tail)


def normal_above(z: float) -> float:
    """Chance that a standard normal variable exceeds z."""
    from math import erfc

    return erfc(z / sqrt(2)) / 2


def student_quantile(tail: float, freedom: float) -> float:
    """The t that Student's variable of `freedom` degrees exceeds with chance `tail`, in (0, .5].

    From t² = freedom (1 − x) / x with x a quantile of Beta(freedom/2, 1/2) (Abramowitz and Stegun 1964, 26.5.27).
    """
    if not 0 < tail <= 0.5:
        raise ValueError("a tail lies above 0 and is at most .5")
    if tail == 0.5:
        return 0.0
    x = beta_quantile(2 * tail, freedom / 2, 0.5)
    return sqrt(freedom * (1 - x) / x)


def _logarithm(x: float, y: float, a: float, b: float) -> float:
    """Of x^a y^b / B(a, b), with y = 1 − x."""
    return lgamma(a + b) - lgamma(a) - lgamma(b) + a * log(x) + b * (log1p(-x) if x < 0.5 else log(y))


def _density(x: float, a: float, b: float) -> float:
    return exp(_logarithm(x, 1 - x, a, b)) / (x * (1 - x)) if 0 < x < 1 else 0.0


def _lower(x: float, y: float, a: float, b: float) -> float:
    """The continued fraction for x below the mean."""
    c, d = 1.0, 1 - (a + b) * x / (a + 1)
    d = 1 / (d if abs(d) > _TINY else _TINY)
    value = d
    for m in range(1, _TERMS):
        even = m * (b - m) * x / ((a + 2 * m - 1) * (a + 2 * m))
        odd = -(a + m) * (a + b + m) * x / ((a + 2 * m) * (a + 2 * m + 1))
        for term in (even, odd):
            d = 1 + term * d
            d = 1 / (d if abs(d) > _TINY else _TINY)
            c = 1 + term / c
            c = c if abs(c) > _TINY else _TINY
            value *= d * c
        if abs(d * c - 1) < _CLOSE:
            break
    return exp(_logarithm(x, y, a, b)) * value / a
