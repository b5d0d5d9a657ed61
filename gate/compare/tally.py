"""What was measured and what was compared, for the line of what held."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable

from gate.compare.comparison import Comparison
from gate.compare.predictions import flip_id
from gate.compare.transition import ABSENT
from gate.schema.report import Case, Report
from gate.schema.verdict import Finding, Level, Tally


def measured(report: Report) -> dict[str, str]:
    """What a report measured, in words, for a welcome and for the line of what held."""
    counts = {
        "tests": sum(1 for case in report.cases if case.outcome is not None),
        "metrics": sum(len(case.metrics) for case in report.cases),
        "predictions": sum(len(each.ids) for case in report.cases for each in case.predictions),
        "attacks": sum(len(each.attacks) for case in report.cases for each in case.predictions),
    }
    return {name: f"{count:,}" for name, count in counts.items() if count}


def tally_of(comparison: Comparison, findings: Iterable[Finding]) -> Tally:
    """Counts over one comparison; a case with an error finding did not hold."""
    flips = [each for _, each in comparison.flips]
    decisions = comparison.decisions.values()
    return Tally(
        cases=len(comparison.candidate.cases),
        held=_held(comparison, findings),
        stochastic=len(comparison.decisions),
        trials=sum(decision.candidate[1] for decision in decisions),
        examples=sum(each.total for each in flips),
        negative_flips=sum(len(each.negative) for each in flips),
        positive_flips=sum(len(each.positive) for each in flips),
        attacks=sum(len(each.after.attacks) for each in flips),
        metrics=sum(len(case.metrics) for case in comparison.candidate.cases if case.metrics),
        transitions=_transitions(comparison),
    )


def _held(comparison: Comparison, findings: Iterable[Finding]) -> int:
    outcomes = comparison.alignment.outcomes
    holding = sum(count for (_, after), count in outcomes.items() if after is not None and after.holds)
    fallen = {each.case_id for each in findings if each.level is Level.ERROR}
    worse = sum(
        1
        for pair in comparison.alignment.pairs
        if pair.after.outcome is not None
        and pair.after.outcome.holds
        and not fallen.isdisjoint(_subjects(pair.before, pair.after))
    )
    return holding - worse


def _subjects(before: Case, after: Case) -> set[str]:
    """Ids of all findings that may be about one kept case."""
    sets = [flip_id(after, each.name) for each in before.predictions]
    attacks = [flip_id(after, each.name, attack.name) for each in before.predictions for attack in each.attacks]
    return {after.id, *sets, *attacks, *(f"{after.id}#{metric.name}" for metric in before.metrics)}


def _transitions(comparison: Comparison) -> dict[tuple[str, str], int]:
    alignment = comparison.alignment
    counts: Counter[tuple[str, str]] = Counter()
    for (before, after), count in alignment.outcomes.items():
        counts[str(before or "none"), str(after or "none")] += count
    for group in alignment.unstable:
        counts.update((str(case.outcome or "none"), ABSENT) for case in group.before)
        counts.update((ABSENT, str(case.outcome or "none")) for case in group.after)
    counts.update((str(case.outcome or "none"), ABSENT) for case in alignment.removed)
    counts.update((ABSENT, str(case.outcome or "none")) for case in alignment.added)
    return dict(sorted(counts.items()))
