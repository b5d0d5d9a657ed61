"""A test that failed on main holds here, or a rule of a prompt that nothing guarded is guarded."""

from __future__ import annotations

from collections.abc import Iterator

from gate.compare.comparison import Comparison, Rule
from gate.compare.outcomes import outcome_findings
from gate.compare.rules.mutant_survives import shortened
from gate.schema.verdict import Finding, Level, RuleName


def check(comparison: Comparison, rule: Rule) -> Iterator[Finding]:
    yield from outcome_findings(comparison, rule, "is fixed")
    for each in comparison.mutants.rules:
        if each.before == "unguarded" and each.after == "guarded":
            yield Finding(
                rule=rule.name,
                level=rule.level,
                case_id=f"{each.target}#{each.rule}",
                subject=shortened(each.text),
                what="is newly guarded",
                before=each.before,
                after=each.after,
                why="a test notices a mutant of it",
            )


RULE = Rule(RuleName.FIXED, Level.NOTE, check, good_news=True)
