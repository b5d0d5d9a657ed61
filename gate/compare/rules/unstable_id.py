"""Ids that can't be paired for sure: they carry something that changes each run, or one stands twice."""

from __future__ import annotations

from collections.abc import Iterator

from gate.compare.comparison import Comparison, Rule
from gate.schema.verdict import Finding, Level, RuleName


def check(comparison: Comparison, rule: Rule) -> Iterator[Finding]:
    for group in comparison.alignment.unstable:
        yield Finding(
            rule=rule.name,
            level=rule.level,
            case_id=group.skeleton,
            subject=group.skeleton,
            what="has an id that changes each run; give the parameter a fixed id",
            before=str(len(group.before)),
            after=str(len(group.after)),
            why="compared by count",
            amount=len(group.after),
            location=group.after[0].location,
        )
    before, after = comparison.alignment.repeated_before, comparison.alignment.repeated
    for case_id in sorted({*before, *after}):
        yield Finding(
            rule=rule.name,
            level=rule.level,
            case_id=case_id,
            subject=case_id,
            what="stands more than once; its worst outcome counts",
            before=_times(before.get(case_id, 1)),
            after=_times(after.get(case_id, 1)),
            why="compared by its worst",
        )


def _times(count: int) -> str:
    return "once" if count == 1 else f"{count:,} times"


RULE = Rule(RuleName.UNSTABLE_ID, Level.WARNING, check)
