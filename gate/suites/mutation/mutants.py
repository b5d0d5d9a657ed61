"""Mutants of a prompt: every operator on every place where it applies, and which of them are tried."""

from __future__ import annotations

import difflib
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass

from gate.errors import UsageError
from gate.suites.mutation.operators import ON_PROMPTS, ON_RULES, OPERATORS, SEMANTIC, OnRule, Rewrite, semantic
from gate.suites.mutation.operators.edit import Edit, Mutant
from gate.suites.mutation.prompt.model import Prompt, Rule, Span, normal, stable_id
from gate.suites.mutation.prompt.parse import parse, without_collection
from gate.suites.mutation.selection import select


@dataclass(frozen=True, slots=True)
class NotApplicable:
    """Why an operator made no mutant of a rule."""

    rule: str
    operator: str
    reason: str


@dataclass(frozen=True, slots=True)
class Mutants:
    """What is tried, and of how much.

    Attributes:
        mutants: in the order of the prompt.
        prompt: with the rules that the mutants name.
        available: how many there are without a limit.
        rules_measured: ids of the rules that a mutant of their own is tried for.
    """

    mutants: tuple[Mutant, ...]
    prompt: Prompt
    available: int
    rules_measured: frozenset[str]
    not_applicable: tuple[NotApplicable, ...]
    notes: tuple[str, ...]

    @property
    def coverage(self) -> float | None:
        """Share of the rules that are measured, 0 to 1; None without any rule."""
        rules = self.prompt.rules
        return sum(rule.id in self.rules_measured for rule in rules) / len(rules) if rules else None


def mutants_of(
    prompt: Prompt,
    *,
    operators: Sequence[str] | None = None,
    max_mutants: int | None = None,
    seed: int = 0,
    include_code: bool = False,
    semantic_operator: Rewrite | None = None,
    rules: Iterable[str] | None = None,
) -> Mutants:
    """Every mutant that differs from the prompt, or a selection of them.

    Args:
        operators: names from `OPERATORS`; all by default, `semantic` only with a function.
        max_mutants: how many are tried at most.
        seed: of the selection.
        include_code: also mutate rules in code and JSON, and read every other thing of the prompt in that way.
        semantic_operator: a function that rewrites a rule, see `gate.suites.mutation.operators.semantic`.
        rules: ids; only mutants that touch one of them are made, as for a pull request that edits the prompt.

    Raises:
        UsageError: an unknown operator, a limit below 1, or what the semantic operator answers can't be used.
    """
    chosen = _chosen(operators, semantic_operator)
    if max_mutants is not None and max_mutants < 1:
        raise UsageError(f"max_mutants is {max_mutants}", remedy="allow at least one mutant, or leave the option out")
    if include_code:
        prompt = parse(prompt.text, include_code=True)
    wanted = None if rules is None else frozenset(rules)
    not_applicable: list[NotApplicable] = []
    with without_collection():
        found = list(_on_rules(prompt, chosen, semantic_operator, wanted, not_applicable))
        found += _on_prompt(prompt, chosen, wanted)
        every = _ordered(_distinct(prompt.text, found))
        tried = select(every, max_mutants, seed)
    return Mutants(
        mutants=tried,
        prompt=prompt,
        available=len(every),
        rules_measured=frozenset(mutant.rule for mutant in tried if mutant.rule),
        not_applicable=tuple(not_applicable),
        notes=prompt.notes,
    )


def _chosen(operators: Sequence[str] | None, rewrite: Rewrite | None) -> list[str]:
    if operators is None:
        return [name for name in OPERATORS if name != SEMANTIC or rewrite is not None]
    operators = [operators] if isinstance(operators, str) else operators
    for name in operators:
        if name not in OPERATORS:
            near = difflib.get_close_matches(str(name).replace("_", "-"), OPERATORS, n=1)
            hint = f"did you mean `{near[0]}`? " if near else ""
            raise UsageError(f"there is no operator `{name}`", remedy=f"{hint}choose from {', '.join(OPERATORS)}")
    if SEMANTIC in operators and rewrite is None:
        raise UsageError("the operator `semantic` needs a function", remedy="give the function that rewrites a rule")
    return [name for name in OPERATORS if name in operators]


def _on_rules(
    prompt: Prompt,
    chosen: Sequence[str],
    rewrite: Rewrite | None,
    wanted: frozenset[str] | None,
    without: list[NotApplicable],
) -> Iterator[Mutant]:
    for rule in prompt.rules:
        if wanted is not None and rule.id not in wanted:
            continue
        for name in chosen:
            operator = _operator(name, rewrite)
            if operator is None:
                continue
            edits = operator(prompt, rule)
            if isinstance(edits, str):
                without.append(NotApplicable(rule.id, name, edits))
                continue
            for edit in edits:
                yield _mutant(prompt.text, name, edit, rule)


def _operator(name: str, rewrite: Rewrite | None) -> OnRule | None:
    if name == SEMANTIC:
        return semantic(rewrite) if rewrite else None
    return ON_RULES.get(name)


def _on_prompt(prompt: Prompt, chosen: Sequence[str], wanted: frozenset[str] | None) -> list[Mutant]:
    found = []
    for name in chosen:
        if name not in ON_PROMPTS:
            continue
        seen: dict[str, int] = {}
        for edit in ON_PROMPTS[name](prompt):
            subject = f"{edit.subject} {edit.key}"
            seen[subject] = seen.get(subject, -1) + 1
            if wanted is None or wanted.intersection(edit.touches):
                found.append(_mutant(prompt.text, name, edit, None, seen[subject]))
    return found


def _mutant(text: str, operator: str, edit: Edit, rule: Rule | None, number: int = 0) -> Mutant:
    subject = rule.id if rule else normal(edit.subject)
    return Mutant(
        id=stable_id(operator, subject, edit.key, str(number)),
        operator=operator,
        rule=rule.id if rule else "",
        spans=edit.spans,
        replacements=edit.replacements,
        before=tuple(span.of(text) for span in edit.spans),
        description=edit.description,
        touches=(rule.id,) if rule else edit.touches,
    )


def _distinct(text: str, mutants: Iterable[Mutant]) -> Iterator[Mutant]:
    """Mutants that change something, and each change once, under the first operator that makes it."""
    seen: set[tuple[tuple[Span, str], ...]] = set()
    for mutant in mutants:
        change = tuple(_trimmed(text, span, new) for span, new in zip(mutant.spans, mutant.replacements, strict=True))
        if change in seen or mutant.before == mutant.replacements:
            continue
        seen.add(change)
        yield mutant


def _trimmed(text: str, span: Span, new: str) -> tuple[Span, str]:
    """A change without the characters that it has in common with what was there."""
    old = span.of(text)
    most = min(len(old), len(new))
    head = 0
    while head < most and old[head] == new[head]:
        head += 1
    tail = 0
    while tail < most - head and old[-1 - tail] == new[-1 - tail]:
        tail += 1
    return Span(span.start + head, span.end - tail), new[head : len(new) - tail]


def _ordered(mutants: Iterable[Mutant]) -> list[Mutant]:
    place = {name: number for number, name in enumerate(OPERATORS)}
    return sorted(mutants, key=lambda mutant: (mutant.spans[0], place[mutant.operator], mutant.id))
