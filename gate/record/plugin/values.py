"""Values of NumPy, pandas and other libraries as builtins, without importing any of these libraries."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterable, Sequence
from typing import Any, NoReturn

from gate.errors import UsageError

_ABSENT_TYPES = frozenset({"NAType", "NaTType", "MaskedConstant"})
_SHOWN = 60


class ValueRefusedError(UsageError):
    """A value that can't be.

    Args:
        untold: the message without the value, for a report, which holds none.
    """

    def __init__(self, message: str, untold: str, *, where: str = "", remedy: str = "") -> None:
        super().__init__(message, where=where, remedy=remedy)
        self.untold = untold


def number(value: object, where: str) -> float | int:
    """A finite builtin number from anything that is one (NumPy, pandas, Decimal, a tensor of one element).

    Raises:
        UsageError: no number, NaN or infinite.
    """
    if is_absent(value):
        _refuse(value, where, "a finite number", "pass None, and say why in `unscored`, for what was not measured")
    plain = _item(value)
    if isinstance(plain, bool | str | bytes | complex):
        _refuse(value, where, "a number")
    try:
        result = float(plain)
    except OverflowError:
        _refuse(value, where, "a number below 1.8e308")
    except (TypeError, ValueError):
        _refuse(value, where, "a number")
    if not math.isfinite(result):
        _refuse(value, where, "a finite number", "pass None, and say why in `unscored`, for what was not measured")
    return int(plain) if isinstance(plain, int) else result


def optional_number(value: object, where: str) -> float | int | None:
    """A finite number, or None."""
    return None if value is None else number(value, where)


def not_negative(value: object, where: str) -> float | int | None:
    """A finite number of at least 0, or None."""
    plain = optional_number(value, where)
    if plain is not None and plain < 0:
        _refuse(value, where, "a number of at least 0")
    return plain


def whole(value: object, where: str) -> int:
    """A whole number; 2.0 is one, 2.5 is none."""
    plain = number(value, where)
    if plain != int(plain):
        _refuse(value, where, "a whole number")
    return int(plain)


def text(value: object) -> str:
    """A `str` of exactly that type that every transport carries: lone surrogates stand as escapes."""
    return "".join(str(value)).encode("utf-8", "backslashreplace").decode("utf-8")


def label(value: object, where: str) -> str:
    """The name of a class: text, whole number or truth value, as text.

    `1`, `1.0` and NumPy's 1 are one class.
    """
    return text(_label(value, where))


def identifier(value: object, where: str) -> str:
    """The id of an example: what a label may be, or a date, a UUID, or a tuple of ids (a row of a MultiIndex)."""
    if isinstance(value, tuple) and value:
        return " / ".join(identifier(part, where) for part in value)
    isoformat = getattr(value, "isoformat", None)
    if callable(isoformat) and not is_absent(value):
        return text(isoformat())
    if type(value).__name__ == "UUID":
        return text(value)
    if is_absent(value):
        _refuse(value, where, "an id for each example")
    return label(value, where)


def classes(where: str, *columns: Sequence[object]) -> tuple[list[list[str | None]], list[str], bool]:
    """Columns of labels as texts, the classes in them in order, and whether these are numbers.

    Numbers are ordered by value and texts by code point, as scikit-learn orders `classes_`.

    Raises:
        UsageError: classes of several types, for example 1 beside "1" or True, which can't be told from one another.
    """
    found: dict[str, Any] = {}
    told: list[list[str | None]] = []
    for column in columns:
        names: list[str | None] = []
        for value in column:
            if is_absent(value):
                names.append(None)
                continue
            plain = _label(value, where)
            name = text(plain)
            found.setdefault(name, plain)
            if type(found[name]) is not type(plain):
                _refuse_mixed(found[name], plain, where)
            names.append(name)
        told.append(names)
    kinds = {type(plain): plain for plain in found.values()}
    if len(kinds) > 1:
        one, other, *_ = kinds.values()
        _refuse_mixed(one, other, where)
    return told, sorted(found, key=lambda name: found[name]), int in kinds


def series(values: Iterable[object], where: str) -> list[Any]:
    """A one-dimensional list from a list, an array or a column.

    Raises:
        UsageError: not iterable, without an order, or of more than one dimension.
    """
    if isinstance(values, str | bytes | dict | set | frozenset):
        _refuse(values, where, "a list of values")
    dimensions = getattr(values, "ndim", 1)
    if dimensions != 1:
        _refuse(values, where, f"one dimension, not {dimensions}")
    plain = getattr(values, "tolist", None)
    try:
        found = plain() if callable(plain) and not hasattr(values, "mask") else list(values)
    except TypeError:
        _refuse(values, where, "a list of values")
    return found if isinstance(found, list) else list(found)


def twice(names: Iterable[str]) -> str | None:
    """The first name that stands more than once."""
    return next((name for name, count in Counter(names).items() if count > 1), None)


def is_absent(value: object) -> bool:
    """None, NaN, pandas' NA and NaT, NumPy's masked."""
    if value is None or type(value).__name__ in _ABSENT_TYPES:
        return True
    plain = _item(value)
    return plain is None or (isinstance(plain, float) and math.isnan(plain))


def _label(value: object, where: str) -> str | int | bool:
    plain = _item(value)
    if isinstance(plain, str):
        return str.__str__(plain)
    if isinstance(plain, bool):
        return plain
    if isinstance(plain, int):
        return int(plain)
    if not isinstance(plain, float) or not plain.is_integer():
        _refuse(value, where, "a text, a whole number or a truth value")
    return int(plain)


def _item(value: object) -> Any:
    item = getattr(value, "item", None)
    if callable(item) and not isinstance(value, type):
        try:
            return item()
        except Exception:  # a foreign class with a method of that name, or a tensor of many elements
            return value
    return value


def _refuse_mixed(one: object, other: object, where: str) -> NoReturn:
    words = {int: "a number", str: "a text", bool: "a truth value"}
    raise ValueRefusedError(
        f"classes of two types can't be compared: {one!r:.30} is {words[type(one)]}, "
        f"{other!r:.30} is {words[type(other)]}",
        f"classes of two types can't be compared: one is {words[type(one)]}, one {words[type(other)]}",
        where=where,
        remedy="give expected and predicted classes in one type",
    )


def _refuse(
    value: object, where: str, expected: str, remedy: str = "convert it in the test before it is recorded"
) -> NoReturn:
    try:
        shown = repr(value)
    except Exception:  # a foreign repr
        shown = "a value that can't be shown"
    shown = shown if len(shown) <= _SHOWN else shown[: _SHOWN - 1] + "…"
    untold = f"expected {expected}, found {_a(type(value).__name__)}"
    raise ValueRefusedError(
        f"expected {expected}, found {shown} ({type(value).__name__})", untold, where=where, remedy=remedy
    )


def _a(kind: str) -> str:
    return f"{'an' if kind[:1].lower() in 'aeio' else 'a'} {kind}"
