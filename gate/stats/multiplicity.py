"""Many tests under one budget: levels adjusted so that each can be compared with the whole alpha."""

from __future__ import annotations

from collections.abc import Sequence
from math import inf


def holm(levels: Sequence[float], weights: Sequence[float] | None = None) -> list[float]:
    """Holm's step-down adjustment (Holm 1979), with weights where they are given.

    Rejecting where the adjusted level is at most alpha keeps the chance of any false rejection at most alpha, however
    the tests depend on each other. With levels in the order of p/w, the adjusted one is the running maximum of p/w
    times the weights from there on.

    Args:
        levels: attained levels.
        weights: how the budget is shared at first, above 0; equal by default. Only their ratios matter.

    Returns:
        Adjusted levels in the order of the input; empty for no tests.

    Raises:
        ValueError: a level outside [0, 1], a weight that is not above 0, or not one weight for each level.
    """
    _check(levels)
    shares = [1.0] * len(levels) if weights is None else list(weights)
    if len(shares) != len(levels) or not all(0 < share < inf for share in shares):
        raise ValueError("there is one weight for each level, above 0")
    order = sorted(range(len(levels)), key=lambda at: levels[at] / shares[at])
    adjusted, reached = [0.0] * len(levels), 0.0
    left = [0.0]
    for at in reversed(order):
        left.append(left[-1] + shares[at])
    for rank, at in enumerate(order):
        reached = max(reached, min(1.0, levels[at] / shares[at] * left[len(order) - rank]))
        adjusted[at] = reached
    return adjusted


def benjamini_hochberg(levels: Sequence[float]) -> list[float]:
    """The step-up adjustment of Benjamini and Hochberg (1995).

    Rejecting where the adjusted level is at most q keeps the expected share of false ones among the rejected at most q,
    for independent or positively dependent tests (Benjamini and Yekutieli 2001). It is the running minimum, from the
    largest level down, of p times the number of tests divided by its rank.

    Returns:
        Adjusted levels in the order of the input; empty for no tests.

    Raises:
        ValueError: a level outside [0, 1].
    """
    _check(levels)
    count = len(levels)
    adjusted, reached = [1.0] * count, 1.0
    for rank, at in reversed(list(enumerate(sorted(range(count), key=lambda at: levels[at]), start=1))):
        reached = min(reached, levels[at] * count / rank)
        adjusted[at] = reached
    return adjusted


def _check(levels: Sequence[float]) -> None:
    if not all(0 <= level <= 1 for level in levels):
        raise ValueError("levels lie between 0 and 1")
