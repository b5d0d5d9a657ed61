"""Values as tagged JSON, and back; runs in the cell, and is sent there as text.

What JSON can't say is an object with one key that starts with a dollar: `$tuple`, `$set`, `$bytes` (base64), `$int`
(beyond 53 bits), `$float` (`nan`, `inf`, `-inf`), `$dict` (pairs, where a key is no plain text), `$decimal`,
`$datetime`, `$path`, `$enum`, `$object` (anything else, by the name of its type). In arguments `$repeat` ([value, n])
stands for a long text or list, and `$range` ([start, stop, step]) for a list of whole numbers.
"""

from __future__ import annotations

import base64
import json

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

LONGEST = 400_000  # characters of one value
LONGEST_LINE = 4 * LONGEST  # bytes, since JSON of other languages has up to three for a character
_DEEPEST = 60
_DEEPEST_LINE = 200  # `_DEEPEST` levels of values, each of which has three of JSON at most


def decode(value: Any) -> Any:
    """Builtins for tagged JSON."""
    if isinstance(value, list):
        return [decode(one) for one in value]
    if not isinstance(value, dict):
        return value
    if len(value) == 1:
        ((tag, inner),) = value.items()
        if tag in _MAKE:
            return _MAKE[tag](inner)
    return {key: decode(one) for key, one in value.items()}


def _repeated(inner: Any) -> Any:
    return decode(inner[0]) * inner[1]


def _moment(inner: Any) -> Any:
    import datetime

    return datetime.datetime.fromisoformat(inner)


def _day(inner: Any) -> Any:
    import datetime

    return datetime.date.fromisoformat(inner)


_MAKE: dict[str, Any] = {
    "$tuple": lambda inner: tuple(decode(one) for one in inner),
    "$set": lambda inner: {decode(one) for one in inner},
    "$bytes": base64.b64decode,
    "$int": int,
    "$float": float,
    "$dict": lambda inner: {decode(key): decode(one) for key, one in inner},
    "$decimal": lambda inner: __import__("decimal").Decimal(inner),
    "$datetime": _moment,
    "$date": _day,
    "$path": lambda inner: __import__("pathlib").Path(inner),
    "$repeat": _repeated,
    "$range": lambda inner: list(range(*inner)),
}


def encode(value: Any, depth: Any = 0, other: Any = None) -> Any:
    """Tagged JSON for any value; what is of no kind that is known becomes `$object`, or what `other` makes of it."""
    if value is None or (isinstance(value, bool) and type(value) is bool):
        return value
    if depth > _DEEPEST:
        return {"$object": "too deep"}
    kind = type(value)
    for base, made in _KINDS:
        if isinstance(value, base) and not _is_enum(value):
            return made(value, depth + 1, other)
    return _other(value, kind, depth + 1, other)


def _is_enum(value: Any) -> Any:
    return any(base.__name__ == "Enum" and base.__module__ == "enum" for base in type(value).__mro__)


def _integer(value: Any, _depth: Any, _other: Any) -> Any:
    return (
        int(value)
        if abs(value) < 2**53
        else {"$int": hex(value)}
        if abs(value) > 10**4000
        else {"$int": str(int(value))}
    )


def _floating(value: Any, _depth: Any, _other: Any) -> Any:
    value = float(value)
    return value if value - value == 0 else {"$float": str(value)}


def _mapping(value: Any, depth: Any, other: Any) -> Any:
    if all(type(key) is str and not key.startswith("$") for key in value):
        return {key: encode(one, depth, other) for key, one in value.items()}
    return {"$dict": [[encode(key, depth, other), encode(one, depth, other)] for key, one in value.items()]}


def _in_order(values: Any) -> Any:
    return sorted(values, key=lambda one: json.dumps(one, sort_keys=True))


_KINDS = (
    (int, _integer),
    (float, _floating),
    (str, lambda value, _depth, _other: str.__str__(value)),
    (list, lambda value, depth, other: [encode(one, depth, other) for one in value]),
    (tuple, lambda value, depth, other: {"$tuple": [encode(one, depth, other) for one in value]}),
    (dict, _mapping),
    ((set, frozenset), lambda value, depth, other: {"$set": _in_order([encode(one, depth, other) for one in value])}),
    ((bytes, bytearray), lambda value, _depth, _other: {"$bytes": base64.b64encode(bytes(value)).decode()}),
)


def _other(value: Any, kind: Any, depth: Any, other: Any) -> Any:
    names = [f"{base.__module__}.{base.__qualname__}" for base in kind.__mro__]
    if _is_enum(value):
        return {"$enum": [value.name, encode(value.value, depth, other)]}
    if "decimal.Decimal" in names:
        return {"$decimal": str(value)}
    if "datetime.datetime" in names or "datetime.date" in names or "datetime.time" in names:
        return {"$datetime": value.isoformat()}
    if "pathlib.PurePath" in names or "pathlib._local.PurePath" in names:
        return {"$path": str(value)}
    if kind.__module__.split(".")[0] == "numpy" and hasattr(value, "tolist"):
        return encode(value.tolist(), depth, other)
    if other is not None:
        return other(value)
    try:
        shown = repr(value)[:300]
    except Exception:
        shown = ""
    return {"$object": names[0].removeprefix("builtins."), "shown": shown}


def as_line(record: Any) -> Any:
    """One line of JSON; a value beyond `LONGEST` is replaced by what says so."""
    line = json.dumps(record, ensure_ascii=True)
    if len(line) > LONGEST and "value" in record:
        line = json.dumps({**record, "value": {"$object": "too large"}})
    return line.encode() + b"\n"


def line_of(text: Any) -> Any:
    """The object in the first line of what another process wrote; an empty one where it is none, or one too deep to be
    passed on."""
    try:
        found = json.loads(text.partition(b"\n")[0])
    except (ValueError, RecursionError):
        return {}
    return found if isinstance(found, dict) and not _is_deep(found) else {}


def _is_deep(value: Any) -> Any:
    level = [value]
    for _ in range(_DEEPEST_LINE):
        inner = [one.values() if isinstance(one, dict) else one for one in level if isinstance(one, (dict, list))]
        level = [one for several in inner for one in several]
    return bool(level)


def plain(names: Any) -> Any:
    """Those of some names that JSON can say and that are meant for others."""
    return {
        name: value
        for name, value in names.items()
        if not name.startswith("_") and isinstance(value, (str, int, float, list, bool))
    }
