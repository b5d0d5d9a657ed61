"""Slices, copies and comparison of the user's own kind of rows."""

from __future__ import annotations

import copy
from typing import Any


def count(native: Any) -> int:
    """How many rows there are."""
    shape = getattr(native, "shape", None)
    return int(shape[0]) if shape is not None and len(shape) else len(native)


def width(native: Any) -> int:
    """How many cells a row has; 1 for texts."""
    shape = getattr(native, "shape", None)
    if shape is not None and len(shape) > 1:
        return max(1, int(shape[1]))
    return 1


def part(native: Any, start: int, stop: int) -> Any:
    """Rows `start` to `stop`, a view where the library gives one."""
    if hasattr(native, "iloc"):
        return native.iloc[start:stop]
    if hasattr(native, "schema") and hasattr(native, "slice"):  # polars, pyarrow
        return native.slice(start, stop - start)
    return native[start:stop]


def duplicate(native: Any) -> Any:
    """A copy that a model may change."""
    if hasattr(native, "iloc"):
        return native.copy()
    if hasattr(native, "schema") and hasattr(native, "slice"):
        return native  # neither polars nor pyarrow changes a frame in place
    if hasattr(native, "dtype"):
        return copy.deepcopy(native) if native.dtype.kind == "O" else native.copy()
    return copy.deepcopy(native)


def same(first: Any, second: Any) -> bool:
    """Whether two pieces hold the same rows, NaN equal to NaN."""
    import numpy as np

    if hasattr(first, "equals"):
        return bool(first.equals(second))
    if isinstance(first, np.ndarray):
        if first.shape != second.shape or first.dtype != second.dtype:
            return False
        if first.dtype.kind == "O":
            return all(_equal(one, other) for one, other in zip(first.ravel(), second.ravel(), strict=True))
        return bool(np.array_equal(first, second, equal_nan=first.dtype.kind in "fc"))
    return _equal(first, second)


def _equal(first: Any, second: Any) -> bool:
    if isinstance(first, list | tuple) and isinstance(second, list | tuple):
        return len(first) == len(second) and all(_equal(one, other) for one, other in zip(first, second, strict=True))
    found: Any = first is second or first == second or (first != first and second != second)  # noqa: PLR0124  NaN
    return bool(found.all()) if hasattr(found, "all") else bool(found)
