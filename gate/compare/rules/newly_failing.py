"""A check that held on main fails here: at once where it is deterministic, by its trials where it is not."""

from __future__ import annotations

from collections.abc import Iterator

from gate.compare.align import Pair
from gate.compare.comparison import Comparison, Rule
from gate.compare.outcomes import evidence_of, outcome_findings, rerun, unstable_findings
from gate.compare.wording import ratio, why_decided
from gate.schema.dimensions import Dimension
from gate.schema.outcome import Outcome
from gate.schema.report import Kind
from gate.schema.verdict import Finding, Level, RuleName

_VERB = "newly fails"


def check(comparison: Comparison, rule: Rule) -> Iterator[Finding]:
    yield from outcome_findings(comparison, rule, _VERB)
    yield from _stochastic(comparison, rule)
    # a mark may take a failure's place, so both ways to count
    yield from unstable_findings(comparison, rule, _VERB, _fails, lambda outcome: _fails(outcome) or _expected(outcome))


def _fails(outcome: Outcome) -> bool:
    return outcome.fails


def _expected(outcome: Outcome) -> bool:
    return outcome is Outcome.XFAILED


def _stochastic(comparison: Comparison, rule: Rule) -> Iterator[Finding]:
    for pair in comparison.alignment.pairs:
        decision = comparison.decisions.get(pair.after.id)
        if pair.before.kind is Kind.MUTANT or _of_security(pair):
            continue  # `mutant-survives` and `insecure-output` say it
        if decision is not None and decision.answer == "regression":
            trials = pair.after.trials
            excerpt = (
                trials.excerpt.strip().partition("\n")[0]
                if trials is not None and comparison.settings.show_messages
                else ""
            )
            yield Finding(
                rule=rule.name,
                level=rule.level,
                case_id=pair.after.id,
                subject=pair.after.id,
                what=_VERB if decision.how != "floor" else "passes less often than its floor",
                before=ratio(*decision.baseline),
                after=ratio(*decision.candidate),
                why=f"{why_decided(decision)}{f': {excerpt}' if excerpt else ''}",
                amount=max(_rate(decision.baseline) - _rate(decision.candidate), 0.0),
                location=pair.after.location,
                evidence=evidence_of(comparison, pair.after),
                command=rerun(pair.after),
            )


def _of_security(pair: Pair) -> bool:
    return pair.before.probe is not None and pair.before.probe.dimension is Dimension.SECURITY


def _rate(side: tuple[int, int]) -> float:
    return side[0] / side[1] if side[1] else 0.0


RULE = Rule(RuleName.NEWLY_FAILING, Level.ERROR, check)
