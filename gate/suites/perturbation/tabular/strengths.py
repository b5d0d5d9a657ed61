"""How strong a perturbation is: numbers that are checked before anything is drawn."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from typing import Literal

from gate.errors import UsageError

Unit = Literal["scale", "factor", "count", "share"]
_REMEDIES: dict[Unit, str] = {
    "scale": "give shares such as 0.05",
    "factor": "give factors such as 10 or 0.1",
    "count": "give whole numbers from 1",
    "share": "give shares above 0, at most 1",
}


def checked(values: Iterable[float], where: str, unit: Unit = "scale") -> list[float]:
    """The strengths in order, so that the list's own order changes nothing.

    Args:
        unit: "scale" for shares of a column's scale, "factor" for what a number is multiplied by, "count" for whole
            numbers, "share" for shares of cells.

    Raises:
        UsageError: there is none, one is not positive and finite or not of its unit, or one stands twice.
    """
    given: Sequence[float] = list(values)
    if not given:
        raise UsageError("no epsilon is given", where=where, remedy="give at least one, for example 0.05")
    for value in given:
        if isinstance(value, bool) or not 0 < value < math.inf:
            raise UsageError(f"epsilon {value!r} is not positive and finite", where=where, remedy=_REMEDIES[unit])
        wrong = {"factor": value == 1, "count": value != math.floor(value), "share": value > 1, "scale": False}
        if wrong[unit]:
            raise UsageError(f"{value!r} is no {unit} of a perturbation", where=where, remedy=_REMEDIES[unit])
    if len(set(given)) != len(given):
        raise UsageError("an epsilon stands twice", where=where, remedy="give each once")
    return sorted(float(value) for value in given)
