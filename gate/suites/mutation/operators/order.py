"""Swap priority: two rules of one list or section change places."""

from __future__ import annotations

import itertools

from gate.suites.mutation.operators.delete import unremovable
from gate.suites.mutation.operators.edit import Edit, shortened
from gate.suites.mutation.prompt.model import Prompt, Rule, normal


def swap_priority(prompt: Prompt) -> list[Edit]:
    """Neighbours in the order of their ids change places, n - 1 pairs among n rules.

    Neighbours in the text would be other pairs after every reordering, and so other mutants.
    """
    groups: dict[tuple[int, int], list[Rule]] = {}
    for rule, section in zip(prompt.rules, _sections(prompt), strict=True):
        block = prompt.blocks[rule.block]
        groups.setdefault((section, block.group if block.kind == "item" else 0), []).append(rule)
    found = []
    for rules in groups.values():
        movable = sorted((rule for rule in rules if _movable(prompt, rule)), key=lambda rule: rule.id)
        for one, other in itertools.pairwise(movable):
            first, second = sorted((one, other), key=lambda rule: rule.span.start)
            texts = prompt.rule_text(first), prompt.rule_text(second)
            if texts[0] == texts[1]:
                continue
            told = f"swap “{shortened(texts[0], 40)}” and “{shortened(texts[1], 40)}”"
            found.append(
                Edit(
                    (first.span, second.span), (texts[1], texts[0]), told,
                    subject=f"{one.id} {other.id}", touches=(one.id, other.id),
                )
            )  # fmt: skip
    return found


def _movable(prompt: Prompt, rule: Rule) -> bool:
    text = prompt.rule_text(rule)
    return not normal(text).rstrip("*_").endswith((":", "：")) and not unremovable(text)


def _sections(prompt: Prompt) -> list[int]:
    """For each rule, the offset of the innermost section around it, or -1."""
    found: list[int] = []
    opened: list[tuple[int, int]] = []
    place = 0
    for rule in prompt.rules:
        while place < len(prompt.sections) and prompt.sections[place].span.start <= rule.span.start:
            span = prompt.sections[place].span
            opened.append((span.start, span.end))
            place += 1
        while opened and opened[-1][1] <= rule.span.start:
            opened.pop()
        found.append(opened[-1][0] if opened else -1)
    return found
