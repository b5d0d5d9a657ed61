"""Greatest log likelihoods of two binomial samples: equal rates, any rates, and rates a fixed drop apart.

`a` passes of `m` in the first sample (baseline), `b` of `n` in the second (candidate); binomial coefficients are left
out, natural logarithms, 0 ln 0 = 0. All take arrays and broadcast.
"""

from __future__ import annotations

import numpy as np

from gate.stats.lattice import Floats, Ints

_TINY = 1e-300


def x_log_x(most: int) -> Floats:
    """x ln x for the whole numbers from 0 to `most`."""
    x = np.arange(most + 1, dtype=np.float64)
    found: Floats = x * np.log(np.maximum(x, 1))
    return found


def one_rate(table: Floats, passes: Ints, trials: Ints) -> Floats:
    """l(passes, trials): the sample's log likelihood at its own rate. `table` is `x_log_x` of at least `trials`."""
    found: Floats = table[passes] + table[trials - passes] - table[trials]
    return found


def drop_by(a: Ints, m: Ints | int, b: Ints, n: Ints | int, delta: float) -> Floats:
    """The log likelihood when the second rate lies exactly `delta` below the first, at the best such pair of rates.

    The best first rate is the middle root of a cubic (Miettinen and Nurminen 1985, appendix 1; Farrington and Manning
    1990), which lies between delta and 1.
    """
    more: Floats = b + n * delta
    third: Floats = np.add(m, n, dtype=np.float64)
    second: Floats = -(a + m * (1 + 2 * delta) + more + n)
    first = a * (1 + 2 * delta) + m * delta * (1 + delta) + more
    absolute = -a * delta * (1 + delta)
    shift = second / (3 * third)
    p = first / third - 3 * shift**2
    q = 2 * shift**3 - shift * first / third + absolute / third
    radius = np.sqrt(np.maximum(-p / 3, _TINY))
    angle = np.arccos(np.clip(-q / (2 * radius**3), -1, 1))
    rate = np.clip(2 * radius * np.cos((angle - 2 * np.pi) / 3) - shift, delta, 1)
    return _at(a, m, rate) + _at(b, n, rate - delta)


def _at(passes: Ints, trials: Ints | int, rate: Floats) -> Floats:
    """Log likelihood at a rate; where a rate of 0 or 1 is impossible the value is very small, not infinite."""
    hit: Floats = np.log(np.maximum(rate, _TINY))
    missed: Floats = np.log(np.maximum(1 - rate, _TINY))
    return passes * hit + (trials - passes) * missed
