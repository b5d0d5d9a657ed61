"""Findings over examples: all flips are counted, and the worst are kept one by one."""

from __future__ import annotations

import heapq
from collections.abc import Sequence
from dataclasses import dataclass

from gate.compare.comparison import Rule
from gate.compare.flips import Flips, attack_of
from gate.compare.outcomes import rerun
from gate.schema.report import Case, Predictions
from gate.schema.symbols import index_of, score_of
from gate.schema.verdict import ExampleChange, Finding

KEPT = 1_000
"""Examples of one finding that a verdict holds; a renderer shows fewer."""

ANSWERS = "answers"
"""Stands for an attack in the id of what is missing where a model no longer answers."""


@dataclass(frozen=True, slots=True)
class Words:
    """The cells of a finding over examples."""

    what: str
    after: str
    why: str = ""
    before: str = "–"


def flip_finding(
    rule: Rule,
    case: Case,
    flips: Flips,
    chosen: Sequence[tuple[int, int]],
    words: Words,
    *,
    attack: str = "",
) -> Finding:
    """A finding over the chosen examples, as (index before, index after)."""
    return Finding(
        rule=rule.name,
        level=rule.level,
        case_id=flip_id(case, flips.before.name, attack),
        subject=flips.before.name,
        what=words.what,
        before=words.before,
        after=words.after,
        why=words.why,
        amount=len(chosen),
        total=flips.total,
        location=case.location,
        examples=tuple(_example(flips, pair, attack) for pair in _worst(flips, chosen, attack)),
        command=rerun(case),
    )


def flip_id(case: Case, name: str, attack: str = "") -> str:
    """Id of what a finding over examples is about."""
    return f"{case.id}#{name}#{attack}" if attack else f"{case.id}#{name}"


def _worst(flips: Flips, chosen: Sequence[tuple[int, int]], attack_name: str) -> list[tuple[int, int]]:
    """Those in which confidence in the old answer fell most, then in the order of the data set.

    With probability p for the old answer on main and q for another answer here, the old answer has at most 1 - q left:
    it fell by at least p + q - 1. Unknown probabilities count as 0.
    """
    attack = attack_of(flips.after, attack_name) if attack_name else None
    before, after = flips.before.scores, attack.scores if attack is not None else flips.after.scores

    def fall(pair: tuple[int, int]) -> tuple[float, int]:
        return (-((_score(before, pair[0]) or 0.0) + (_score(after, pair[1]) or 0.0)), pair[0])

    return heapq.nsmallest(KEPT, chosen, key=fall)


def _example(flips: Flips, pair: tuple[int, int], attack_name: str) -> ExampleChange:
    old, new = pair
    before, after = flips.before, flips.after
    attack = attack_of(after, attack_name) if attack_name else None
    return ExampleChange(
        id=before.ids[old],
        before=_label(before, before.predicted[old]),
        after=_label(after, after.predicted[new]) if attack is None else "flipped",
        moved="clean input" if attack is None else attack.moves.get(new, attack.name),
        score_before=_score(before.scores, old),
        score_after=_score(after.scores if attack is None else attack.scores, new),
    )


def _score(scores: str, place: int) -> float | None:
    return score_of(scores[place]) if scores else None


def _label(predictions: Predictions, character: str) -> str:
    index = index_of(character)
    return predictions.labels[index] if 0 <= index < len(predictions.labels) else "no answer"
