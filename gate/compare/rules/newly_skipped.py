"""A check that was made on main and held is skipped here, so nobody knows whether it still holds."""

from __future__ import annotations

from collections.abc import Iterator

from gate.compare.comparison import Comparison, Rule
from gate.compare.outcomes import outcome_findings, unstable_findings
from gate.schema.outcome import Outcome
from gate.schema.verdict import Finding, Level, RuleName

_VERB = "is newly skipped"


def check(comparison: Comparison, rule: Rule) -> Iterator[Finding]:
    yield from outcome_findings(comparison, rule, _VERB)
    yield from unstable_findings(comparison, rule, _VERB, lambda outcome: outcome is Outcome.SKIPPED)


RULE = Rule(RuleName.NEWLY_SKIPPED, Level.ERROR, check)
