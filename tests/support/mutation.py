"""Short ways to ask for the mutants of a prompt."""

from __future__ import annotations

from itertools import pairwise

from gate.suites.mutation.mutants import mutants_of
from gate.suites.mutation.operators import Mutant
from gate.suites.mutation.prompt import parse


def rules_in(text: str) -> list[str]:
    """Texts of the rules that are found."""
    prompt = parse(text)
    return [prompt.rule_text(rule) for rule in prompt.rules]


def mutated(text: str, operator: str, *, include_code: bool = False) -> list[str]:
    """The prompt under each mutant of one operator."""
    found = mutants_of(parse(text), operators=[operator], include_code=include_code)
    return [mutant.apply(text) for mutant in found.mutants]


def assert_only_spans_change(text: str, mutant: Mutant) -> None:
    """The mutant differs from the prompt, inside its spans and nowhere else."""
    new = mutant.apply(text)
    assert new != text
    assert all(earlier.end <= later.start for earlier, later in pairwise(mutant.spans))
    rest, at, kept = new, 0, []
    for span, instead, before in zip(mutant.spans, mutant.replacements, mutant.before, strict=True):
        assert before == text[span.start : span.end]
        head = text[at : span.start]
        assert rest.startswith(head + instead)
        kept.append(head)
        rest, at = rest[len(head) + len(instead) :], span.end
    assert rest == text[at:]
