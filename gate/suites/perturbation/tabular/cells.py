"""Cells of columns: of which kind those of an object column are, and what a column may be given instead."""

from __future__ import annotations

import datetime
import math
import numbers
from collections.abc import Mapping
from typing import Any

from gate.errors import UsageError
from gate.suites.perturbation.tabular.frame import Kept, Source, Storage

_DATES = ("datetime64", "timedelta64", "Period", "Interval")
_MISSING = ("NoneType", "NAType", "NaTType")


def storage(cells: Any) -> Storage:
    """How an (n,) object array keeps its column."""
    types = {kind for kind in set(map(type, cells)) if kind.__name__ not in _MISSING}
    real = {kind for kind in types if _kind(kind) == "float"}
    if real and not any(isinstance(cell, tuple(real)) and not is_missing(cell) for cell in cells):
        types -= real  # NaN marks a missing cell among cells of any kind
    kinds = {_kind(kind) for kind in types}
    if not kinds:
        return Storage("empty", nullable=True)
    if kinds == {"integer", "float"}:
        return Storage("float", nullable=True)
    if len(kinds) == 1 and not kinds & {"mixed", "nested"}:
        return Storage(kinds.pop(), nullable=True)
    found: Kept = "nested" if "nested" in kinds else "mixed"
    return Storage(found, nullable=True, told=_told(cells, types))


def _told(cells: Any, types: set[type]) -> str:
    """The types of the cells with the first row of each, at most three."""
    first: dict[type, int] = {}
    for row, cell in enumerate(cells):
        if type(cell) in types and type(cell) not in first:
            first[type(cell)] = row
    return ", ".join(f"{kind.__name__} in row {row:,}" for kind, row in list(first.items())[:3])


def _kind(cell_type: type) -> Kept:
    if issubclass(cell_type, bool) or cell_type.__name__ in ("bool_", "bool"):
        return "boolean"
    if issubclass(cell_type, numbers.Integral):
        return "integer"
    if issubclass(cell_type, numbers.Real):
        return "float"
    if issubclass(cell_type, (str, bytes)):
        return "string"
    if issubclass(cell_type, (datetime.date, datetime.time, datetime.timedelta)) or cell_type.__name__ in _DATES:
        return "date"
    return "nested" if hasattr(cell_type, "__iter__") else "mixed"


def is_missing(cell: Any) -> bool:
    """Whether a cell is None, NaN, NaT or pandas' NA."""
    if cell is None:
        return True
    if isinstance(cell, (str, bytes, int)):
        return False
    if isinstance(cell, numbers.Real):
        return math.isnan(cell)
    return type(cell).__name__ in _MISSING


def as_numbers(cells: Any) -> Any:
    """(n,) float64 of an object array of numbers or booleans, NaN where a cell is missing."""
    import numpy as np

    return np.array([np.nan if is_missing(cell) else float(cell) for cell in cells], dtype=float)


def as_objects(cells: Any) -> Any:
    """(n,) object array with None for every missing cell."""
    return filled([None if is_missing(cell) else cell for cell in cells])


def filled(cells: Any) -> Any:
    """(n,) object array of a list, each cell as it is."""
    import numpy as np

    found = np.empty(len(cells), dtype=object)
    for place, cell in enumerate(cells):
        found[place] = cell
    return found


def whole(new: Any, rows: int) -> Any:
    """(rows,) values of a column that is given as an array or as a `Source`."""
    import numpy as np

    if hasattr(new, "write"):
        out = np.empty(rows)
        new.write(out)
        return out
    found = np.asarray(new)
    if found.dtype != object:
        found = found.astype(float, copy=False)
    if found.shape != (rows,):
        raise ValueError(f"a column of the shape {found.shape} for {rows} rows")
    return found


def together(sources: Mapping[str, Source], rows: int) -> Any:
    """(sources, rows) what they write, in one piece of memory, which costs less than many."""
    import numpy as np

    drawn = {id(block): block for source in sources.values() if (block := getattr(source, "block", None)) is not None}
    if len(drawn) == 1 and len(sources) == len(block := next(iter(drawn.values()))):
        return block
    block = np.empty((len(sources), rows))
    for row, source in zip(block, sources.values(), strict=True):
        source.write(row)
    return block


def changed(name: str, kept: Storage, old: Any, new: Any, where: str) -> Any:
    """(n,) bool: where a column is to change; missing equals missing.

    Raises:
        UsageError: its dtype can't hold a cell that changes.
    """
    import numpy as np

    if object in (old.dtype, new.dtype):
        differs = np.array([a is not b and a != b for a, b in zip(old, new, strict=True)], dtype=bool)
        missing = np.array([cell is None for cell in new], dtype=bool) & differs
    else:
        differs = old != new
        missing = np.isnan(new)
        differs &= ~(missing & np.isnan(old))
        missing &= differs
    if missing.any() and not kept.nullable:
        row = int(np.argmax(missing))
        remedy = "give it a dtype that has missing values"
        raise UsageError(f"the column {name!r:.60} can't be missing in row {row:,}", where=where, remedy=remedy)
    fitting(name, kept, new[differs & ~missing], where)
    return differs


def fitting(name: str, kept: Storage, cells: Any, where: str) -> None:
    """Check cells, none of them missing, against what a dtype holds.

    Raises:
        UsageError: one does not fit.
    """
    import numpy as np

    if kept.kind == "category":
        wrong = [cell for cell in cells if cell not in set(kept.levels)]
    elif kept.kind == "integer":
        wrong = cells[(cells != np.rint(cells)) | (cells < kept.low) | (cells > kept.high)].tolist()
    elif kept.kind == "boolean":
        wrong = cells[(cells != 0) & (cells != 1)].tolist()
    else:
        return
    if wrong:
        remedy = "declare bounds, a step or levels that its dtype holds"
        raise UsageError(
            f"the column {name!r:.60} of {kept.kind} cells can't hold one of the new values", where=where, remedy=remedy
        )


def native(kept: Storage, cells: Any) -> list[Any]:
    """Python values of cells as `Frame.values` gives them, None where missing."""
    if kept.kind == "integer":
        return [None if math.isnan(cell) else int(cell) for cell in cells]
    if kept.kind == "boolean":
        return [None if math.isnan(cell) else bool(cell) for cell in cells]
    if kept.kind == "float":
        return [None if math.isnan(cell) else float(cell) for cell in cells]
    return list(cells)
