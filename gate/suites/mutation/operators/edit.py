"""What an operator answers, and what becomes of it: a mutant, which knows how to change a prompt."""

from __future__ import annotations

import itertools
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Literal

from gate.errors import UsageError
from gate.suites.mutation.prompt.model import Prompt, Rule, Span

Scope = Literal["rule", "prompt"]


@dataclass(frozen=True, slots=True)
class Edit:
    """One change that an operator makes.

    Attributes:
        spans, replacements: what is replaced by what, in order, without overlap.
        key: tells this edit from the operator's others on the same subject; the same wherever that stands.
        subject: for an operator on the whole prompt, the words of what is changed.
        touches: ids of the rules that are changed, for an operator on the whole prompt.
    """

    spans: tuple[Span, ...]
    replacements: tuple[str, ...]
    description: str
    key: str = ""
    subject: str = ""
    touches: tuple[str, ...] = ()


OnRule = Callable[[Prompt, Rule], "list[Edit] | str"]
"""Edits of one rule, or why there is none."""
OnPrompt = Callable[[Prompt], list[Edit]]


@dataclass(frozen=True, slots=True)
class Mutant:
    """One fault, ready to be put into the prompt.

    Attributes:
        id: 12 hexadecimal digits of operator and words; it survives edits elsewhere and another order of the rules.
        rule: id of the one rule that is changed; empty for an operator on sections, examples or the order.
        touches: ids of all rules that are changed.
        before: what stands in the spans of the prompt that was parsed.
    """

    id: str
    operator: str
    rule: str
    spans: tuple[Span, ...]
    replacements: tuple[str, ...]
    before: tuple[str, ...]
    description: str
    touches: tuple[str, ...] = ()

    def apply(self, text: str) -> str:
        """The prompt with the fault; everything outside the spans is kept as it is.

        Args:
            text: the prompt that was parsed, or one that a function builds anew and in which other words differ.

        Raises:
            UsageError: what the mutant replaces does not stand in this text, or more than once.
        """
        spans = self._found_in(text)
        pieces, at = [], 0
        for span, instead in zip(spans, self.replacements, strict=True):
            pieces += [text[at : span.start], instead]
            at = span.end
        return "".join([*pieces, text[at:]])

    def _found_in(self, text: str) -> Sequence[Span]:
        here = all(
            span.end <= len(text) and span.of(text) == was for span, was in zip(self.spans, self.before, strict=True)
        )
        if here and (any(self.before) or self.spans[-1].end == len(text)):
            return self.spans
        found: list[Span] = []
        for was in self.before:
            first = len(text) if not was else text.find(was)
            if first < 0 or (was and text.find(was, first + 1) >= 0):
                raise self._lost("its words more than once" if first >= 0 else "no such words")
            found.append(Span(first, first + len(was)))
        if any(later.start < earlier.end for earlier, later in itertools.pairwise(found)):
            raise self._lost("its words in another order")
        return found

    def _lost(self, what: str) -> UsageError:
        remedy = "let the prompt stay the same from call to call, apart from what placeholders bring"
        return UsageError(f"mutant {self.id} finds {what} in the prompt", remedy=remedy)


def shortened(text: str, longest: int = 60) -> str:
    """A text on one line, cut in the middle of nothing shorter than `longest` characters."""
    flat = " ".join(text.split())
    return flat if len(flat) <= longest else flat[: longest - 1].rstrip() + "…"
