"""The smallest drop of a dimension's score that so many answers can show."""

from __future__ import annotations

from fractions import Fraction

from gate.stats.mcnemar import exact_one_sided

ALPHA = 0.05


def smallest_detectable(answers: int, alpha: float = ALPHA) -> Fraction | None:
    """100 · d / answers, in points, with d the fewest answers that newly fail, none newly passing, that are no noise.

    The same probes on both sides are pairs, of which only those that changed speak (McNemar 1947). When nothing
    changed, d of d changed pairs break with chance 2^-d, so d is the smallest number with 2^-d <= alpha: 5 at 5 %. Of
    15 probes with one answer each that is 5/15 = 33 points. Where a probe has several answers on each side and d of
    them fail, the exact chance is at most 2^-d, and answers count instead of probes. An answer is taken to be worth a
    full share, so for tiers, rounds and F1 the figure is an approximation.

    Returns:
        None where not even all answers failing would show.

    Raises:
        ValueError: alpha outside (0, 1) or a negative number of answers.
    """
    if answers < 0 or not 0 < alpha < 1:
        raise ValueError("answers are at least 0, and alpha lies strictly between 0 and 1")
    broken = next(count for count in range(1, 1_100) if exact_one_sided(count, 0) <= alpha)
    return Fraction(100 * broken, answers) if broken <= answers else None
