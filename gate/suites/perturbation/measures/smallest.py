"""The median of the smallest ε that flips an example, where some examples were never flipped."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from gate.errors import UsageError
from gate.suites.perturbation.measures.per_epsilon import flags_of


@dataclass(frozen=True, slots=True)
class SmallestEpsilon:
    """Smallest ε that flips, over all examples.

    Attributes:
        median: ε at which half of the examples are flipped; None where fewer than half are.
        above: what is known where `median` is None: it lies above this ε, up to which the search went.
        flipped: examples with a known smallest ε.
        censored: examples that no ε of the search flipped: their smallest one lies above the last ε tried.
    """

    median: float | None
    above: float
    flipped: int
    censored: int


def first_flips(epsilons: Sequence[float], flipped: Any, *, where: str = "sweep") -> Any:
    """(n,) smallest ε at which each example flipped; NaN where none did.

    Args:
        epsilons: k values, ascending.
        flipped: (k, n) truth values, one row an ε.

    Raises:
        UsageError: unsorted ε, or not one row for each.
    """
    import numpy as np

    if not epsilons or list(epsilons) != sorted(set(epsilons)):
        raise UsageError("epsilons are not ascending", where=where, remedy="sort them, each once")
    rows = [flags_of(row, "flipped", where) for row in flipped]
    if len(rows) != len(epsilons) or len({len(row) for row in rows}) > 1:
        raise UsageError("there is not one row of flips for each epsilon", where=where, remedy="give (k, n) flips")
    marks = np.stack(rows)
    return np.where(marks.any(axis=0), np.asarray(epsilons, dtype=float)[marks.argmax(axis=0)], np.nan)


def smallest_epsilon(found: Any, reached: Any, *, where: str = "sweep") -> SmallestEpsilon:
    """The Kaplan-Meier median (Kaplan and Meier 1958, section 2) over flipped and censored examples.

    The share S(ε) of examples that withstand ε falls at each ε that flips by the factor 1 − d/n, with d examples
    flipped there and n not flipped before it nor given up below it. The median is the smallest ε with S(ε) ≤ 1/2.
    Where all searches went equally far, that is the plain median with the censored ones at infinity.

    Args:
        found: (n,) smallest ε that flips, 0 where no number had to move; NaN where the search found none.
        reached: the largest ε that the search tried, one for all or (n,).

    Raises:
        UsageError: no example, an ε that is negative, or one found beyond what was tried.
    """
    import numpy as np

    events = np.asarray(found, dtype=float)
    limits = np.broadcast_to(np.asarray(reached, dtype=float), events.shape)
    if events.ndim != 1 or not len(events):
        raise UsageError("there is no example", where=where, remedy="give one smallest epsilon an example, or NaN")
    flipped = ~np.isnan(events)
    ends = np.where(flipped, events, limits)
    sound = np.isfinite(ends) & (ends >= 0) & (limits > 0)
    if not sound.all() or (events[flipped] > limits[flipped]).any():
        remedy = "give epsilons from 0 to what was tried"
        raise UsageError("a smallest epsilon is negative or lies beyond the search", where=where, remedy=remedy)
    share = 1.0
    for epsilon in np.unique(events[flipped]):
        at_risk = int((ends >= epsilon).sum())
        share *= 1 - int((events == epsilon).sum()) / at_risk
        if share <= 0.5 + 1e-12:
            return SmallestEpsilon(float(epsilon), float(epsilon), int(flipped.sum()), int((~flipped).sum()))
    return SmallestEpsilon(None, float(ends.max()), int(flipped.sum()), int((~flipped).sum()))
