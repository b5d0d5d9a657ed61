"""PASS, WARNING or FAIL of a score against its threshold."""

from __future__ import annotations

import math
from typing import Literal

from gate.errors import UndecidedError, UsageError

Status = Literal["PASS", "WARNING", "FAIL"]
FAILS_AT = 1.5
"""Times the threshold at which a warning becomes a failure."""


def gate_status(score: float, threshold: float, *, where: str = "sweep") -> Status:
    """PASS below the threshold t, WARNING from t on, FAIL from 1.5 t on.

    Args:
        score: not negative, in the unit of the threshold; smaller is better.
        threshold: above 0 and finite.

    Raises:
        UsageError: a threshold that is 0, negative, NaN or infinite.
        UndecidedError: the score is NaN, infinite or negative: nothing was measured that could hold.
    """
    checked = checked_threshold(threshold, where)
    if not 0 <= score < math.inf:
        raise UndecidedError(
            f"the score is {score!r}, so there is no status", where=where, remedy="mend the model's answers"
        )
    if score >= FAILS_AT * checked:
        return "FAIL"
    return "WARNING" if score >= checked else "PASS"


def worst(statuses: list[Status]) -> Status:
    """The worst of at least one status."""
    return max(statuses, key=("PASS", "WARNING", "FAIL").index)


def checked_threshold(threshold: object, where: str) -> float:
    """The threshold as a float.

    Raises:
        UsageError: no number, or one that is 0, negative, NaN or infinite.
    """
    remedy = "give the largest change that is still stable, for example 0.15"
    try:
        number = float(threshold)  # type: ignore[arg-type]
    except (TypeError, ValueError):
        raise UsageError(f"threshold {threshold!r:.40} is no number", where=where, remedy=remedy) from None
    if isinstance(threshold, bool | str) or not 0 < number < math.inf:
        raise UsageError(f"threshold {threshold!r:.40} is not positive and finite", where=where, remedy=remedy)
    return number
