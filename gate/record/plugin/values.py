"""Values of any library to builtins that JSON and worker processes can carry, or a clear error."""

from __future__ import annotations

import math
from collections.abc import Iterable
from typing import Any, NoReturn

from gate.errors import UsageError


def number(value: object, where: str) -> float | int:
    """A finite builtin number from anything that is one (NumPy, pandas, Decimal, a tensor of one element).

    Raises:
        UsageError: no number, NaN or infinite.
    """
    plain = _item(value)
    if isinstance(plain, bool) or plain is None or isinstance(plain, str | bytes):
        _refuse(value, where, "a number")
    try:
        result = plain if isinstance(plain, int) else float(plain)
    except (TypeError, ValueError, OverflowError):
        _refuse(value, where, "a number")
    if not math.isfinite(result):
        _refuse(value, where, "a finite number; pass None for what could not be measured")
    return result


def optional_number(value: object, where: str) -> float | int | None:
    """A finite number, or None."""
    return None if value is None else number(value, where)


def label(value: object, where: str) -> str:
    """The name of a class or an example: text, whole number or truth value, as text that tells them apart by value.

    `1`, `1.0` and NumPy's 1 are one class; `True` and `"1"` are others only by their text.
    """
    plain = _item(value)
    if isinstance(plain, str):
        return plain
    if isinstance(plain, bool | int):
        return str(plain)
    if isinstance(plain, float) and plain.is_integer():
        return str(int(plain))
    _refuse(value, where, "a text, a whole number or a truth value")


def optional_label(value: object, where: str) -> str | None:
    """A label, or None (also for NaN, which tables use for what is absent)."""
    plain = _item(value)
    if plain is None or (isinstance(plain, float) and math.isnan(plain)):
        return None
    return label(plain, where)


def series(values: Iterable[object], where: str) -> list[Any]:
    """A one-dimensional list from a list, an array or a column.

    Raises:
        UsageError: not iterable, or of more than one dimension.
    """
    if isinstance(values, str | bytes | dict):
        _refuse(values, where, "a list of values")
    dimensions = getattr(values, "ndim", 1)
    if dimensions != 1:
        _refuse(values, where, f"one dimension, not {dimensions}")
    try:
        return list(values)
    except TypeError:
        _refuse(values, where, "a list of values")


def _item(value: object) -> Any:
    item = getattr(value, "item", None)
    if callable(item) and not isinstance(value, type):
        try:
            return item()
        except (TypeError, ValueError, RuntimeError):
            return value
    return value


def _refuse(value: object, where: str, expected: str) -> NoReturn:
    raise UsageError(
        f"expected {expected}, found {value!r:.80} ({type(value).__name__})",
        where=where,
        remedy="convert it in the test before it is recorded",
    )
