"""Random choices that depend on (seed, operator, strength, text) alone, the same on every version of Python."""

from __future__ import annotations

import hashlib
import json
import random
from collections.abc import Sequence
from typing import TypeVar

Item = TypeVar("Item")
GENERATOR = "mt19937-1"
"""What draws, and its version: raise it with whatever changes a choice, so that no baseline meets other edits."""


class Draws:
    """Choices of one operator for one text.

    Only `random.Random.random` is used, the one method whose sequence the standard library promises to keep.

    Args:
        key: any text; equal keys give equal choices.
    """

    def __init__(self, key: str) -> None:
        digest = hashlib.blake2b(key.encode("utf-8"), digest_size=16).digest()
        self._random = random.Random(int.from_bytes(digest, "big"))  # noqa: S311  not for security

    def below(self, count: int) -> int:
        """A whole number from 0 to count − 1."""
        return int(self._random.random() * count)

    def pick(self, items: Sequence[Item]) -> Item:
        """One of the items. IndexError without any."""
        return items[self.below(len(items))]

    def some(self, items: Sequence[Item], count: int) -> list[Item]:
        """`count` of the items, at most all of them, each at most once, in their own order."""
        wanted = min(count, len(items))
        taken: set[int] = set()
        if wanted > len(items) // 2:  # draw those that are left out
            left_out = self._places(len(items), len(items) - wanted)
            return [item for place, item in enumerate(items) if place not in left_out]
        taken = self._places(len(items), wanted)
        return [items[place] for place in sorted(taken)]

    def shuffled(self, items: Sequence[Item]) -> list[Item]:
        """The items in a random order (Fisher and Yates)."""
        order = list(items)
        for last in range(len(order) - 1, 0, -1):
            other = self.below(last + 1)
            order[last], order[other] = order[other], order[last]
        return order

    def _places(self, size: int, count: int) -> set[int]:
        found: set[int] = set()
        while len(found) < count:
            found.add(self.below(size))
        return found


def draws_for(seed: int, operator: str, strength: float, text: str, again: int = 0) -> Draws:
    """The choices that belong to (seed, operator, strength, text key); `again` counts further tries."""
    return Draws(json.dumps([seed, operator, float(strength), text, again]))
