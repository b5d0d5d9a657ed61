"""A check that held on main fails here: at once where it is deterministic, by its trials where it is not."""

from __future__ import annotations

from collections.abc import Iterator

from gate.compare.comparison import Comparison, Rule
from gate.compare.outcomes import outcome_findings, rerun, unstable_findings
from gate.compare.wording import ratio
from gate.schema.verdict import Finding, Level, RuleName

_VERB = "newly fails"


def check(comparison: Comparison, rule: Rule) -> Iterator[Finding]:
    yield from outcome_findings(comparison, rule, _VERB)
    yield from _stochastic(comparison, rule)
    yield from unstable_findings(comparison, rule, _VERB, lambda outcome: outcome.fails)


def _stochastic(comparison: Comparison, rule: Rule) -> Iterator[Finding]:
    for pair in comparison.alignment.pairs:
        decision = comparison.decisions.get(pair.after.id)
        if decision is not None and decision.verdict == "regression":
            yield Finding(
                rule=rule.name,
                level=rule.level,
                case_id=pair.after.id,
                subject=pair.after.id,
                what=_VERB,
                before=ratio(*decision.baseline),
                after=ratio(*decision.candidate),
                why=f"level {decision.level:.2g}, limit {decision.limit:.2g}",
                location=pair.after.location,
                command=rerun(pair.after),
            )


RULE = Rule(RuleName.NEWLY_FAILING, Level.ERROR, check)
