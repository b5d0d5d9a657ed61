"""A metric crossed the threshold that main's test declares, fell by more than its tolerance, or lost its score."""

from __future__ import annotations

from collections.abc import Iterator

from gate.compare.comparison import Comparison, Rule
from gate.schema.report import Case, Metric
from gate.schema.verdict import Finding, Level, RuleName

ROUNDING = 1e-9
"""Relative difference that is rounding, not a change."""


def check(comparison: Comparison, rule: Rule) -> Iterator[Finding]:
    default = comparison.tolerance(rule)
    for pair in comparison.alignment.pairs:
        if not pair.before.metrics:
            continue
        now = {metric.name: metric for metric in pair.after.metrics}
        for metric in pair.before.metrics:
            after = now.get(metric.name)
            why = _why(metric, after, default) if after is not None else ""
            if after is not None and why:
                yield _finding(rule, pair.after, metric, after, why)


def _why(before: Metric, after: Metric, default: float) -> str:
    """Why it got worse under the baseline's direction, threshold and tolerance; empty when it did not."""
    if before.value is None:
        return ""
    if after.value is None:
        return f"unscored here: {after.unscored}"
    sign = 1 if before.better == "higher" else -1
    fall = sign * (before.value - after.value)
    if fall <= ROUNDING * max(abs(before.value), abs(after.value)):
        return ""
    threshold = before.threshold
    if threshold is not None and sign * (after.value - threshold) < 0 <= sign * (before.value - threshold):
        return f"crossed its threshold {threshold:.4g}"
    tolerance = before.tolerance if before.tolerance is not None else default * abs(before.value)
    if fall <= tolerance * (1 + ROUNDING):
        return ""
    return f"{'fell' if sign > 0 else 'rose'} by {fall:.4g}, tolerance {tolerance:.4g}"


def _finding(rule: Rule, case: Case, before: Metric, after: Metric, why: str) -> Finding:
    fall = abs((before.value or 0.0) - after.value) if after.value is not None else 1.0
    return Finding(
        rule=rule.name,
        level=rule.level,
        case_id=f"{case.id}#{before.name}",
        subject=before.name,
        what=f"is worse in {case.id}",
        before=_shown(before),
        after=_shown(after),
        why=why,
        amount=fall,
        location=case.location,
    )


def _shown(metric: Metric) -> str:
    return "unscored" if metric.value is None else f"{metric.value:.4g}"


RULE = Rule(RuleName.METRIC_REGRESSION, Level.ERROR, check, tolerance=0.01, unit="share of main's value")
