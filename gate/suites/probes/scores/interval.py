"""95 % confidence intervals of scores: Wilson's where a score is a plain rate, else by resampling whole probes."""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction

from gate.stats.bootstrap import cluster_bootstrap
from gate.stats.dimension_scores import FULL, Parts
from gate.stats.intervals import wilson
from gate.stats.refusal import TooLittle

Bounds = tuple[float, float]


def interval_of(found: Parts, seed: int = 0) -> Bounds | None:
    """Of one dimension's score, in points; None where too few probes tell it.

    Where each probe adds one yes or no, the score is a rate: Wilson (1927). Several answers or tests of one probe
    depend on each other, so probes are resampled whole then. Where all of them got everything, or nothing, none differs
    from another, and Wilson's interval over probes stands.
    """
    clusters = {part.cluster for part in found.parts if part.of}
    if not clusters or found.score is None:
        return None
    if len(clusters) == len(found.parts) and all(part.of == 1 and part.got in (0, 1) for part in found.parts):
        return _wilson(sum(part.got == 1 for part in found.parts), len(clusters))
    bounds = composite_interval([found], [Fraction(1)], seed)
    if bounds is None and found.score in (0, FULL):
        return _wilson(len(clusters) if found.score else 0, len(clusters))
    return bounds


def _wilson(passes: int, trials: int) -> Bounds | None:
    found = wilson(passes, trials)
    return None if isinstance(found, TooLittle) else (FULL * found.low, FULL * found.high)


def composite_interval(found: Sequence[Parts], weights: Sequence[Fraction], seed: int = 0) -> Bounds | None:
    """Of the weighted mean of several scores, in points, by the cluster bootstrap over probes; None where it refuses.

    A score is a ratio of sums R = Σ got / Σ of, which resampling moves, to first order, by the mean of each probe's
    influence (got − R · of) / mean of (Davison and Hinkley 1997, section 2.7.2). With N probes in all, the value of a
    probe is the composite + N · w · Σ (got − R · of) / Σ of: its mean over probes is the composite, and resampling it
    spreads as resampling each dimension's probes would. Only dimensions with a score may be given.
    """
    import numpy as np

    whole = sum(weights, Fraction(0))
    centre = Fraction(0)
    influence: dict[tuple[int, str], Fraction] = {}
    for place, (parts, weight) in enumerate(zip(found, weights, strict=True)):
        score = parts.score
        if score is None:
            raise ValueError("a dimension without a score is in no composite")
        centre += weight / whole * score
        total = sum((part.of for part in parts.parts), Fraction(0))
        for part in parts.parts:
            added = weight / whole * (FULL * part.got - score * part.of) / total
            key = place, part.cluster
            influence[key] = influence.get(key, Fraction(0)) + added
    values = [float(centre + len(influence) * added) for added in influence.values()]
    spread = cluster_bootstrap(values, list(influence), np.random.default_rng(seed))
    if isinstance(spread, TooLittle):
        return None
    low, high = spread.interval.low, spread.interval.high
    return max(low, 0.0), min(high, float(FULL))
