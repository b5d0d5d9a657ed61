"""JSON in one form: two texts have the same form exactly when they hold the same value."""

from __future__ import annotations

import itertools
import json
import math
import re
import threading
from collections.abc import Callable
from typing import Any, TypeVar

DEEPEST = 200
"""Levels. Deeper documents are compared byte by byte, in whatever depth of calls that happens."""
MOST_MARKS = 2_000_000
"""Commas, colons and brackets. What has more is compared byte by byte, to keep within seconds."""

_STRING = re.compile(rb'"(?:[^"\\]|\\.)*+"', re.S)
_NO_BRACKETS = bytes(each for each in range(256) if each not in b"[]{}")
_STEPS = [1 if each in b"[{" else -1 if each in b"]}" else 0 for each in range(256)]
_T = TypeVar("_T")
Change = Callable[[Any], Any]


class Repeated(dict[str, Any]):
    """An object in which a name stands twice: all its pairs in the order of their names, equal names as they came."""

    def __init__(self, pairs: list[tuple[str, Any]]) -> None:
        super().__init__(pairs)
        self.pairs = pairs

    def items(self) -> Any:
        """All pairs. The encoder of the standard library asks this of what is not exactly a `dict`."""
        return self.pairs


def canonical_json(data: bytes, change: Change | None = None) -> str | None:
    """A JSON document with sorted names and without spaces; None where it is none, too deep or too long.

    `1`, `1.0` and `true` differ, as do a name that stands once and one that stands twice. Equal are: names in any
    order, escapes and the characters they stand for, and ways to write one floating-point number (RFC 8259, section 6:
    numbers are read as IEEE 754 doubles). `NaN` and `Infinity` are kept, a number beyond the doubles makes it None.

    Args:
        change: applied to the value that was read; it may change it in place, and returns it.
    """
    if _marks(data) > MOST_MARKS or _depth(data) > DEEPEST:
        return None
    try:
        return _on_any_stack(lambda: _written(data, change))
    except (ValueError, RecursionError):
        return None


def _written(data: bytes, change: Change | None) -> str:
    text = _dump(data, change, None)
    # A number such as 1e999 is read as infinite: read again with a look at each number, which is slower.
    return _dump(data, change, _finite) if "Infinity" in text else text


def _dump(data: bytes, change: Change | None, number: Callable[[str], float] | None) -> str:
    value = json.loads(data, object_pairs_hook=_object, parse_float=number)
    if change is not None:
        value = change(value)
    return _without_surrogates(json.dumps(value, ensure_ascii=False, separators=(",", ":")))


def _object(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    if len(pairs) > 1:
        pairs.sort(key=_first)
    value = dict(pairs)
    return value if len(value) == len(pairs) else Repeated(pairs)


def _first(pair: tuple[str, Any]) -> str:
    return pair[0]


def _finite(text: str) -> float:
    value = float(text)
    if not math.isfinite(value):
        raise ValueError(text)
    return value


def _without_surrogates(text: str) -> str:
    """Half a surrogate pair as its escape, so that the text can be encoded."""
    try:
        text.encode()
    except UnicodeEncodeError:
        return text.encode("utf-8", "backslashreplace").decode()
    return text


def _marks(data: bytes) -> int:
    return sum(map(data.count, (b",", b":", b"[", b"{")))


def _depth(data: bytes) -> int:
    """How deep brackets are nested, those in strings left out; 0 where there are too few to be too deep."""
    if data.count(b"[") + data.count(b"{") <= DEEPEST:
        return 0
    brackets = _STRING.sub(b"", data).translate(None, _NO_BRACKETS)
    return max(itertools.accumulate(map(_STEPS.__getitem__, brackets)), default=0)


def _on_any_stack(work: Callable[[], _T]) -> _T:
    """The result of `work`, in a thread of its own where this one is too deep in calls to do it."""
    try:
        return work()
    except RecursionError:
        pass
    done: list[_T] = []
    failed: list[BaseException] = []

    def again() -> None:
        try:
            done.append(work())
        except (ValueError, RecursionError) as error:
            failed.append(error)

    thread = threading.Thread(target=again, daemon=True)
    thread.start()
    thread.join()
    if failed:
        raise failed[0]
    return done[0]
