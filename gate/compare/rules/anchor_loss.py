"""More was lost since the anchor than its limit allows, however small each step was."""

from __future__ import annotations

from collections.abc import Iterator

from gate.compare.anchor import losses
from gate.compare.comparison import Comparison, Rule
from gate.schema.verdict import Finding, Level, RuleName


def check(comparison: Comparison, rule: Rule) -> Iterator[Finding]:
    if comparison.anchor is None:
        return
    renames, limit = comparison.changes.renames, comparison.tolerance(rule)
    for loss in losses(comparison.anchor, comparison.candidate, comparison.settings, renames, limit):
        yield Finding(
            rule=rule.name,
            level=rule.level,
            case_id=loss.case_id,
            subject=loss.subject,
            what=f"{loss.what} than at the anchor",
            before=f"{loss.before} at the anchor",
            after=loss.after,
            why=f"lost {100 * loss.lost:.1f} points since the anchor, at most {100 * loss.limit:g} may be",
            amount=loss.lost,
            total=loss.total,
        )


RULE = Rule(RuleName.ANCHOR_LOSS, Level.ERROR, check, tolerance=0.02, unit="share lost since the anchor")
