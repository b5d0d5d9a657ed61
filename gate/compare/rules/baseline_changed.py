"""The pull request changes the committed baseline; it is judged by the base's all the same."""

from __future__ import annotations

from collections.abc import Iterator

from gate.compare.comparison import Comparison, Rule
from gate.schema.verdict import Finding, Level, RuleName


def check(comparison: Comparison, rule: Rule) -> Iterator[Finding]:
    path = comparison.settings.baseline_path
    if comparison.changes.first_baseline:
        what, why = "is this pull request's own: the base has none", "review it as you review code"
    elif comparison.changes.baseline_changed:
        what, why = "is changed here, without effect on this verdict", "judged by the base's"
    else:
        return
    yield Finding(rule=rule.name, level=rule.level, case_id=path, subject=path, what=what, why=why)


RULE = Rule(RuleName.BASELINE_CHANGED, Level.WARNING, check)
