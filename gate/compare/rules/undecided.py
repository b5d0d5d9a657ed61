"""A stochastic case whose trials show neither a regression nor that there is none. It never fails the check."""

from __future__ import annotations

from collections.abc import Iterator

from gate.compare.comparison import Comparison, Rule
from gate.compare.outcomes import rerun
from gate.compare.wording import ratio
from gate.schema.verdict import Finding, Level, RuleName


def check(comparison: Comparison, rule: Rule) -> Iterator[Finding]:
    for pair in comparison.alignment.pairs:
        decision = comparison.decisions.get(pair.after.id)
        if decision is None or decision.verdict != "undecided":
            continue
        drop = decision.smallest_drop
        reach = "so few trials show no drop" if drop is None else f"a drop of {100 * drop:.0f} points would have shown"
        yield Finding(
            rule=rule.name,
            level=rule.level,
            case_id=pair.after.id,
            subject=pair.after.id,
            what=f"is undecided: {reach}",
            before=ratio(*decision.baseline),
            after=ratio(*decision.candidate),
            why=f"level {decision.level:.2g}, limit {decision.limit:.2g}",
            location=pair.after.location,
            command=rerun(pair.after),
        )


RULE = Rule(RuleName.UNDECIDED, Level.WARNING, check)
