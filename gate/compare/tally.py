"""What was measured and what was compared, for the line of what held."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable

from gate.compare.align import Pair
from gate.compare.comparison import Comparison
from gate.compare.draws import DRAWS, redrawn, redrawn_metrics
from gate.compare.ledger import is_test
from gate.compare.predictions import ANSWERS, flip_id
from gate.compare.transition import ABSENT
from gate.schema.probes import PROBE, SCORE, summary_id
from gate.schema.report import Case, Kind, Report
from gate.schema.verdict import Finding, Level, RuleName, Tally

_WORSE = frozenset(
    {
        RuleName.NEWLY_FAILING,
        RuleName.NEWLY_ERRORING,
        RuleName.NEWLY_SKIPPED,
        RuleName.MISSING_CASE,
        RuleName.NEGATIVE_FLIP,
        RuleName.ADVERSARIAL_REGRESSION,
        RuleName.METRIC_REGRESSION,
        RuleName.MUTANT_SURVIVES,
        RuleName.INSECURE_OUTPUT,
    }
)
"""Rules whose findings say that something did not hold, whatever main's own run shows."""


def measured(report: Report) -> dict[str, str]:
    """What a report measured, in words, for a welcome and for the line of what held."""
    counts = {
        "tests": sum(case.outcome is not None and case.probe is None for case in report.cases),
        "metrics": sum(len(case.metrics) for case in report.cases if case.kind is not Kind.PROBE),
        "predictions": sum(len(each.ids) for case in report.cases for each in case.predictions),
        "attacks": sum(len(each.attacks) for case in report.cases for each in case.predictions),
        "mutants": sum(case.mutation is not None for case in report.cases),
        "rules": sum(len(case.rules) for case in report.cases),
        "probes": sum(case.probe is not None for case in report.cases),
        "dimensions": sum(_is_scored(case) for case in report.cases),
    }
    return {name: f"{count:,}" for name, count in counts.items() if count}


def _is_scored(case: Case) -> bool:
    """Whether it holds the score of a dimension."""
    summary = case.kind is Kind.PROBE and case.probe is None and case.probes is None
    return summary and any(metric.value is not None for metric in case.metrics)


def tally_of(comparison: Comparison, findings: Iterable[Finding]) -> Tally:
    """Counts over one comparison: of tests, attacks and metrics those that held, of all else what was compared."""
    flips = [each for _, each in comparison.flips]
    decisions = comparison.decisions.values()
    mutants = {each.before.id for each in comparison.mutants.standings}
    probes = [pair for pair in comparison.alignment.pairs if pair.before.probe is not None]
    dimensions = [each for each in comparison.probes.dimensions if each.before.value is not None]
    fallen = {each.case_id for each in findings if each.rule in _WORSE and each.level in (Level.ERROR, Level.WARNING)}
    return Tally(
        cases=sum(is_test(case) for case in comparison.candidate.cases),
        held=_held(comparison, fallen),
        stochastic=sum(name not in mutants and not name.startswith(PROBE) for name in comparison.decisions),
        trials=sum(decision.candidate[1] for decision in decisions),
        examples=sum(each.total for each in flips),
        negative_flips=sum(len(each.negative) for each in flips),
        positive_flips=sum(len(each.positive) for each in flips),
        attacks=_attacks(comparison, fallen),
        metrics=_metrics(comparison, fallen),
        mutants=len(mutants),
        rules=sum(each.after is not None for each in comparison.mutants.rules),
        guarded=sum(each.after == "guarded" for each in comparison.mutants.rules),
        probes=len(probes),
        probes_held=sum(_probe_held(comparison, pair, fallen) for pair in probes),
        dimensions=len(dimensions),
        dimensions_held=sum(
            not each.lost and f"{summary_id(each.dimension)}#{SCORE}" not in fallen for each in dimensions
        ),
        transitions=_transitions(comparison),
    )


def _held(comparison: Comparison, fallen: set[str]) -> int:
    """Kept cases whose outcome holds, without those that anything else says otherwise of."""
    outcomes = comparison.alignment.outcomes
    holding = sum(count for (_, after), count in outcomes.items() if after is not None and after.holds)
    holding -= sum(
        pair.before.kind is Kind.PROBE and pair.after.outcome is not None and pair.after.outcome.holds
        for pair in comparison.alignment.pairs
    )
    worse = sum(
        pair.before.kind is not Kind.PROBE
        for pair in comparison.alignment.pairs
        if pair.after.outcome is not None
        and pair.after.outcome.holds
        and (not fallen.isdisjoint(_subjects(pair.before, pair.after)) or _open(comparison, pair.after))
    )
    return holding - worse


def _probe_held(comparison: Comparison, pair: Pair, fallen: set[str]) -> bool:
    """Whether a probe passes here, and passed on main as often as far as its answers tell."""
    holds = pair.after.outcome is not None and pair.after.outcome.holds
    decision = comparison.decisions.get(pair.after.id)
    return holds and pair.after.id not in fallen and (decision is None or decision.answer != "regression")


def _open(comparison: Comparison, case: Case) -> bool:
    """Whether the trials of a stochastic case show no answer, or were cut short."""
    decision = comparison.decisions.get(case.id)
    return decision is not None and (decision.answer != "holds" or not decision.measured)


def _attacks(comparison: Comparison, fallen: set[str]) -> int:
    """Attacks of main that were made here too, without those that flip or leave out what they should not."""
    return sum(
        flip_id(pair.after, flips.before.name, attack.name) not in fallen
        for pair, flips in comparison.flips
        for attack in flips.before.attacks
        if not redrawn(flips, attack.name)
    )


def _metrics(comparison: Comparison, fallen: set[str]) -> int:
    """Metrics that main scored, without those that are worse or missing here."""
    return sum(
        metric.value is not None and f"{pair.after.id}#{metric.name}" not in fallen
        for pair in comparison.alignment.pairs
        if is_test(pair.before)  # the line of what held counts rules and dimensions instead
        for redrawn_here in [redrawn_metrics(pair)]
        for metric in pair.before.metrics
        if metric.name not in redrawn_here
    )


def _subjects(before: Case, after: Case) -> set[str]:
    """Ids of all findings that may be about one kept case."""
    sets = [flip_id(after, each.name) for each in before.predictions]
    answers = [flip_id(after, each.name, told) for each in before.predictions for told in (ANSWERS, DRAWS)]
    attacks = [flip_id(after, each.name, attack.name) for each in before.predictions for attack in each.attacks]
    metrics = [f"{after.id}#{metric.name}" for metric in (*before.metrics, *after.metrics)]
    return {after.id, *sets, *answers, *attacks, *metrics}


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
