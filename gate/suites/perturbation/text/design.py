"""What decides how texts are edited and which edits count."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass

from gate.errors import UsageError
from gate.suites.perturbation.text.budget import Budget
from gate.suites.perturbation.text.draws import GENERATOR, draws_for
from gate.suites.perturbation.text.gating import TOO_UNLIKE, Similarity, alike, character_similarity
from gate.suites.perturbation.text.operator import UNLIMITED, Operator, Perturbed, checked_strength


@dataclass(frozen=True, slots=True)
class Design:
    """Settings of a test.

    Attributes:
        seed: of the choices; each (seed, operator, strength, text) has its own, so that order and neighbours are
            nothing to them.
        strength: share of the possible places that are edited, for all operators; None for each one's own.
        draws: edits of each text by each operator; an example fails when one of them fails it. More find more.
        budget: limits of each edit.
        floor: similarity from which an edit by a nearly preserving operator counts; without one it never gates.
        similarity: of two texts, 0 to 1; by default `character_similarity`, which knows spelling and no meaning.
    """

    seed: int = 0
    strength: float | None = None
    draws: int = 1
    budget: Budget = UNLIMITED
    floor: float | None = None
    similarity: Similarity = character_similarity

    def __post_init__(self) -> None:
        if self.strength is not None:
            checked_strength(self.strength)
        if not isinstance(self.draws, int) or self.draws < 1:
            raise UsageError(f"draws is {self.draws!r}", where="draws", remedy="give a whole number of at least 1")
        if self.floor is not None and not 0 <= self.floor <= 1:
            remedy = "give a similarity from 0 to 1"
            raise UsageError(f"floor {self.floor!r} is outside 0 to 1", where="floor", remedy=remedy)

    def edits(self, operator: Operator, text: str) -> tuple[list[str], str]:
        """The different edits of a text that count; without any, the reason of the first."""
        found = [self._edited(operator, text, again) for again in range(self.draws)]
        return list(dict.fromkeys(edit.text for edit in found if not edit.reason)), found[0].reason

    def _edited(self, operator: Operator, text: str, again: int) -> Perturbed:
        strength = operator.strength if self.strength is None else self.strength
        draws = draws_for(self.seed, operator.name, strength, text, again)
        found = operator.perturb(text, draws, self.budget, strength)
        if found.reason or alike(operator, text, found.text, self.floor, self.similarity):
            return found
        return Perturbed(text, TOO_UNLIKE)

    def name(self, operator: Operator) -> str:
        """The operator's name, with strength and draws where they are not the default; stable across runs."""
        strength = "" if self.strength is None else f" strength={self.strength:g}"
        return operator.name + strength + ("" if self.draws == 1 else f" draws={self.draws}")

    def written(self, operators: Sequence[Operator]) -> dict[str, str]:
        """JSON texts by name, for the facet `Predictions`."""
        limits = {"characters": self.budget.characters, "words": self.budget.words, "share": self.budget.share}
        return {
            "operators": json.dumps({operator.name: operator.meaning for operator in operators}, sort_keys=True),
            "generator": json.dumps(GENERATOR),
            "seed": json.dumps(self.seed),
            "strength": json.dumps(self.strength),
            "draws": json.dumps(self.draws),
            "budget": json.dumps({name: limit for name, limit in limits.items() if limit is not None}),
            "floor": json.dumps(self.floor),
            "similarity": json.dumps(getattr(self.similarity, "__name__", type(self.similarity).__name__)),
        }
