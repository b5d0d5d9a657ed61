"""Examples in which no flip is allowed."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass

from gate.suites.perturbation.flips.marks import Marks


@dataclass(frozen=True, slots=True)
class Pinned:
    """What became of the pinned examples.

    Attributes:
        held: keys that stand on both sides and did not flip for the worse.
        broken: keys with another answer, unless it mended a wrong one; in the order of the examples.
        missing: pinned keys that were not measured, sorted by their text: they were not shown to hold.
    """

    held: tuple[object, ...]
    broken: tuple[object, ...]
    missing: tuple[object, ...]

    @property
    def holds(self) -> bool:
        """Whether every pinned example was measured and none flipped."""
        return not self.broken and not self.missing


def pinned(marks: Marks, keys: Sequence[object], wanted: Collection[object]) -> Pinned:
    """Check the pinned examples: one with a known truth may be mended, one without must keep its answer.

    Args:
        marks: of n examples.
        keys: their n keys.
        wanted: keys of the pinned ones.
    """
    pins = set(wanted)
    broken: list[object] = []
    held: list[object] = []
    for place, key in enumerate(keys):
        if key in pins:
            bad = bool(marks.changed[place]) and not bool(marks.positive[place])
            (broken if bad else held).append(key)
    missing = sorted(pins - set(keys), key=str)
    return Pinned(tuple(held), tuple(broken), tuple(missing))
