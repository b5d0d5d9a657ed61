"""How far a text may move, checked on the final text."""

from __future__ import annotations

import re
from collections.abc import Hashable, Sequence
from dataclasses import dataclass

from gate.errors import UsageError

_EXACT = 4_000
_WINDOW = 48
_AGREE = 8
_WORD = re.compile(r"\S+")


@dataclass(frozen=True, slots=True)
class Budget:
    """Limits of an edit; None is no limit.

    Attributes:
        characters: Levenshtein distance (1966) in code points: insertions, deletions and substitutions.
        words: the same distance over words, which are what white space parts.
        share: characters as a share of the longer of 1 and the original's length, for example .1.
    """

    characters: int | None = None
    words: int | None = None
    share: float | None = None

    def __post_init__(self) -> None:
        for name in ("characters", "words", "share"):
            limit = getattr(self, name)
            if limit is not None and not 0 < limit < float("inf"):
                remedy = "give a number above 0, or None for no limit"
                raise UsageError(f"the budget of {name} is {limit!r}", where="budget", remedy=remedy)

    def allows(self, before: str, after: str) -> bool:
        """Whether `after` is within all limits. Never true beyond one; see `distance` for long texts."""
        limits = [limit for limit in (self.characters, self._of_share(before)) if limit is not None]
        if limits and (abs(len(before) - len(after)) > min(limits) or distance(before, after) > min(limits)):
            return False
        return self.words is None or word_distance(before, after) <= self.words

    def _of_share(self, before: str) -> int | None:
        return None if self.share is None else int(self.share * max(1, len(before)))


def distance(before: Sequence[Hashable], after: Sequence[Hashable]) -> int:
    """Levenshtein distance of two sequences; for long ones that differ much an upper bound, in linear time.

    What both share at their ends is left out. If more than 4,000 items are left on both sides, the two are aligned
    greedily, which needs at least as many edits as the distance: a budget is then never overdrawn, but may be refused.
    """
    start, limit = 0, min(len(before), len(after))
    while start < limit and before[start] == after[start]:
        start += 1
    end = 0
    while end < limit - start and before[-1 - end] == after[-1 - end]:
        end += 1
    left, right = before[start : len(before) - end], after[start : len(after) - end]
    if min(len(left), len(right)) > _EXACT:
        return _aligned(left, right)
    return _exact(left, right)


def word_distance(before: str, after: str) -> int:
    """`distance` over words, which are what white space parts."""
    return distance(_WORD.findall(before), _WORD.findall(after))


def _exact(left: Sequence[Hashable], right: Sequence[Hashable]) -> int:
    """Hyyrö (2003), the bit-parallel form of Myers (1999), on whole numbers of any length."""
    if len(left) > len(right):
        left, right = right, left
    if not left:
        return len(right)
    places: dict[Hashable, int] = {}
    for place, item in enumerate(left):
        places[item] = places.get(item, 0) | 1 << place
    every, last = (1 << len(left)) - 1, 1 << len(left) - 1
    plus, minus, score = every, 0, len(left)
    for item in right:
        match = places.get(item, 0)
        diagonal = (((match & plus) + plus) ^ plus) | match | minus
        rise, fall = minus | (every & ~(diagonal | plus)), plus & diagonal
        score += bool(rise & last) - bool(fall & last)
        rise, fall = rise << 1 | 1, fall << 1
        plus, minus = (fall | ~(diagonal | rise)) & every, rise & diagonal & every
    return score


def _aligned(left: Sequence[Hashable], right: Sequence[Hashable]) -> int:
    """Edits of a greedy alignment: at a difference both skip as little as makes the next eight items agree."""
    edits = here = there = 0
    while here < len(left) and there < len(right):
        if left[here] == right[there]:
            here, there = here + 1, there + 1
            continue
        skip = _resumes(left, right, here, there)
        if skip is None:
            break
        edits += max(skip)
        here, there = here + skip[0], there + skip[1]
    return edits + max(len(left) - here, len(right) - there)


def _resumes(left: Sequence[Hashable], right: Sequence[Hashable], here: int, there: int) -> tuple[int, int] | None:
    for total in range(1, _WINDOW):
        for skip in range(total + 1):
            at, other = here + skip, there + total - skip
            if left[at : at + _AGREE] == right[other : other + _AGREE]:
                return skip, total - skip
    return None
