"""What decides differs between base and head: in the settings, or in what the test code declares. The base's counts."""

from __future__ import annotations

from collections.abc import Iterator

from gate.compare.comparison import Comparison, Rule
from gate.compare.flips import relabelled
from gate.compare.wording import counted
from gate.schema.report import Case
from gate.schema.verdict import Finding, Level, RuleName


def check(comparison: Comparison, rule: Rule) -> Iterator[Finding]:
    for sentence in comparison.changes.settings:
        yield _finding(rule, "settings", sentence, "", "")
    for pair in comparison.alignment.pairs:
        if pair.before.stochastic != pair.after.stochastic:
            marks = {True: "marked stochastic", False: "not marked"}
            before, after = marks[pair.before.stochastic], marks[pair.after.stochastic]
            yield _finding(rule, pair.after.id, "marker stochastic", before, after)
        if pair.before.metrics or pair.before.predictions:
            yield from _declared(rule, pair.before, pair.after)
    for pair, flips in comparison.flips:
        count = relabelled(flips)
        if count:
            what = f"truth of {counted(count, 'example')} of {flips.before.name}"
            yield _finding(rule, pair.after.id, what, "as on main", "relabelled")


def _declared(rule: Rule, before: Case, after: Case) -> Iterator[Finding]:
    metrics = {metric.name: metric for metric in after.metrics}
    for metric in before.metrics:
        now = metrics.get(metric.name)
        for key in ("better", "threshold", "tolerance") if now is not None else ():
            old, new = getattr(metric, key), getattr(now, key)
            if old != new:
                yield _finding(rule, after.id, f"{key} of {metric.name}", _shown(old), _shown(new))
    predictions = {each.name: each for each in after.predictions}
    for each in before.predictions:
        found = predictions.get(each.name)
        if found is None:
            continue
        for key in sorted({*each.design, *found.design}):
            old, new = each.design.get(key), found.design.get(key)
            if old != new:
                yield _finding(rule, after.id, f"{key} of {each.name}", _shown(old), _shown(new))


def _finding(rule: Rule, subject: str, what: str, before: str, after: str) -> Finding:
    return Finding(
        rule=rule.name,
        level=rule.level,
        case_id=f"{subject}#{what}",
        subject=subject,
        what=what,
        before=before,
        after=after,
        why="main's decides",
    )


def _shown(value: object) -> str:
    return "none" if value is None else str(value)


RULE = Rule(RuleName.SETTINGS_CHANGED, Level.WARNING, check)
