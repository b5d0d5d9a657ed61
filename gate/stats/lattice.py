"""Paths on the lattice of trials: what a sequential rule does at any true rate, exactly.

A rule is two tables. Row `s0` belongs to a baseline with `s0` passes of `n0`, column `n` to `n` trials of the
candidate: `regression[s0, n]` is the least number of failures that says regression, `holds[s0, n]` the greatest number
that says that the case holds. From one column to the next both stay or grow by one, so a path leaves through one known
point a column, and counting paths (Aroian 1968, the direct method of sequential analysis) costs one addition a point.
The count of paths into a point times the chance of one path is the chance of the point, at every rate.
"""

from __future__ import annotations

from dataclasses import dataclass
from math import ceil, comb, pi, sqrt

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]
Bools = NDArray[np.bool_]

MARGIN = 1.02
"""What the greatest chance over `rates_for` is multiplied by, so that it bounds the chance at the rates in between."""

_DIVERGENCE = 0.008
_BLOCK = 128

MOST_TRIALS = 1000
"""Baseline and candidate together: more paths than 2 ** 1000 don't fit a double."""


@dataclass(frozen=True, slots=True, eq=False)
class Exits:
    """One way out of the lattice.

    Attributes:
        paths: number of paths that leave at (s0, n), an array of (n0 + 1, cap + 1).
        fails: failures of the candidate at that point, same shape; meaningless where there is no path.
    """

    paths: Floats
    fails: Ints


@dataclass(frozen=True, slots=True, eq=False)
class Paths:
    """Every path from no trial to its end; two exits are undecided, see `count_paths`."""

    regression: Exits
    holds: Exits
    undecided: tuple[Exits, Exits]


@dataclass(frozen=True, slots=True, eq=False)
class Totals:
    """How many ways lead to each pair of passes and failures, baseline and candidate together; one-dimensional."""

    passes: Ints
    fails: Ints
    counts: Floats


def count_paths(regression: Ints, holds: Ints, patient: bool, entries: Floats | None = None) -> Paths:
    """Count the paths to each end, undecided as soon as failures alone can't reach a regression before the cap.

    The last such point of a column has one failure less than is needed. A patient rule stays there as long as passes
    alone can still reach holds: its paths leave with the failure that ends this, too.

    Args:
        regression, holds: the rule, each (n0 + 1, cap + 1); no path is there yet when holds is -1, or regression n + 1.
        patient: whether the rule waits for holds.
        entries: paths that come in at (n, failures, s0), all strictly inside the rule; by default one at no trial.
    """
    rows, cap = len(regression), regression.shape[1] - 1
    futile = regression[:, [cap]] - (cap - np.arange(cap + 1)) - 1
    most = np.broadcast_to(holds[:, [cap]], futile.shape)
    late = np.where(patient & (most < futile), most + 1, -1)
    if patient:
        futile = np.where(futile > most, futile, -1)
    ends = [Exits(np.zeros(regression.shape), fails) for fails in (regression, holds, futile, late)]
    alive, row, nowhere = np.zeros((cap + 3, rows)), np.arange(rows), cap + 2
    if entries is None:
        entries = np.ones((1, 1, rows))
    columns = [np.where(end.fails < 0, nowhere, end.fails).T for end in ends]
    for n in range(cap + 1):
        if n:
            alive[1 : n + 1] += alive[:n]
        if n < len(entries):
            alive[: entries.shape[1]] += entries[n]
        for end, column in zip(ends, columns, strict=True):
            end.paths[:, n] = alive[column[n], row]
            alive[column[n], row] = 0
    return Paths(ends[0], ends[1], (ends[2], ends[3]))


def regression_paths(regression: Ints, holds: Ints) -> Floats:
    """The first count of `count_paths` alone, for calibration: what can't reach a regression doesn't change it."""
    rows, cap = len(regression), regression.shape[1] - 1
    crossed = np.zeros((cap + 1, rows))
    alive, row, nowhere = np.zeros((cap + 3, rows)), np.arange(rows), cap + 2
    alive[0] = 1
    out, inside = regression.T.copy(), np.where(holds < 0, nowhere, holds).T.copy()
    for n in range(1, cap + 1):
        alive[1 : n + 1] += alive[:n]
        crossed[n] = alive[out[n], row]
        alive[out[n], row] = 0
        alive[inside[n], row] = 0
    return crossed.T


def choices(n: int) -> Floats:
    """Binomial coefficients of n, as doubles."""
    return np.array([float(comb(n, k)) for k in range(n + 1)])


def binomial(n: int, rate: float) -> Floats:
    """Chances of 0 to n passes of n; by logarithms, so that n may be large."""
    k = np.arange(n + 1)
    if not 0 < rate < 1:
        return np.where(k == (n if rate > 0 else 0), 1.0, 0.0)
    ways = np.concatenate([[0.0], np.cumsum(np.log((n - k[:-1]) / (k[:-1] + 1)))])
    found: Floats = np.exp(ways + k * np.log(rate) + (n - k) * np.log1p(-rate))
    return found


def by_totals(exits: Exits, ways: Floats | None = None) -> Totals:
    """Pairs of a baseline and a path, by the passes and failures of both together: all that one rate for both sees.

    Args:
        exits: the paths.
        ways: how many baselines each s0 stands for; by default all with so many passes of n0.
    """
    n0, size = len(exits.paths) - 1, sum(exits.paths.shape) - 1
    s0, n = np.nonzero(exits.paths)
    fails = exits.fails[s0, n]
    counts = exits.paths[s0, n] * (choices(n0) if ways is None else ways)[s0]
    return gather(s0 + n - fails, n0 - s0 + fails, counts, size)


def gather(passes: Ints, fails: Ints, counts: Floats, size: int) -> Totals:
    """Add up the counts of equal passes and failures, both below `size`."""
    table = np.bincount(passes * size + fails, counts, size * size)
    kept = np.flatnonzero(table)
    return Totals(kept // size, kept % size, table[kept].astype(np.float64))


def chance_at(totals: Totals, rates: Floats) -> Floats:
    """Chance of what was counted when baseline and candidate both have this rate, for each rate.

    In blocks that fit a processor's cache, and without a matrix product: small ones are slow on a busy machine, where
    the library's threads wait for each other.
    """
    if not len(totals.counts):
        return np.zeros(len(rates))
    hit, missed = _powers(rates, totals.passes.max()), _powers(1 - rates, totals.fails.max())
    found = np.zeros(len(rates))
    for start in range(0, len(totals.counts), _BLOCK):
        part = slice(start, start + _BLOCK)
        terms = hit[totals.passes[part]]
        terms *= missed[totals.fails[part]]
        found += np.einsum("t,tq->q", totals.counts[part], terms)
    return found


def _powers(rates: Floats, most: int) -> Floats:
    """Powers 0 to `most` of each rate, (most + 1, rates); products are several times quicker than powers."""
    rows = np.ones((most + 1, len(rates)))
    rows[1:] = rates
    found: Floats = np.multiply.accumulate(rows, axis=0)
    return found


def greatest_chance(*parts: Totals) -> float:
    """An upper bound, at every rate, of the chance of all parts together; at most 2 % above the greatest one."""
    filled = [part for part in parts if len(part.counts)]
    if not filled:
        return 0.0
    most = max(int((part.passes + part.fails).max()) for part in filled)
    whole = any(0 in (part.passes.min(), part.fails.min()) for part in filled)
    rates = np.concatenate([rates_for(most), _edges(most)]) if whole else rates_for(most)
    return float(np.sum([chance_at(part, rates) for part in filled], axis=0).max()) * MARGIN


def rates_for(trials: int) -> Floats:
    """Rates between 0 and 1, equally far apart on Fisher's arcsine scale: 75, more for more than 76 trials in all.

    A sum of terms c q^t (1 - q)^u with t + u <= trials, greatest at q, is at the nearest of these rates at least
    exp(-trials KL) times as large (Jensen's inequality, as the mean of t there is q times the mean of t + u), and the
    Kullback-Leibler divergence KL of rates h apart on that scale is 2 h^2 up to a tenth: within `MARGIN`. It needs a
    mean of t and u of at least 1; where a term has none, `_edges` are to be looked at, too.
    """
    count = max(75, ceil(pi / 4 / sqrt(_DIVERGENCE / max(trials, 1))))
    rates: Floats = np.sin(np.linspace(0, pi / 2, count + 2)[1:-1]) ** 2
    return rates


def _edges(trials: int) -> Floats:
    """Rates of less than one expected pass or failure: 0 and 1, and factors of 1.5 from a hundredth to one."""
    few = np.minimum(np.append(0.0, 0.01 * 1.5 ** np.arange(13)) / max(trials, 1), 0.5)
    return np.concatenate([few, 1 - few])


def chances(exits: Exits, weights: Floats, rate: float) -> Floats:
    """Chance of each exit for a candidate of this rate, with `weights` the chances of s0; an array like `paths`."""
    columns = np.arange(exits.paths.shape[1])
    fails = np.clip(exits.fails, 0, columns)
    hit = np.float64(rate) ** columns
    missed = np.float64(1 - rate) ** columns
    found: Floats = weights[:, None] * exits.paths * hit[columns - fails] * missed[fails]
    return found
