"""A test that main does not have, and that holds or is skipped here."""

from __future__ import annotations

from collections.abc import Iterator

from gate.compare.comparison import Comparison, Rule
from gate.compare.outcomes import outcome_findings
from gate.schema.verdict import Finding, Level, RuleName


def check(comparison: Comparison, rule: Rule) -> Iterator[Finding]:
    return outcome_findings(comparison, rule, "is new")


RULE = Rule(RuleName.NEW_CASE, Level.NOTE, check, good_news=True)
