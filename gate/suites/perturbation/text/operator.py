"""What a text operator is: a name, what it does to the meaning, and an edit that keeps within a budget."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from enum import StrEnum

from gate.errors import UsageError
from gate.suites.perturbation.text.budget import Budget
from gate.suites.perturbation.text.draws import Draws
from gate.suites.perturbation.text.prepared import Prepared
from gate.suites.perturbation.text.protected import Span, fields

NOTHING = "nothing to change"
OVER_BUDGET = "over the budget"
TORN = "would tear a placeholder, code or an address"
UNLIMITED = Budget()
_TRIES = 8


class Meaning(StrEnum):
    """What an operator does to the meaning of a text."""

    PRESERVING = "preserving"
    NEARLY = "nearly"
    CHANGING = "changing"


Edit = Callable[[Prepared, Draws, float], str]
"""(text, choices, strength) -> the edited text, or the same text where there is nothing to edit."""


@dataclass(frozen=True, slots=True)
class Perturbed:
    """What an operator made of a text.

    Attributes:
        text: the edited text; the original where the operator is not applicable.
        reason: why it is not applicable; empty where it is.
    """

    text: str
    reason: str = ""


@dataclass(frozen=True, slots=True)
class Operator:
    """One way to edit a text.

    Attributes:
        name: in kebab-case, unique.
        meaning: what the edit does to the meaning; see `declared`.
        family: the module that it stands in.
        summary: what it does, one phrase.
        strength: share of the possible places that it edits, at least one; whole-text operators ignore it.
        canary: what an answer that obeys an injection contains; else empty.
    """

    name: str
    meaning: Meaning
    family: str
    summary: str
    edit: Edit
    strength: float = 0.1
    canary: str = ""

    def apply(self, text: str, rng: Draws, budget: Budget = UNLIMITED, strength: float | None = None) -> str:
        """The edited text, or the text itself where the operator is not applicable; `perturb` says why.

        Raises:
            UsageError: a strength outside (0, 1], a lone surrogate.
        """
        return self.perturb(text, rng, budget, strength).text

    def perturb(self, text: str, rng: Draws, budget: Budget = UNLIMITED, strength: float | None = None) -> Perturbed:
        """Edit, and check the final text: it differs, is within the budget, and holds all that is protected.

        A text that fails is edited anew, eight times at most, with half the strength each time.
        """
        share = checked_strength(self.strength if strength is None else strength)
        prepared, reason, last = Prepared(text, self.name), NOTHING, None
        for _ in range(_TRIES):
            edited = self.edit(prepared, rng, share)
            if edited == text:
                return Perturbed(text, reason)
            if edited == last:
                pass  # it failed just now
            elif not _keeps(prepared, edited):
                reason = TORN
            elif budget.allows(text, edited):
                return Perturbed(edited)
            else:
                reason = OVER_BUDGET
            share, last = share / 2, edited
        return Perturbed(text, reason)

    def declared(self, meaning: Meaning | str) -> Operator:
        """The same operator with the meaning that it has for your task.

        A name swapped for another changes what a text says, but not whether it is a complaint.

        Raises:
            UsageError: no such meaning.
        """
        if meaning not in tuple(Meaning):
            remedy = f"choose one of {', '.join(Meaning)}"
            raise UsageError(f"there is no meaning {meaning!r:.40}", where=self.name, remedy=remedy)
        return replace(self, meaning=Meaning(meaning))


def at_places(places: Callable[[Prepared], Sequence[Span]], change: Callable[[str, Draws], str]) -> Edit:
    """An edit of some of the places: `strength` of them, at least one.

    Args:
        places: spans in order; where two that are drawn overlap, the first counts.
        change: from the piece of a span to what takes its place.
    """

    def edit(prepared: Prepared, draws: Draws, strength: float) -> str:
        spans = places(prepared)
        parts, at = [], 0
        for start, end in draws.some(spans, max(1, round(strength * len(spans)))):
            if start >= at:
                parts += [prepared.text[at:start], change(prepared.text[start:end], draws)]
                at = end
        return "".join([*parts, prepared.text[at:]])

    return edit


def custom(name: str, edit: Callable[[str], str], meaning: Meaning | str = Meaning.CHANGING) -> Operator:
    """An operator of your own from a function of texts, for example one that appends "I hate it."."""
    made = Operator(name, Meaning.CHANGING, "custom", "your own", lambda prepared, _, __: edit(prepared.text))
    return made.declared(meaning)


def checked_strength(strength: float) -> float:
    """The strength as a float.

    Raises:
        UsageError: outside (0, 1].
    """
    if not 0 < strength <= 1:
        remedy = "give the share of places to edit, above 0 and at most 1"
        raise UsageError(f"strength {strength!r} is outside (0, 1]", where="strength", remedy=remedy)
    return float(strength)


def _keeps(prepared: Prepared, edited: str) -> bool:
    """Whether all that is protected stands in the edited text, in order, and no template got another field."""
    before = fields(prepared.text)
    if before and fields(edited) != before:
        return False
    at = 0
    for start, end in prepared.protected:
        found = edited.find(prepared.text[start:end], at)
        if found < 0:
            return False
        at = found + end - start
    return True
