"""Ids that can't be paired for sure: they carry something that changes each run, or one stands twice."""

from __future__ import annotations

from collections.abc import Iterator

from gate.compare.align import Unstable
from gate.compare.comparison import Comparison, Rule
from gate.compare.ids import volatile
from gate.schema.verdict import Finding, Level, RuleName


def check(comparison: Comparison, rule: Rule) -> Iterator[Finding]:
    alignment = comparison.alignment
    for group in alignment.changing:
        before, after = group.before[0], group.after[0]
        yield _changing(rule, group, volatile(before.id), volatile(after.id), "compared as one test")
    for group in alignment.unstable:
        yield _changing(rule, group, str(len(group.before)), str(len(group.after)), "compared by count")
    before_counts, after_counts = alignment.repeated_before, alignment.repeated
    for case_id in sorted({*before_counts, *after_counts}):
        yield Finding(
            rule=rule.name,
            level=rule.level,
            case_id=case_id,
            subject=case_id,
            what="stands more than once; the worst of each part counts",
            before=_times(before_counts.get(case_id, 1)),
            after=_times(after_counts.get(case_id, 1)),
            why="compared by its worst",
        )


def _changing(rule: Rule, group: Unstable, before: str, after: str, why: str) -> Finding:
    return Finding(
        rule=rule.name,
        level=rule.level,
        case_id=group.skeleton,
        subject=group.skeleton,
        what="has an id that changes each run; give the parameter a fixed id",
        before=before,
        after=after,
        why=why,
        amount=len(group.after),
        location=group.after[0].location,
    )


def _times(count: int) -> str:
    return "once" if count == 1 else f"{count:,} times"


RULE = Rule(RuleName.UNSTABLE_ID, Level.WARNING, check)
