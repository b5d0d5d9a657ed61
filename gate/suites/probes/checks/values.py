"""Whether what a call returned is what was expected: tagged JSON against tagged JSON, by the kinds of JSON."""

from __future__ import annotations

import json
import math
from decimal import Decimal
from typing import Any

from pydantic import JsonValue

_DEEPEST = 200


def same(expected: JsonValue, actual: JsonValue, *, approx: float | None = None, unordered: bool = False) -> bool:
    """Whether a result is the expected one.

    Numbers compare by value, so that 1 is 1.0; a bool equals a bool alone; NaN equals NaN. A list equals a list or a
    tuple; a tuple that is written as `$tuple` equals a tuple alone; a set equals a set, and a list when the order is
    free. A decimal equals a number or a text of its value, a moment or a path the text of it, a member of an
    enumeration its value. The result of a program equals the text it printed, less white space at the end.

    Args:
        expected, actual: tagged JSON, see `harness/encoding.py`.
        approx: absolute tolerance of numbers, at any depth.
        unordered: the outermost list may be in any order.
    """
    return _same(expected, actual, approx, unordered, 0)


def shown(value: JsonValue, limit: int = 200) -> str:
    """A value for people, as JSON without spaces, cut to `limit` characters."""
    tag, inner = _tag(value)
    if tag == "$program" and isinstance(inner, list) and inner:
        value = inner[0]
    text = encodable(json.dumps(value, ensure_ascii=False))
    return text if len(text) <= limit else f"{text[: limit - 1]}…"


def encodable(text: str) -> str:
    """A text without the halves of surrogate pairs, which JSON can say and no file can hold."""
    return text.encode("utf-8", "replace").decode("utf-8")


def _number(value: Any) -> Any:
    """Without the tag of a number that JSON has under another name."""
    if not isinstance(value, dict) or len(value) != 1:
        return value
    ((tag, inner),) = value.items()
    try:
        if tag == "$int":
            return int(str(inner), 0)
        if tag == "$float":
            return float(inner)
    except (TypeError, ValueError, OverflowError):
        return value
    return value


def _written_out(value: Any) -> Any:
    """What a case writes shortly. Never of a result: code under test could make it as long as it likes."""
    tag, inner = _tag(value)
    if tag == "$repeat":
        return inner[0] * int(inner[1])
    if tag == "$range":
        return list(range(*inner))
    return _number(value)


def _tag(value: Any) -> tuple[str, Any]:
    if isinstance(value, dict) and len(value) == 1:
        ((tag, inner),) = value.items()
        if tag.startswith("$"):
            return tag, inner
    return "", value


def _is_number(value: Any) -> bool:
    return isinstance(value, (int, float)) and not isinstance(value, bool)


def _same(expected: Any, actual: Any, approx: float | None, unordered: bool, depth: int) -> bool:
    if depth > _DEEPEST:
        return False
    expected, actual = _written_out(expected), _number(actual)
    if isinstance(expected, bool) or isinstance(actual, bool) or expected is None:
        return expected is actual or (expected is None and _tag(actual)[0] == "$undefined")
    if _is_number(expected) and _is_number(actual):
        return _same_number(expected, actual, approx)
    if isinstance(expected, str) and isinstance(actual, str):
        return expected == actual
    wanted, inner = _tag(expected)
    tag, got = _tag(actual)
    if not wanted and tag in _LOOSE:
        return _LOOSE[tag](expected, got, approx, depth)
    if wanted == "$set" or (tag == "$set" and unordered and not wanted):
        return tag == "$set" and _any_order(inner, got, approx, depth)
    if isinstance(inner, list) and wanted in ("", "$tuple"):
        allowed = ("$tuple",) if wanted else ("", "$tuple")
        if tag not in allowed or not isinstance(got, list):
            return False
        return _any_order(inner, got, approx, depth) if unordered else _in_order(inner, got, approx, depth)
    if wanted == "$dict" or tag == "$dict" or (isinstance(expected, dict) and not wanted and not tag):
        return _same_mapping(expected, actual, approx, depth)
    return bool(wanted) and wanted == tag and inner == got


def _same_number(expected: float, actual: float, approx: float | None) -> bool:
    if expected == actual or (expected != expected and actual != actual):  # noqa: PLR0124 - NaN
        return True
    if approx is None:
        return False
    try:
        return math.isfinite(expected) and math.isfinite(actual) and abs(expected - actual) <= approx
    except OverflowError:
        return False


def _in_order(expected: list[Any], actual: list[Any], approx: float | None, depth: int) -> bool:
    return len(expected) == len(actual) and all(
        _same(one, other, approx, False, depth + 1) for one, other in zip(expected, actual, strict=True)
    )


def _any_order(expected: Any, actual: Any, approx: float | None, depth: int) -> bool:
    """Each finds a partner of its own; those with only one possible partner are few enough for a plain search."""
    if not isinstance(expected, list) or not isinstance(actual, list):
        return bool(expected == actual)
    if len(expected) != len(actual):
        return False
    if _sorted(expected) == _sorted(actual):
        return True
    if len(expected) > 2_000:
        return False
    left = list(actual)
    for one in expected:
        place = next((at for at, other in enumerate(left) if _same(one, other, approx, False, depth + 1)), None)
        if place is None:
            return False
        del left[place]
    return True


def _sorted(values: list[Any]) -> list[str]:
    return sorted(json.dumps(one, sort_keys=True) for one in values)


def _same_mapping(expected: Any, actual: Any, approx: float | None, depth: int) -> bool:
    wanted, got = _pairs(expected), _pairs(actual)
    if wanted is None or got is None:
        return bool(expected == actual)
    if len(wanted) != len(got):
        return False
    by_key = {json.dumps(key, sort_keys=True): value for key, value in got}
    for key, value in wanted:
        name = json.dumps(key, sort_keys=True)
        if name not in by_key or not _same(value, by_key[name], approx, False, depth + 1):
            return False
    return True


def _pairs(value: Any) -> list[tuple[Any, Any]] | None:
    tag, inner = _tag(value)
    if tag == "$dict" and isinstance(inner, list):
        return [(_number(pair[0]), pair[1]) for pair in inner if isinstance(pair, list) and len(pair) == 2]
    return list(value.items()) if isinstance(value, dict) and not tag else None


def _same_decimal(expected: Any, got: Any, approx: float | None, _depth: int) -> bool:
    try:
        if _is_number(expected):
            wanted = Decimal(str(expected))
            return wanted == Decimal(got) or (approx is not None and abs(wanted - Decimal(got)) <= Decimal(str(approx)))
        return isinstance(expected, str) and expected == got
    except (ArithmeticError, TypeError, ValueError):
        return False


def _same_program(expected: Any, got: Any, _approx: float | None, _depth: int) -> bool:
    if not isinstance(got, list) or len(got) != 2 or not isinstance(expected, str):
        return False
    return isinstance(got[0], str) and expected.rstrip() == got[0].rstrip()


def _same_text(expected: Any, got: Any, _approx: float | None, _depth: int) -> bool:
    return isinstance(expected, str) and expected == got


def _same_member(expected: Any, got: Any, approx: float | None, depth: int) -> bool:
    return isinstance(got, list) and len(got) == 2 and _same(expected, got[1], approx, False, depth + 1)


_LOOSE = {
    "$decimal": _same_decimal,
    "$datetime": _same_text,
    "$path": _same_text,
    "$enum": _same_member,
    "$program": _same_program,
}
