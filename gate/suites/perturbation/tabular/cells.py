"""Cells of object columns: of which kind they are, and how a new value is written among them."""

from __future__ import annotations

import datetime
import numbers
from typing import Any

from gate.suites.perturbation.tabular.frame import Kept, Storage

_KINDS = ("boolean", "integer", "float", "string", "date", "nested", "mixed")


def storage(cells: Any) -> Storage:
    """How an (n,) object array keeps its column."""
    types = {type(cell): place for place, cell in reversed(list(enumerate(cells))) if not is_missing(cell)}
    kinds: dict[Kept, int] = {}
    for cell_type, place in sorted(types.items(), key=lambda item: item[1]):
        kinds.setdefault(_kind(cell_type), place)
    if not kinds:
        return Storage("empty", nullable=True)
    if len(kinds) == 1:
        return Storage(next(iter(kinds)), nullable=True, told=_told(types))
    if kinds.keys() == {"integer", "float"}:
        return Storage("float", nullable=True)
    return Storage("mixed", nullable=True, told=_told(types))


def _told(types: dict[type, int]) -> str:
    """The types of the cells with the first row of each, at most three."""
    listed = sorted(types.items(), key=lambda item: item[1])[:3]
    return ", ".join(f"{cell_type.__name__} in row {place:,}" for cell_type, place in listed)


def _kind(cell_type: type) -> Kept:
    if issubclass(cell_type, bool) or cell_type.__name__ in ("bool_", "bool"):
        return "boolean"
    if issubclass(cell_type, numbers.Integral):
        return "integer"
    if issubclass(cell_type, numbers.Real):
        return "float"
    if issubclass(cell_type, (str, bytes)):
        return "string"
    if issubclass(cell_type, (datetime.date, datetime.time, datetime.timedelta)) or cell_type.__name__ in (
        "datetime64",
        "timedelta64",
        "Period",
        "Interval",
    ):
        return "date"
    if hasattr(cell_type, "__iter__"):
        return "nested"
    return "mixed"


def is_missing(cell: Any) -> bool:
    """Whether a cell is None, NaN, NaT or pandas' NA."""
    if cell is None:
        return True
    if isinstance(cell, (str, bytes, int)):
        return False
    if type(cell).__name__ in ("NAType", "NaTType"):
        return True
    return isinstance(cell, numbers.Real) and bool(cell != cell)


def as_numbers(cells: Any) -> Any:
    """(n,) float64 of an object array of numbers or booleans, NaN where a cell is missing."""
    import numpy as np

    return np.array([np.nan if is_missing(cell) else float(cell) for cell in cells], dtype=float)


def as_objects(cells: Any) -> Any:
    """(n,) object array with None for every missing cell."""
    import numpy as np

    found = np.empty(len(cells), dtype=object)
    for place, cell in enumerate(cells):
        found[place] = None if is_missing(cell) else cell
    return found


def differs(old: Any, new: Any) -> Any:
    """(n,) bool: where two columns of `Frame.values` differ; missing equals missing."""
    import numpy as np

    if old.dtype == object or new.dtype == object:
        return np.array([a is not b and a != b for a, b in zip(old, new, strict=True)], dtype=bool)
    return (old != new) & ~(np.isnan(old) & np.isnan(new))
