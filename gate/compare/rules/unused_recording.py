"""Recordings that nothing asked for, although the whole suite ran."""

from __future__ import annotations

from collections.abc import Iterator

from gate.compare import recorded
from gate.compare.comparison import Comparison, Rule
from gate.schema.verdict import Finding, Level, RuleName


def check(comparison: Comparison, rule: Rule) -> Iterator[Finding]:
    found = recorded.entries(comparison, "unused")
    if not found:
        return
    yield Finding(
        rule=rule.name,
        level=rule.level,
        case_id=recorded.SUBJECT,
        subject=recorded.SUBJECT,
        what=f"hold {recorded.answers(found)} that nothing asked for",
        why="the whole suite ran without them",
        amount=recorded.total(found),
        evidence=(recorded.table(found, "Recordings that nothing asked for"),),
        command="gate recordings prune --unused .gate/candidate.json",
    )


RULE = Rule(RuleName.UNUSED_RECORDING, Level.NOTE, check)
