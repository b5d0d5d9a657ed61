"""Which operators may make a gate fail, and when two texts are alike enough.

A preserving operator may gate. A nearly preserving one may, for those texts whose edit stays above a similarity that
the user sets. A changing one never does by invariance: that its answer moves is as it should be.
"""

from __future__ import annotations

from collections.abc import Callable

from gate.errors import UsageError
from gate.suites.perturbation.text.budget import distance, word_distance
from gate.suites.perturbation.text.operator import Meaning, Operator

Similarity = Callable[[str, str], float]
"""(before, after) -> 0 to 1, where 1 is the same."""

TOO_UNLIKE = "below the similarity that is set"


def character_similarity(before: str, after: str) -> float:
    """1 − Levenshtein distance / length of the longer, in characters. It knows spelling, not meaning."""
    longer = max(len(before), len(after))
    return 1 - distance(before, after) / longer if longer else 1.0


def word_similarity(before: str, after: str) -> float:
    """1 − Levenshtein distance / length of the longer, in words."""
    longer = max(len(before.split()), len(after.split()))
    return 1 - word_distance(before, after) / longer if longer else 1.0


def may_gate(operator: Operator, floor: float | None) -> bool:
    """Whether invariance under an operator may gate; `floor` is the similarity that the user sets, None for none."""
    if operator.meaning is Meaning.NEARLY:
        return floor is not None
    return operator.meaning is Meaning.PRESERVING


def alike(operator: Operator, before: str, after: str, floor: float | None, similarity: Similarity) -> bool:
    """Whether one edit counts: always for an operator that preserves, else when its similarity reaches the floor.

    Raises:
        UsageError: the similarity is no number from 0 to 1.
    """
    if operator.meaning is Meaning.PRESERVING or floor is None:
        return True
    found = similarity(before, after)
    if not 0 <= found <= 1:
        remedy = "return 1 for the same text and 0 for another"
        raise UsageError(f"the similarity gave {found!r}", where=operator.name, remedy=remedy)
    return found >= floor


def refuse_changing(operator: Operator, where: str) -> None:
    """Refuse to ask for invariance where the meaning changes.

    Raises:
        UsageError: the operator changes the meaning.
    """
    if operator.meaning is Meaning.CHANGING:
        others = "`canary`, `sensitivity` or `directional`" if operator.canary else "`sensitivity` or `directional`"
        remedy = (
            f"ask {others} of it, or, if your task's answer stays the same, give "
            f"`OPERATORS[{operator.name!r}].declared('preserving')`"
        )
        raise UsageError(f"`{operator.name:.60}` changes the meaning", where=where, remedy=remedy)
