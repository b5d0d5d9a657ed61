"""Attained levels: how seldom an unchanged case ends as far towards regression as this one did, exactly.

The ends of a sequential design have no natural order. Here those that say regression come before all others, and among
both the further one is the one with the greater likelihood ratio (likelihood ratio ordering, Chang 1989). The level is
the greatest chance, over all true rates, that an unchanged case ends at least as far. So:

- it is at most x with a chance of at most x when nothing changed, whatever the true rate;
- it is at most the share exactly if the answer is regression;
- Holm's order (Holm 1979) may be used on the levels of several cases.

Where nothing was decided yet the level is 1.
"""

from __future__ import annotations

from math import nextafter

import numpy as np

from gate.stats.design import Answer, Design
from gate.stats.lattice import Exits, Floats, Ints, Totals, by_totals, greatest_chance
from gate.stats.likelihood import one_rate, x_log_x

ROUNDING = 1e-9
"""How much less evidence counts as equal."""


def attained_level(design: Design, s0: int, passes: int, fails: int) -> float:
    """The exact attained level of an end, at most `share` exactly if it says regression; see above.

    Ends are ordered by the signed likelihood ratio of the two samples: GUARD of `calibration` where the candidate
    passes less often than the baseline, and minus GUARD elsewhere. 1.0 where nothing was decided yet.

    Raises:
        ValueError: counts that the design can't have.
    """
    answer, paths = design.answer(s0, passes, fails), design.paths
    reached = evidence_at(design.question.n0, s0, passes, fails)
    return level_of(
        answer,
        design.question.share,
        [by_totals(paths.regression)],
        [by_totals(as_far(paths.regression, reached))],
        [by_totals(as_far(end, reached)) for end in (paths.holds, *paths.undecided)],
    )


def level_of(
    answer: Answer, share: float, regression: list[Totals], far: list[Totals], far_others: list[Totals]
) -> float:
    """The level of an end with this answer.

    Args:
        answer: what the end says.
        share: the chance of a false regression that the design was made for.
        regression: all ends that say regression.
        far: those of them that are at least as far.
        far_others: other ends that are at least as far.
    """
    if answer == "more":
        return 1.0
    if answer == "regression":
        return min(greatest_chance(*far), share)
    return min(max(greatest_chance(*regression, *far_others), nextafter(share, 1.0)), 1.0)


def as_far(end: Exits, reached: float) -> Exits:
    """The paths that end with at least this evidence; a hair less, for the rounding of equal evidence."""
    rows, columns = end.paths.shape
    n = np.arange(columns)[None, :]
    found = evidence(rows - 1, np.arange(rows)[:, None], n, np.clip(end.fails, 0, n))
    return Exits(np.where(found >= reached - ROUNDING, end.paths, 0.0), end.fails)


def evidence_at(n0: int, s0: int, passes: int, fails: int) -> float:
    """`evidence` of one end."""
    return float(evidence(n0, np.array([s0]), np.array([passes + fails]), np.array([fails]))[0])


def evidence(n0: int, s0: Ints, n: Ints, fails: Ints) -> Floats:
    """GUARD, negative where the candidate does not pass less often than the baseline; 0 where one of them is empty."""
    logs, passes = x_log_x(n0 + int(n.max(initial=0))), n - fails
    before, total = np.broadcast_to(n0, s0.shape), np.broadcast_to(n0 + n, fails.shape)
    ratio = one_rate(logs, s0, before) + one_rate(logs, passes, n) - one_rate(logs, s0 + passes, total)
    return np.where(passes * n0 < s0 * n, ratio, -ratio)
