"""What a user declares of columns, checked before anything is inferred."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import Any

from gate.errors import UsageError
from gate.suites.perturbation.tabular.frame import Frame
from gate.suites.perturbation.tabular.names import unknown

KINDS = ("numeric", "integer", "boolean", "category", "ordered", "string", "date", "one-hot")
_NUMBERS = ("low", "high", "step", "scale")
_KEYS = ("kind", *_NUMBERS, "levels", "immutable", "protected", "group")


def checked(frame: Frame, overrides: Mapping[str, Mapping[str, object]], where: str) -> dict[str, dict[str, Any]]:
    """The overrides by column, each with a value of its type.

    Raises:
        UsageError: a column, key or kind that does not exist, a value of another type, bounds in the wrong order.
    """
    found: dict[str, dict[str, Any]] = {}
    for name, given in overrides.items():
        if name not in frame.names:
            raise unknown("column", name, frame.names, where)
        if not isinstance(given, Mapping):
            raise _wrong(name, "its override is no table of keys", "give keys such as `low`", where)
        found[name] = {key: _value(name, key, value, where) for key, value in given.items()}
        low, high = found[name].get("low", -math.inf), found[name].get("high", math.inf)
        if low > high:
            raise _wrong(name, f"low {low:g} is above high {high:g}", "swap them", where)
    return found


def _value(name: str, key: str, value: object, where: str) -> object:
    if key not in _KEYS:
        raise unknown(f"key of the column {name!r:.60} named", key, _KEYS, where)
    if key == "kind":
        if value not in KINDS:
            raise unknown(f"kind of the column {name!r:.60} named", value, KINDS, where)
        return value
    if key in ("immutable", "protected") and not isinstance(value, bool):
        raise _wrong(name, f"{key} is true or false, not {value!r:.40}", "choose one", where)
    if key == "group" and not (isinstance(value, str) and value.strip()):
        raise _wrong(name, "group is a text that is not empty", "name the one-hot group", where)
    if key == "levels":
        return _levels(name, value, where)
    return _number(name, key, value, where) if key in _NUMBERS else value


def _levels(name: str, value: object, where: str) -> tuple[object, ...]:
    if isinstance(value, (str, bytes)) or not isinstance(value, Sequence) or not len(value):
        raise _wrong(name, "levels are a list", "list the levels in their order", where)
    if len(set(map(repr, value))) < len(value):
        raise _wrong(name, "a level stands twice", "list each once", where)
    return tuple(value)


def _number(name: str, key: str, value: object, where: str) -> float:
    if isinstance(value, bool) or not isinstance(value, (int, float)) or math.isnan(value):
        raise _wrong(name, f"{key} is a number, not {value!r:.40}", "give a number", where)
    if key in ("step", "scale") and not 0 < value < math.inf:
        raise _wrong(name, f"{key} is above 0 and finite, not {value!r:.40}", "give such a number", where)
    return float(value)


def _wrong(name: str, what: str, remedy: str, where: str) -> UsageError:
    return UsageError(f"column {name!r:.60}: {what}", where=where, remedy=remedy)
