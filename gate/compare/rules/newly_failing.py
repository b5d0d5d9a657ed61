"""A check that held on main fails here: at once where it is deterministic, by its trials where it is not."""

from __future__ import annotations

from collections.abc import Iterator

from gate.compare.comparison import Comparison, Rule, outcome_findings, rerun
from gate.compare.wording import ratio
from gate.schema.verdict import Finding, Level, RuleName


def check(comparison: Comparison, rule: Rule) -> Iterator[Finding]:
    yield from outcome_findings(comparison, rule, "newly fails")
    yield from _stochastic(comparison, rule)
    yield from _unstable(comparison, rule)


def _stochastic(comparison: Comparison, rule: Rule) -> Iterator[Finding]:
    for pair in comparison.alignment.pairs:
        decision = comparison.decisions.get(pair.after.id)
        if decision is not None and decision.verdict == "regression":
            yield Finding(
                rule=rule.name,
                level=rule.level,
                case_id=pair.after.id,
                subject=pair.after.id,
                what="newly fails",
                before=ratio(*decision.baseline),
                after=ratio(*decision.candidate),
                why=f"level {decision.level:.2g}, limit {decision.limit:.2g}",
                location=pair.after.location,
                command=rerun(pair.after),
            )


def _unstable(comparison: Comparison, rule: Rule) -> Iterator[Finding]:
    """Cases whose ids change each run are compared by how many of them fail."""
    for group in comparison.alignment.unstable:
        before = sum(1 for case in group.before if case.outcome is not None and case.outcome.fails)
        broken = [case for case in group.after if case.outcome is not None and case.outcome.fails]
        if len(broken) > before:
            yield Finding(
                rule=rule.name,
                level=rule.level,
                case_id=group.skeleton,
                subject=group.skeleton,
                what="newly fails, counted over ids that change each run",
                before=f"{before} of {len(group.before)} failed",
                after=f"{len(broken)} of {len(group.after)} failed",
                why="deterministic",
                amount=len(broken) - before,
                location=broken[0].location,
                command=rerun(broken[0]),
            )


RULE = Rule(RuleName.NEWLY_FAILING, Level.ERROR, check)
