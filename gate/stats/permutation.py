"""Permutation test of "the mean fell" between two samples of scores in [0, 1].

When nothing changed, every choice of which of the pooled scores are the candidate's is equally likely, whatever the
distribution of scores is (Pitman 1937). So the level is exact for every distribution.
"""

from __future__ import annotations

from collections.abc import Sequence
from math import comb, exp, gcd, log, log1p
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from numpy import ndarray
    from numpy.random import Generator

GRID = 100
"""Scores are rounded to this many steps in 1; a permutation test of rounded scores is exact as well."""
_WORK = 200_000_000
"""Additions up to which the distribution is counted out; about a second."""
_RESAMPLES = 20_000
_BATCH = 500


def permutation_level(
    baseline: Sequence[float], candidate: Sequence[float], generator: Generator | None = None
) -> float:
    """One-sided level of "the candidate's mean is lower".

    Exact where it can be counted out: the number of ways to choose the candidate's scores with a sum at most the
    observed one comes from the shift algorithm (Streitberg and Röhmel 1986), which is full enumeration, only quicker.
    Above `_WORK` additions and where a generator is given, random permutations stand in: (1 + b)/(1 + B) with b of B
    sums at most the observed one, whose level holds too (Phipson and Smyth 2010).

    Args:
        baseline, candidate: scores in [0, 1], rounded to steps of 1/`GRID`.
        generator: used for large samples only; without one they are counted out however long it takes.

    Returns:
        A level; 1.0 when either sample is empty.

    Raises:
        ValueError: a score outside [0, 1].
    """
    before, now = steps(baseline), steps(candidate)
    if not before or not now:
        return 1.0
    if generator is not None and len(now) * (len(before) + len(now)) * sum(now) > _WORK:
        return _sampled(before, now, generator)
    return _counted(before, now)


def steps(scores: Sequence[float]) -> list[int]:
    """Scores in whole steps of 1/`GRID`. Raises ValueError for one outside [0, 1]."""
    if not all(0 <= score <= 1 for score in scores):
        raise ValueError("scores lie between 0 and 1")
    return [round(score * GRID) for score in scores]


def _counted(before: list[int], now: list[int]) -> float:
    """Chance of a sum at most the observed one, by (scores chosen, their sum).

    Each score is chosen with chance n/N and the number chosen is then held at n, which makes every choice of n equally
    likely and keeps all numbers small. Scores come in increasing order; rows that can no longer end at n, for want of
    further scores or because those are too large, are left alone.
    """
    import numpy as np

    lowest = min(*before, *now)
    unit = gcd(*(score - lowest for score in (*before, *now))) or 1
    pooled = sorted((score - lowest) // unit for score in (*before, *now))
    size, observed = len(now), sum((score - lowest) // unit for score in now)
    chosen = size / len(pooled)
    chances = np.zeros((size + 1, observed + 1))
    chances[0, 0] = 1.0
    for taken, score in enumerate(pooled):
        most = min(size, taken + 1)
        least = max(0, size - len(pooled) + taken, size - observed // score if score else 0)
        picked = chosen * chances[least:most, : max(0, observed + 1 - score)]
        chances[least : most + 1] *= 1 - chosen
        if score <= observed:
            chances[least + 1 : most + 1, score:] += picked
    held = log(comb(len(pooled), size)) + size * log(chosen) + len(before) * log1p(-chosen)
    return min(1.0, float(chances[size].sum()) / exp(held))


def _sampled(before: list[int], now: list[int], generator: Generator) -> float:
    import numpy as np

    pooled: ndarray[Any, Any] = np.array([*before, *now])
    observed, size, hits = sum(now), len(now), 0
    for _ in range(_RESAMPLES // _BATCH):
        rows = generator.permuted(np.tile(pooled, (_BATCH, 1)), axis=1)
        hits += int((rows[:, :size].sum(axis=1) <= observed).sum())
    return (1 + hits) / (1 + _RESAMPLES)
