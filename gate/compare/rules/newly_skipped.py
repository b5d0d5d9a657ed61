"""A check that was made on main is skipped here, so nobody knows whether it holds."""

from __future__ import annotations

from collections.abc import Iterator

from gate.compare.comparison import Comparison, Rule, outcome_findings
from gate.schema.verdict import Finding, Level, RuleName


def check(comparison: Comparison, rule: Rule) -> Iterator[Finding]:
    return outcome_findings(comparison, rule, "is newly skipped")


RULE = Rule(RuleName.NEWLY_SKIPPED, Level.ERROR, check)
