"""A check that held on main can't be made here: its set-up or tear-down raises, or its process died."""

from __future__ import annotations

from collections.abc import Iterator

from gate.compare.comparison import Comparison, Rule
from gate.compare.outcomes import outcome_findings
from gate.schema.verdict import Finding, Level, RuleName


def check(comparison: Comparison, rule: Rule) -> Iterator[Finding]:
    return outcome_findings(comparison, rule, "newly errors")


RULE = Rule(RuleName.NEWLY_ERRORING, Level.ERROR, check)
