"""A stochastic case whose trials show neither a regression nor that there is none. It never fails the check."""

from __future__ import annotations

from collections.abc import Iterator

from gate.compare.comparison import Comparison, Rule
from gate.compare.mutants import Standing
from gate.compare.outcomes import rerun
from gate.compare.wording import counted, ratio, why_decided
from gate.schema.evidence import Block, BlockKind
from gate.schema.mutation import summary_id
from gate.schema.probes import summary_id as probes_id
from gate.schema.report import Kind
from gate.schema.verdict import CaseDecision, Finding, Level, RuleName
from gate.stats.refusal import TooLittle

PATIENCE = 2
MOST_MUTANTS = 50


def check(comparison: Comparison, rule: Rule) -> Iterator[Finding]:
    yield from _cases(comparison, rule)
    yield from _mutants(comparison, rule)
    yield from _probes(comparison, rule)
    yield from _singles(comparison, rule)


def _singles(comparison: Comparison, rule: Rule) -> Iterator[Finding]:
    """Tests of a suite of single runs newly fail, and so few changed that not even all of them breaking would show."""
    singles = comparison.singles
    if singles is None or isinstance(singles.decision, TooLittle) or singles.decision.smallest_drop is not None:
        return
    broke, fixed = len(singles.broke), len(singles.fixed)
    if broke:
        yield Finding(
            rule=rule.name,
            level=rule.level,
            case_id="single runs",
            subject="the suite of single runs",
            what=f"is undecided: {counted(broke, 'test')} newly fail, {fixed:,} newly pass, and so few show nothing",
            after=f"{broke + fixed:,} of {counted(len(singles.pairs), 'test')}",
            why=f"limit {singles.decision.share:.2g}",
            amount=broke,
        )


def _mutants(comparison: Comparison, rule: Rule) -> Iterator[Finding]:
    """One finding a prompt: those whose killer notices them only now and then are many, and say one thing."""
    groups: dict[str, list[Standing]] = {}
    for each in comparison.mutants.of("undecided"):
        groups.setdefault(each.mutation.target, []).append(each)
    for target, found in groups.items():
        rows = tuple(
            (each.mutation.mutant, each.mutation.killer or "–", *_sides(each)) for each in found[:MOST_MUTANTS]
        )
        yield Finding(
            rule=rule.name,
            level=rule.level,
            case_id=f"{summary_id(target)}#undecided",
            subject=target,
            what=f"has {counted(len(found), 'undecided mutant')}: its tests may notice them less often than on main",
            after=counted(len(found), "mutant"),
            why="neither shown to survive nor to be killed",
            amount=len(found),
            evidence=(
                Block(
                    BlockKind.TABLE,
                    "Undecided mutants",
                    header=("mutant", "until now caught by", "noticed on main", "here"),
                    rows=rows,
                ),
            ),
        )


def _probes(comparison: Comparison, rule: Rule) -> Iterator[Finding]:
    """One finding a dimension, over the sampled probes that passed less often here: single answers show nothing.

    Those with insecure output are left to `insecure-output`.
    """
    for each in comparison.probes.dimensions:
        found = [
            decision
            for pair in each.pairs
            if (decision := comparison.decisions.get(pair.after.id)) is not None
            and decision.answer == "undecided"
            and not (pair.after.probe is not None and pair.after.probe.insecure)
            and _rate(decision.candidate) < _rate(decision.baseline)
        ]
        if found:
            rows = tuple(
                (one.case_id, ratio(*one.baseline), ratio(*one.candidate), why_decided(one))
                for one in found[:MOST_MUTANTS]
            )
            header = "probe", "main", "here", "why"
            yield Finding(
                rule=rule.name,
                level=rule.level,
                case_id=f"{probes_id(each.dimension)}#undecided",
                subject=each.dimension.value,
                what=f"has {counted(len(found), 'sampled probe')} that passed less often, which may be noise",
                after=counted(len(found), "probe"),
                why="too few answers to tell",
                amount=len(found),
                evidence=(Block(BlockKind.TABLE, "Undecided probes", header=header, rows=rows),),
            )


def _rate(side: tuple[int, int]) -> float:
    return side[0] / side[1] if side[1] else 0.0


def _sides(standing: Standing) -> tuple[str, str]:
    decision = standing.decision
    return ("–", "–") if decision is None else (ratio(*decision.baseline), ratio(*decision.candidate))


def _cases(comparison: Comparison, rule: Rule) -> Iterator[Finding]:
    for pair in comparison.alignment.pairs:
        decision = comparison.decisions.get(pair.after.id)
        if decision is None or decision.answer != "undecided" or not decision.measured:
            continue
        if pair.before.kind in (Kind.MUTANT, Kind.PROBE):
            continue
        drop = decision.smallest_drop
        recorded = f": {decision.candidate[1]:,} recorded" if decision.how == "recorded trials" else ""
        if not decision.baseline[1]:
            drop, recorded = None, ": main has no trials of it"
        reach = "so few trials show no drop" if drop is None else f"a drop of {100 * drop:.0f} points would have shown"
        yield Finding(
            rule=rule.name,
            level=rule.level,
            case_id=pair.after.id,
            subject=pair.after.id,
            what=f"is undecided{recorded}: {reach}{_settled(comparison, decision)}",
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
