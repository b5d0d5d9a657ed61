"""Something that main measured was not measured here: a test, a metric, predictions, examples or an attack."""

from __future__ import annotations

from collections.abc import Iterator

from gate.compare.comparison import Comparison, Rule
from gate.compare.predictions import common_examples
from gate.schema.report import Case
from gate.schema.verdict import Finding, Level, RuleName


def check(comparison: Comparison, rule: Rule) -> Iterator[Finding]:
    if not comparison.candidate.completeness.complete:
        return  # `incomplete-run` says it once; hundreds of lines would hide what was compared
    for case in comparison.alignment.removed:
        yield _finding(rule, case, "is gone", str(case.outcome or "measured"), "absent")
    for group in comparison.alignment.unstable:
        if len(group.after) < len(group.before):
            lost = len(group.before) - len(group.after)
            yield _finding(
                rule, group.before[0], f"{lost} of its kind are gone", str(len(group.before)), str(len(group.after))
            )
    for pair in comparison.alignment.pairs:
        if pair.before.metrics or pair.before.predictions:
            yield from _facets(rule, pair.before, pair.after)


def _facets(rule: Rule, before: Case, after: Case) -> Iterator[Finding]:
    names = {metric.name for metric in after.metrics}
    for metric in before.metrics:
        if metric.name not in names:
            yield _finding(rule, after, f"no longer measures {metric.name}", _number(metric.value), "absent")
    found = {predictions.name: predictions for predictions in after.predictions}
    for predictions in before.predictions:
        now = found.get(predictions.name)
        if now is None:
            yield _finding(rule, after, f"no longer predicts {predictions.name}", f"{len(predictions.ids):,}", "absent")
            continue
        kept = len(common_examples(predictions, now))
        if kept < len(predictions.ids):
            what = f"{predictions.name}: {len(predictions.ids) - kept:,} examples are gone"
            yield _finding(rule, after, what, f"{len(predictions.ids):,}", f"{kept:,}")
        attacks = {attack.name for attack in now.attacks}
        for attack in predictions.attacks:
            if attack.name not in attacks:
                yield _finding(
                    rule, after, f"{predictions.name} is no longer under {attack.name}", "measured", "absent"
                )


def _finding(rule: Rule, case: Case, what: str, before: str, after: str) -> Finding:
    return Finding(
        rule=rule.name,
        level=rule.level,
        case_id=case.id,
        subject=case.id,
        what=what,
        before=before,
        after=after,
        why="not measured here",
        location=case.location,
    )


def _number(value: float | None) -> str:
    return "unscored" if value is None else f"{value:.4g}"


RULE = Rule(RuleName.MISSING_CASE, Level.ERROR, check)
