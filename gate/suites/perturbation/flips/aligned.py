"""Bring the answers of two models onto the same examples, and say what does not pair."""

from __future__ import annotations

import difflib
from collections.abc import Sequence
from dataclasses import dataclass

from gate.errors import UsageError


@dataclass(frozen=True, slots=True)
class Aligned:
    """Which examples stand on both sides.

    Attributes:
        before, after: positions of the common examples on each side, in the order of the first side.
        gone: keys that only the first side has, in its order.
        new: keys that only the second side has, in its order.
    """

    before: tuple[int, ...]
    after: tuple[int, ...]
    gone: tuple[object, ...]
    new: tuple[object, ...]


def align(before: Sequence[object], after: Sequence[object], *, where: str = "flips") -> Aligned:
    """Pair examples by key.

    Args:
        before, after: one hashable key an example, each once a side.

    Raises:
        UsageError: a key stands twice on a side, or none stands on both.
    """
    for side, keys in (("first", before), ("second", after)):
        _refuse_twice(keys, side, where)
    here = {key: place for place, key in enumerate(after)}
    pairs = [(place, here[key]) for place, key in enumerate(before) if key in here]
    if not pairs:
        remedy = "give both models the same examples, named by a key of the data"
        raise UsageError("no example stands on both sides", where=where, remedy=remedy)
    there = set(before)
    return Aligned(
        before=tuple(old for old, _ in pairs),
        after=tuple(new for _, new in pairs),
        gone=tuple(key for key in before if key not in here),
        new=tuple(key for key in after if key not in there),
    )


@dataclass(frozen=True, slots=True)
class NamesChange:
    """How the names of columns or of classes differ between two sides; all empty where they are the same.

    Attributes:
        gone, new: names that only one side has, in its order.
        renamed: (before, after) pairs of `gone` and `new` that look alike.
        reordered: whether the common names stand in another order.
    """

    gone: tuple[str, ...]
    new: tuple[str, ...]
    renamed: tuple[tuple[str, str], ...]
    reordered: bool

    def __bool__(self) -> bool:
        return bool(self.gone or self.new or self.reordered)


def names_change(before: Sequence[str], after: Sequence[str]) -> NamesChange:
    """What became of the columns of a schema, or of a set of labels."""
    gone = tuple(name for name in before if name not in set(after))
    new = tuple(name for name in after if name not in set(before))
    left, renamed = list(new), []
    for name in gone:
        close = difflib.get_close_matches(name, left, n=1, cutoff=0.75)
        if close:
            renamed.append((name, close[0]))
            left.remove(close[0])
    common = set(before) & set(after)
    order = [name for name in before if name in common] != [name for name in after if name in common]
    return NamesChange(gone, new, tuple(renamed), order)


def _refuse_twice(keys: Sequence[object], side: str, where: str) -> None:
    seen: set[object] = set()
    for key in keys:
        if key in seen:
            remedy = "name each example by a key of its own"
            raise UsageError(f"the key {key!r:.60} stands twice on the {side} side", where=where, remedy=remedy)
        seen.add(key)
