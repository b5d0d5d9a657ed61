"""A test that failed on main holds here."""

from __future__ import annotations

from collections.abc import Iterator

from gate.compare.comparison import Comparison, Rule
from gate.compare.outcomes import outcome_findings
from gate.schema.verdict import Finding, Level, RuleName


def check(comparison: Comparison, rule: Rule) -> Iterator[Finding]:
    return outcome_findings(comparison, rule, "is fixed")


RULE = Rule(RuleName.FIXED, Level.NOTE, check, good_news=True)
