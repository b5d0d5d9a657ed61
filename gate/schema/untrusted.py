"""Readers of untrusted JSON values: each returns what it asks for, or says at which place what was expected."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from typing import Any, NoReturn, Protocol, TypeVar

from gate.errors import ReportError
from gate.schema.symbols import UNKNOWN, index_of, score_of

Json = dict[str, Any]
T = TypeVar("T")
MOST = 10**15
"""Largest count: beyond it arithmetic and the writing of numbers fail, and nobody counted so far."""


class Named(Protocol):
    """Anything that has a name."""

    @property
    def name(self) -> str: ...


N = TypeVar("N", bound=Named)


def mapping(data: object, where: str) -> Json:
    if not isinstance(data, Mapping):
        refuse(where, "an object", data)
    return dict(data)


def listed(data: object, where: str, length: int | None = None) -> list[Any]:
    if not isinstance(data, list) or (length is not None and len(data) != length):
        refuse(where, "a list" if length is None else f"a list of {length}", data)
    return data


def each(data: object, where: str, read: Callable[[object, str], T]) -> list[T]:
    """Every entry of a list, read at its own place."""
    return [read(entry, f"{where}/{place}") for place, entry in enumerate(listed(data, where))]


def unique(entries: list[N], where: str) -> tuple[N, ...]:
    """Entries whose names stand once each."""
    seen: set[str] = set()
    for entry in entries:
        if entry.name in seen:
            refuse(where, "names that stand once each", entry.name)
        seen.add(entry.name)
    return tuple(entries)


def string(data: object, where: str) -> str:
    if not isinstance(data, str):
        refuse(where, "a string", data)
    return data


def truth(data: object, where: str) -> bool:
    if not isinstance(data, bool):
        refuse(where, "true or false", data)
    return data


def number(data: object, where: str) -> float | None:
    """A finite number, or None for null."""
    if data is None:
        return None
    if isinstance(data, bool) or not isinstance(data, int | float) or not finite(data):
        refuse(where, "a finite number or null", data)
    return data


def finite(value: float) -> bool:
    """Whether a number can be reckoned with as a float."""
    try:
        return math.isfinite(value)
    except OverflowError:  # a whole number beyond the largest float
        return False


def count(data: object, where: str) -> int:
    """A whole number from 0 to `MOST`."""
    if type(data) is not int or not 0 <= data <= MOST:
        refuse(where, "a count", data)
    return data


def place(key: str, size: int, where: str) -> int:
    """Index of one of `size` examples, as the codec writes it: no sign, no leading zero, no digits of other scripts."""
    short = key.isascii() and key.isdecimal() and len(key) <= len(str(size))
    if not short or str(int(key)) != key or int(key) >= size:
        refuse(where, f"an index below {size}", key)
    return int(key)


def series(entry: Json, key: str, size: int, where: str) -> str:
    """A string of one character an example."""
    found = string(entry.get(key), f"{where}/{key}")
    if len(found) != size:
        refuse(f"{where}/{key}", f"{size} characters, one for each id", f"{len(found)} characters")
    return found


def flips(entry: Json, key: str, size: int, where: str) -> str:
    """A series of 0, 1 and `.`."""
    found = series(entry, key, size, where)
    if set(found) - {"0", "1", UNKNOWN}:
        refuse(f"{where}/{key}", "a string of 0, 1 and .", found[:20])
    return found


def classes(entry: Json, key: str, size: int, labels: int, where: str) -> str:
    """A series of symbols of so many classes, and `.`."""
    found = series(entry, key, size, where)
    for mark in set(found):
        if not _stands(index_of, mark, lambda index: index < labels):
            refuse(f"{where}/{key}", f"symbols of {labels:,} classes, and .", mark)
    return found


def scores(entry: Json, size: int, where: str) -> str:
    """A series of symbols of probabilities, and `.`; empty where there is none."""
    if "scores" not in entry:
        return ""
    found = series(entry, "scores", size, where)
    for mark in set(found):
        if not _stands(score_of, mark, lambda _: True):
            refuse(f"{where}/scores", "symbols of probabilities, and .", mark)
    return found


def _stands(meaning: Callable[[str], T], mark: str, fits: Callable[[T], bool]) -> bool:
    try:
        return fits(meaning(mark))
    except ValueError:
        return False


def refuse(where: str, expected: str, found: object) -> NoReturn:
    """Raises: ReportError, always."""
    shown = _shown(found)
    raise ReportError(
        f"expected {expected}, found {shown if len(shown) <= 60 else shown[:57] + '...'}",
        where=where,
        remedy="write the report again with the same version of robustness-gate",
    )


def _shown(found: object) -> str:
    try:
        return repr(found)
    except ValueError:  # a whole number of more digits than Python writes
        return f"a {type(found).__name__} that can't be shown"
