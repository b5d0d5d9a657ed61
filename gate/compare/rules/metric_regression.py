"""A metric crossed its threshold, got worse beyond its tolerance, lost its score, or is new and misses a threshold."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from dataclasses import replace
from fractions import Fraction

from gate.compare.comparison import Comparison, Rule, unanswered
from gate.compare.draws import redrawn_metrics
from gate.compare.outcomes import rerun
from gate.compare.probes import Standing
from gate.compare.wording import counted
from gate.schema.dimensions import ABOUT
from gate.schema.mutation import SCORE
from gate.schema.probe_report import shown
from gate.schema.probes import SCORE as SCORE_OF_PROBES
from gate.schema.probes import summary_id
from gate.schema.report import Case, Kind, Metric
from gate.schema.verdict import Finding, Level, RuleName

ROUNDING = 1e-9
"""Relative difference that is rounding, not a change."""


def check(comparison: Comparison, rule: Rule) -> Iterator[Finding]:
    default = comparison.tolerance(rule)
    for pair in comparison.alignment.pairs:
        yield from _new(rule, pair.after, {metric.name for metric in pair.before.metrics})
        if pair.before.kind is Kind.PROBE:
            continue
        now = {metric.name: metric for metric in pair.after.metrics}
        mutants = pair.before.kind is Kind.MUTANT
        redrawn = redrawn_metrics(pair)
        for metric in pair.before.metrics:
            if metric.name in redrawn and metric.name in now:
                continue
            after = _recounted(comparison, pair.after, now.get(metric.name)) if mutants else now.get(metric.name)
            why = _why(metric, after, None if mutants else default) if after is not None else ""
            if after is not None and why:
                yield _finding(rule, pair.after, metric, after, why)
    yield from _dimensions(comparison, rule)
    unknown = comparison.cut_short and not comparison.alignment.compared  # then new ids may be old ones elsewhere
    for case in () if unknown else comparison.alignment.added:
        yield from _new(rule, case, frozenset())


def _dimensions(comparison: Comparison, rule: Rule) -> Iterator[Finding]:
    """Scores of an agent, over the probes that both sides have; of a sampled one only what is no noise fails."""
    for each in comparison.probes.dimensions:
        if each.after is None:
            continue  # `missing-case` says it
        if each.lost:
            yield _score(rule, each, rule.level, f"unscored here: {each.after.unscored}")
        elif each.beyond or each.crossed:
            level = rule.level if each.shown else Level.WARNING
            if each.crossed or each.shown:
                yield _score(rule, each, level, _why_score(each))


def _why_score(standing: Standing) -> str:
    floor, tolerance = standing.before.threshold, standing.before.tolerance
    told = [f"crossed its floor {floor:g}"] if standing.crossed else []
    if standing.beyond:
        told.append(f"fell by {float(standing.fall):.1f} points, smallest that shows {tolerance:.1f}")
    if standing.level is not None:
        told.append(f"level {standing.level:.2g}, limit {standing.limit:.2g}")
    return ", ".join([*told, *([] if standing.shown else ["so it may be noise"])])


def _score(rule: Rule, standing: Standing, level: Level, why: str) -> Finding:
    about = ABOUT[standing.dimension]
    return Finding(
        rule=rule.name,
        level=level,
        case_id=f"{summary_id(standing.dimension)}#{SCORE_OF_PROBES}",
        subject=standing.dimension.value,
        what=f"is worse over {counted(len(standing.pairs), 'probe')} ({about.metric})",
        before=_points(standing.was),
        after=_points(standing.now),
        why=why,
        amount=float(standing.fall),
    )


def _points(value: Fraction | None) -> str:
    return "unscored" if value is None else shown(value)


def _recounted(comparison: Comparison, case: Case, metric: Metric | None) -> Metric | None:
    """A mutation score by what the trials decided: a mutant that is undecided, or that no recording answers, counts as
    on main, so neither moves anything."""
    scores = comparison.mutants.scores or {}
    if metric is None or metric.name != SCORE or case.id not in scores:
        return metric
    if metric.value is None and not any(
        unanswered(each) for each in comparison.candidate.cases if each.kind is case.kind
    ):
        return metric
    killed, count = scores[case.id].after
    return (
        replace(metric, value=killed / count) if count else replace(metric, value=None, unscored="no mutant measured")
    )


def _new(rule: Rule, case: Case, known: set[str] | frozenset[str]) -> Iterator[Finding]:
    """Metrics that main does not have and that miss the threshold that they declare themselves."""
    for metric in case.metrics:
        value, threshold = metric.value, metric.threshold
        if metric.name in known or value is None or threshold is None:
            continue
        side = "below" if metric.better == "higher" else "above"
        if (value < threshold) if metric.better == "higher" else (value > threshold):
            yield Finding(
                rule=rule.name,
                level=rule.level,
                case_id=f"{case.id}#{metric.name}",
                subject=metric.name,
                what=f"is new in {case.id} and {side} its threshold",
                before="–",
                after=_shown(metric),
                why=f"threshold {threshold:.4g}",
                amount=_finite(abs(float(value) - float(threshold))),
                location=case.location,
                command=rerun(case),
            )


def _why(before: Metric, after: Metric, default: float | None) -> str:
    """Why it got worse under the baseline's direction, threshold and tolerance; empty when it did not.

    Args:
        default: share of main's value that is tolerated where the test declares nothing; None for any fall, as of
            scores of mutants, each of which a rule of its own decides.
    """
    if before.value is None:
        return ""
    if after.value is None:
        return f"unscored here: {after.unscored}"
    sign = 1 if before.better == "higher" else -1
    was, now = float(before.value), float(after.value)
    fall = sign * (was - now)
    if fall <= ROUNDING * max(abs(was), abs(now)):
        return ""
    threshold = before.threshold
    if threshold is not None and sign * (now - threshold) < 0 <= sign * (was - threshold):
        return f"crossed its threshold {threshold:.4g}"
    if before.tolerance is None and default is None:
        return ""
    tolerance = float(before.tolerance) if before.tolerance is not None else (default or 0.0) * abs(was)
    if fall <= tolerance * (1 + ROUNDING):
        return ""
    return f"{'fell' if sign > 0 else 'rose'} by {fall:.4g}, tolerance {tolerance:.4g}"


def _finding(rule: Rule, case: Case, before: Metric, after: Metric, why: str) -> Finding:
    fall = abs(float(before.value or 0.0) - float(after.value)) if after.value is not None else 1.0
    return Finding(
        rule=rule.name,
        level=rule.level,
        case_id=f"{case.id}#{before.name}",
        subject=before.name,
        what=f"is worse in {case.id}",
        before=_shown(before),
        after=_shown(after),
        why=why,
        amount=_finite(fall),
        location=case.location,
        command=rerun(case),
    )


def _finite(amount: float) -> float:
    """The difference of two numbers near the largest one overflows."""
    return min(amount, sys.float_info.max)


def _shown(metric: Metric) -> str:
    return "unscored" if metric.value is None else f"{metric.value:.4g}"


RULE = Rule(RuleName.METRIC_REGRESSION, Level.ERROR, check, tolerance=0.01, unit="share of main's value")
