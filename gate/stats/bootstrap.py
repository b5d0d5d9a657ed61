"""Cluster bootstrap: the interval of a mean of values that come in clusters (sessions, documents, users)."""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from math import ceil, floor, isfinite, sqrt
from typing import TYPE_CHECKING

from gate.stats.intervals import Effect, Interval, check_confidence
from gate.stats.refusal import TooLittle
from gate.stats.special import normal_above, student_quantile

if TYPE_CHECKING:
    from numpy.random import Generator

RESAMPLES = 5_000
LEAST_CLUSTERS = 5
"""Below, no percentile of resampled means covers what it says."""


def cluster_bootstrap(
    values: Sequence[float],
    clusters: Sequence[Hashable],
    generator: Generator,
    *,
    confidence: float = 0.95,
    resamples: int = RESAMPLES,
) -> Effect | TooLittle:
    """The mean of all values and its interval, in the units of the values.

    Whole clusters are drawn with replacement, as many as there are, and the mean of their values is taken (Davison and
    Hinkley 1997, section 3.8). The interval is the percentile interval (Efron 1979), expanded for the small number K
    of clusters (Hesterberg 2015, section 5.3): its tails are those that a normal variable has beyond
    t √(K/(K − 1)), with t the quantile of Student's variable of K − 1 degrees. For normal data it then covers .93 at
    95 % from 5 clusters on; with 3 it would cover .78 and with 2 .53, so fewer than `LEAST_CLUSTERS` are refused.

    Args:
        values: one number each; for a paired difference, the differences.
        clusters: the cluster of each value.
        generator: where the random numbers come from; the result depends on its state alone.
        resamples: how many times clusters are drawn.

    Raises:
        ValueError: not one cluster for each value, a value that is not finite, confidence outside (0, 1), or fewer
            resamples than 100.
    """
    import numpy as np

    check_confidence(confidence)
    if len(values) != len(clusters) or not all(isfinite(value) for value in values) or resamples < 100:
        raise ValueError("there is one cluster for each finite value, and at least 100 resamples")
    places = {cluster: place for place, cluster in enumerate(dict.fromkeys(clusters))}
    count = len(places)
    if count < LEAST_CLUSTERS:
        return TooLittle(f"clusters given: {count}; at least {LEAST_CLUSTERS} are needed to see how clusters differ")
    inside = np.array([places[cluster] for cluster in clusters])
    sums, sizes = np.bincount(inside, values, count), np.bincount(inside, minlength=count)
    drawn = generator.integers(count, size=(resamples, count))
    means = np.sort(sums[drawn].sum(axis=1) / sizes[drawn].sum(axis=1))
    tail = normal_above(student_quantile((1 - confidence) / 2, count - 1) * sqrt(count / (count - 1)))
    low = float(means[floor(tail * (resamples - 1))])
    high = float(means[ceil((1 - tail) * (resamples - 1))])
    estimate = float(sums.sum() / sizes.sum())
    if not low < high:
        return TooLittle(f"all {count} clusters have the same mean, so their spread can't be estimated")
    return Effect(estimate, Interval(min(low, estimate), max(high, estimate), confidence))
