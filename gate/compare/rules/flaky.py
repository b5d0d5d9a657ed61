"""A test passed only when it was run again, which it did not need on main."""

from __future__ import annotations

from collections.abc import Iterator

from gate.compare.comparison import Comparison, Rule
from gate.compare.outcomes import outcome_findings
from gate.schema.verdict import Finding, Level, RuleName


def check(comparison: Comparison, rule: Rule) -> Iterator[Finding]:
    return outcome_findings(comparison, rule, "passed only when it was run again")


RULE = Rule(RuleName.FLAKY, Level.WARNING, check)
