"""The kind, range, scale and levels of one column, from its cells and from what is declared of it."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Mapping, Sequence
from typing import Any

from gate.errors import UsageError
from gate.suites.perturbation.tabular.frame import Extent, Frame, Storage
from gate.suites.perturbation.tabular.schema import Column, Kind, Scale

MOST_LEVELS = 50
_NORMAL = 1.482602218505602  # 1 / Φ⁻¹(3/4): the standard deviation of a normal law over its MAD


def column(frame: Frame, name: str, told: Mapping[str, Any], scale: Scale, where: str, neutral: bool = True) -> Column:
    """The column of this name; a one-hot group is found later.

    Raises:
        UsageError: cells of mixed kinds without a declared kind, or cells that the declared kind contradicts.
    """
    kept = frame.storage(name)
    kind: Kind = told.get("kind") or _kind(frame, name, kept, where)
    _agree(frame, name, kept, kind, where)
    held = bool(told.get("immutable"))
    if kind in ("numeric", "integer"):
        return _number(frame, name, kind, told, scale, where, neutral)
    if kind in ("boolean", "one-hot"):
        extent = frame.extent(name)
        levels = _on_off(extent)
        common = _commonest(frame, name, levels)
        return Column(name, kind, 0.0, 1.0, levels=levels, immutable=held, nullable=kept.nullable, neutral=common)
    if kind in ("category", "ordered"):
        levels = _levels(frame, name, kept, told.get("levels"), where)
        common = _commonest(frame, name, levels)
        return Column(name, kind, levels=levels, immutable=held, nullable=kept.nullable, neutral=common)
    return Column(name, kind, immutable=held, nullable=kept.nullable)


def _on_off(extent: Extent) -> tuple[object, ...]:
    return tuple(sorted({extent.low, extent.high})) if math.isfinite(extent.low) else ()


def _kind(frame: Frame, name: str, kept: Storage, where: str) -> Kind:
    if kept.kind in ("mixed", "nested"):
        what = "lists or other containers" if kept.kind == "nested" else "cells of several or unknown kinds"
        raise UsageError(
            f"the column {name!r:.60} holds {what} ({kept.told:.200})",
            where=where,
            remedy="convert it, or declare the kind `string`, which leaves it as it is",
        )
    if kept.kind == "boolean":
        return "boolean"
    if kept.numeric:
        extent = frame.extent(name)
        if not math.isfinite(extent.low):
            return "integer" if kept.kind == "integer" else "numeric"
        if not _whole(frame, name, kept):
            return "numeric"
        return "boolean" if (extent.low, extent.high) == (0, 1) else "integer"
    if kept.kind == "category":
        return "ordered" if kept.ordered else "category"
    if kept.kind == "date":
        return "date"
    levels = {cell for cell in frame.values(name) if cell is not None}
    return "category" if len(levels) <= min(MOST_LEVELS, frame.rows // 2) and levels else "string"


def _whole(frame: Frame, name: str, kept: Storage) -> bool:
    """Whether every finite cell is a whole number."""
    import numpy as np

    if kept.kind == "integer":
        return True
    numbers = frame.values(name)
    first = numbers if frame.extent(name).complete else numbers[np.isfinite(numbers)]
    if first[:1] % 1:
        return False  # most columns of fractions are told by their first cell
    return bool((np.isnan(numbers) | np.isinf(numbers) | (numbers == np.rint(numbers))).all())


def _agree(frame: Frame, name: str, kept: Storage, kind: Kind, where: str) -> None:
    """Refuse a kind that the cells contradict."""
    import numpy as np

    needs_numbers = kind in ("numeric", "integer", "boolean", "one-hot")
    wrong = ""
    if needs_numbers and not kept.numeric and kept.kind != "empty":
        wrong = f"cells of the kind {kept.kind}"
    elif kind in ("numeric", "integer") and kept.kind == "boolean":
        wrong = "booleans"
    elif kind == "numeric" and kept.kind == "integer":
        wrong = "whole numbers by its dtype"
    elif kind == "integer" and kept.kind == "float" and not _whole(frame, name, kept):
        wrong = "fractions"
    elif kind in ("boolean", "one-hot") and kept.kind in ("integer", "float"):
        numbers = frame.values(name)
        wrong = "" if (np.isnan(numbers) | (numbers == 0) | (numbers == 1)).all() else "numbers other than 0 and 1"
    elif kind in ("category", "ordered") and kept.kind in ("mixed", "nested"):
        wrong = f"{kept.kind} cells"
    if wrong:
        told = f"the column {name!r:.60} is declared {kind} but holds {wrong}"
        raise UsageError(told, where=where, remedy="declare another kind, or convert the column")


def _number(
    frame: Frame, name: str, kind: Kind, told: Mapping[str, Any], scale: Scale, where: str, neutral: bool
) -> Column:
    kept = frame.storage(name)
    if not kept.numeric:  # declared, but without any cell
        return Column(name, kind, nullable=kept.nullable, immutable=bool(told.get("immutable")))
    extent = frame.extent(name)
    empty = math.isnan(extent.low)
    low = max(told.get("low", -math.inf if empty else extent.low), kept.low)
    high = min(told.get("high", math.inf if empty else extent.high), kept.high)
    if kind == "integer":
        low, high = _inward(low), -_inward(-high)
    step = told.get("step", 1.0 if kind == "integer" else 0.0)
    if kind == "integer" and step != math.floor(step):
        remedy = "give a whole step"
        raise UsageError(f"column {name!r:.60}: whole numbers have no step of {step:g}", where=where, remedy=remedy)
    if kept.decimals is not None and not step:
        step = 10.0**-kept.decimals
    spread = told.get("scale") or _spread(frame.values(name), extent, scale)
    varies = not empty and extent.low != extent.high
    return Column(
        name,
        kind,
        low,
        high,
        step,
        spread if varies or "scale" in told else 0.0,
        immutable=bool(told.get("immutable")),
        nullable=kept.nullable,
        neutral=_median(frame.values(name), extent) if neutral else None,
    )


def _inward(low: float) -> float:
    return float(math.ceil(low)) if math.isfinite(low) else low


def _spread(numbers: Any, extent: Extent, scale: Scale) -> float:
    """Standard deviation (population) or MAD of the finite cells; 0 when they are all equal or there are none."""
    import numpy as np

    if math.isnan(extent.low) or extent.low == extent.high:
        return 0.0
    finite = numbers if extent.complete else numbers[np.isfinite(numbers)]
    size = max(abs(extent.low), abs(extent.high))  # keeps the squares in range
    if scale == "mad":
        deviation = float(np.median(np.abs(finite / size - np.median(finite / size))))
        if deviation > 0:
            return deviation * size * _NORMAL
    parts = finite / size
    parts -= parts.mean()
    parts *= parts
    return math.sqrt(float(parts.mean())) * size


def _levels(
    frame: Frame, name: str, kept: Storage, declared: Sequence[object] | None, where: str
) -> tuple[object, ...]:
    """The observed levels: in the declared order, else in that of the dtype, else sorted."""
    import numpy as np

    cells = frame.values(name)
    if cells.dtype == object:
        observed = {cell for cell in cells if cell is not None}
    else:
        observed = set(np.unique(cells[np.isfinite(cells)]).tolist())
    if declared is not None:
        missing = observed - set(declared)
        if missing:
            told = f"column {name!r:.60}: its declared levels lack {len(missing):,} that stand in its cells"
            raise UsageError(told, where=where, remedy="list every level")
        return tuple(level for level in declared if level in observed)
    if kept.levels:
        return tuple(level for level in kept.levels if level in observed)
    listed: list[Any] = list(observed)
    return tuple(sorted(listed, key=lambda level: (isinstance(level, (str, bytes)), level)))


def _commonest(frame: Frame, name: str, levels: Sequence[object]) -> object:
    """The level of most cells, the first of equals; None without any."""
    counts = Counter(frame.values(name).tolist())
    return max(levels, key=lambda level: counts[level], default=None)


def _median(numbers: Any, extent: Extent) -> float | None:
    """The lower median of the finite cells, which is one of them; None without any."""
    import numpy as np

    if math.isnan(extent.low):
        return None
    finite = numbers if extent.complete else numbers[np.isfinite(numbers)]
    middle = (len(finite) - 1) // 2
    return float(np.partition(finite, middle)[middle])
