"""From what a model returned to one kind of answers, or a clear error."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, NoReturn

from gate.errors import UsageError
from gate.suites.perturbation.models.answers import Kind
from gate.suites.perturbation.models.model import Model
from gate.suites.perturbation.models.scored import best_labels, best_only, is_scored, matrix

SUM_TOLERANCE = 1e-3
"""How far a row of probabilities may be from one: single precision over thousands of classes stays below."""
_OUTSIDE = 1e-5


@dataclass(frozen=True, slots=True, eq=False)
class Part:
    """Answers to one batch of m rows.

    Attributes:
        content: (m, classes) or (m,) float64; for labels (m,) places in `names`.
        names: for labels, the ones that occur, sorted; for probabilities, the classes where the answer names them.
        empty: (m,) bool, rows without a number or label.
    """

    kind: Kind
    content: Any
    names: tuple[str, ...]
    empty: Any


def read(raw: Any, rows: int, model: Model, where: str) -> Part:
    """Recognise what the model gave for `rows` rows.

    Two dimensions of numbers, or scores by name, are probabilities. Texts, whole numbers and truth values are labels.
    One float a row is a value or the probability of the second class: `model.kind` says which.

    Raises:
        UsageError: another number of rows, no array, numbers that can't be told, or probabilities that are none.
    """
    import numpy as np

    names = model.labels
    if is_scored(raw):
        if best_only(raw):
            raw = best_labels(raw)
        else:
            raw, names = matrix(raw, model.labels, where)
    found = _array(raw, where)
    if not found.ndim or found.shape[0] != rows or found.ndim > 2:
        _refuse(f"the model gave the shape {found.shape} for {rows:,} rows", where, "return one answer for each row")
    if found.ndim == 2 and found.shape[1] == 1:
        found = found[:, 0]
    kind = model.kind or _kind(found, where)
    if found.ndim == 2 and kind != "probabilities":
        _refuse(f"the model gave {found.shape[1]} columns, which are no {kind}", where, "return one answer a row")
    if kind == "labels":
        return _labels(found, where)
    numbers = _numbers(found, where)
    if kind == "values":
        return Part("values", numbers, (), ~np.isfinite(numbers))
    return _probabilities(numbers, names, where)


def _array(raw: Any, where: str) -> Any:
    import numpy as np

    try:
        found = raw.to_numpy() if hasattr(raw, "to_numpy") else np.asarray(raw)
        return found.filled(np.nan) if hasattr(found, "filled") and found.dtype.kind == "f" else np.asarray(found)
    except (TypeError, ValueError, RuntimeError) as error:
        raise UsageError(
            f"the model gave no array: {error}", where=where, remedy="return one answer for each row"
        ) from error


def _kind(found: Any, where: str) -> Kind:
    if found.ndim == 2:
        return "probabilities"
    if found.dtype.kind in "iubUS":
        return "labels"
    if found.dtype.kind == "O":
        numbers = all(isinstance(value, float) for value in found if value is not None)
        if not numbers:
            return "labels"
    raise UsageError(
        "the model gave one number a row, which may be a probability or a value",
        where=where,
        remedy="say which: kind='probabilities' (of the second class) or kind='values'",
    )


def _numbers(found: Any, where: str) -> Any:
    import numpy as np

    try:
        return np.asarray(found, dtype=np.float64)
    except (TypeError, ValueError) as error:
        raise UsageError(f"the model gave no numbers: {error}", where=where, remedy="return numbers") from error


def _probabilities(numbers: Any, names: tuple[str, ...], where: str) -> Part:
    import numpy as np

    if numbers.ndim == 1:
        numbers = np.column_stack([1 - numbers, numbers])
    if names and len(names) != numbers.shape[1]:
        told = ", ".join(names[:5])
        _refuse(
            f"the model gave {numbers.shape[1]} columns for {len(names)} classes ({told})",
            where,
            "give `labels`, one for each column of the probabilities",
        )
    total = _row_sums(numbers)
    empty = ~np.isfinite(total)
    known = numbers[~empty] if empty.any() else numbers
    low, high = (known.min(), known.max()) if known.size else (0.0, 1.0)
    if low < -_OUTSIDE or high > 1 + _OUTSIDE:
        _refuse("the model gave a number outside 0 to 1", where, "return probabilities, not raw scores")
    off = np.flatnonzero(np.abs(total - 1) > SUM_TOLERANCE)
    if off.size:
        _refuse(
            f"the probabilities of row {off[0]} add to {total[off[0]]:.6g}, not to 1",
            where,
            "return probabilities of classes that exclude one another",
        )
    return Part("probabilities", np.clip(numbers, 0, 1), names, empty)


def _row_sums(numbers: Any) -> Any:
    """(m,) sums of the classes; a reduction over the few columns of each row takes many times as long."""
    import numpy as np

    total = np.zeros(len(numbers))
    with np.errstate(invalid="ignore"):  # infinities of both signs have no sum, which says so itself
        for column in range(numbers.shape[1]):
            total += numbers[:, column]
    return total


def _labels(found: Any, where: str) -> Part:
    import numpy as np

    empty = np.zeros(len(found), dtype=bool)
    if found.dtype.kind == "f":
        empty = ~np.isfinite(found)
    elif found.dtype.kind == "O":
        empty = np.array([value is None or value != value for value in found], dtype=bool)  # noqa: PLR0124  NaN
    known = found[~empty]
    if known.dtype.kind == "O":
        types = sorted({type(value).__name__ for value in known})
        if len(types) > 1:
            _refuse(f"the model gave labels of the types {', '.join(types)}", where, "return labels of one type")
    unique, places = np.unique(known, return_inverse=True)
    content = np.full(len(found), -1, dtype=np.int64)
    content[~empty] = places
    names = tuple(label_text(value) for value in unique.tolist())
    return Part("labels", content, names, empty)


def label_text(value: object) -> str:
    """How a class is written: a whole float as the whole number that it stands for."""
    if isinstance(value, bytes):
        return value.decode("utf-8", "replace")
    if isinstance(value, float) and value.is_integer():
        return str(int(value))
    return str(value)


def _refuse(message: str, where: str, remedy: str) -> NoReturn:
    raise UsageError(message, where=where, remedy=remedy)
