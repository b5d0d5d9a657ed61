"""A stochastic case whose trials show neither a regression nor that there is none. It never fails the check."""

from __future__ import annotations

from collections.abc import Iterator

from gate.compare.comparison import Comparison, Rule
from gate.compare.outcomes import rerun
from gate.compare.wording import counted, ratio, why_decided
from gate.schema.verdict import CaseDecision, Finding, Level, RuleName

PATIENCE = 2


def check(comparison: Comparison, rule: Rule) -> Iterator[Finding]:
    for pair in comparison.alignment.pairs:
        decision = comparison.decisions.get(pair.after.id)
        if decision is None or decision.answer != "undecided" or not decision.measured:
            continue
        drop = decision.smallest_drop
        reach = "so few trials show no drop" if drop is None else f"a drop of {100 * drop:.0f} points would have shown"
        yield Finding(
            rule=rule.name,
            level=rule.level,
            case_id=pair.after.id,
            subject=pair.after.id,
            what=f"is undecided: {reach}{_settled(comparison, decision)}",
            before=ratio(*decision.baseline),
            after=ratio(*decision.candidate),
            why=why_decided(decision),
            location=pair.after.location,
            command=rerun(pair.after),
        )


def _settled(comparison: Comparison, decision: CaseDecision) -> str:
    """From the third time in a row: how many trials of main would settle it."""
    earlier = comparison.changes.undecided.get(decision.case_id, 0)
    if earlier < PATIENCE or not decision.baseline[1]:
        return ""
    from gate.stats.plan import plan_case

    budget, (s0, n0) = comparison.budget, decision.baseline
    try:
        (row,) = plan_case(
            s0, n0, max(budget.cases, 1), alpha=budget.for_cases, delta=decision.delta, power=budget.power, cache={}
        ).rows
    except ValueError:
        return ""
    if row.more is None:
        return f"; undecided {earlier + 1} times in a row, and no number of trials on main settles a drop of that size"
    return f"; undecided {earlier + 1} times in a row: {counted(row.more, 'more trial')} on main would settle it"


RULE = Rule(RuleName.UNDECIDED, Level.WARNING, check)
