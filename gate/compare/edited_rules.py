"""Which rule of the head's prompt is which rule of main's with other words: one that was edited is no new one."""

from __future__ import annotations

from collections.abc import Sequence
from difflib import SequenceMatcher

from gate.schema.mutation import RuleState

ALIKE = 0.5
"""Share of the words that both texts have in common, of which an edited rule keeps at least as much."""
_MOST_PAIRS = 2_500
"""Pairs of rules between two unchanged ones that are looked at; beyond, a rule is compared with that of its place."""


def edited(before: Sequence[RuleState], after: Sequence[RuleState]) -> dict[str, RuleState]:
    """By the id of a rule of the head, main's rule of which it is an edited form.

    Only rules that the other side lacks are looked at, and only those that stand between the same unchanged rules:
    the most similar pair first, each rule once.
    """
    old_ids, new_ids = {each.rule for each in before}, {each.rule for each in after}
    matcher = SequenceMatcher(a=[each.rule for each in before], b=[each.rule for each in after], autojunk=False)
    found: dict[str, RuleState] = {}
    for tag, first, last, start, end in matcher.get_opcodes():
        if tag == "replace":
            gone = [each for each in before[first:last] if each.rule not in new_ids]
            come = [each for each in after[start:end] if each.rule not in old_ids]
            found |= _paired(gone, come)
    return found


def _paired(gone: Sequence[RuleState], come: Sequence[RuleState]) -> dict[str, RuleState]:
    places = [(old, new) for new in range(len(come)) for old in range(len(gone))]
    if len(places) > _MOST_PAIRS:
        places = [(place, place) for place in range(min(len(gone), len(come)))]
    likeness = {(old, new): _alike(gone[old].text, come[new].text) for old, new in places}
    found: dict[str, RuleState] = {}
    used: set[int] = set()
    for old, new in sorted(likeness, key=lambda pair: (-likeness[pair], pair)):
        if likeness[old, new] >= ALIKE and old not in used and come[new].rule not in found:
            found[come[new].rule] = gone[old]
            used.add(old)
    return found


def _alike(one: str, other: str) -> float:
    """Share of the words that two texts have in common and in the same order, 0 to 1; of signs where there are none."""
    first, second = _pieces(one), _pieces(other)
    return SequenceMatcher(a=first, b=second, autojunk=False).ratio()


def _pieces(text: str) -> list[str]:
    words = text.lower().split()
    return words if len(words) > 1 else list(text.lower())
