"""Predictions that changed at all, whether or not the truth is known: downstream systems see each of them."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from gate.compare.comparison import Comparison, Rule
from gate.compare.curves import Curves
from gate.compare.flips import shaken
from gate.compare.predictions import Words, flip_finding
from gate.compare.wording import percent
from gate.schema.verdict import Finding, Level, RuleName


def check(comparison: Comparison, rule: Rule) -> Iterator[Finding]:
    tolerance = comparison.tolerance(rule)
    for pair, flips in comparison.flips:
        curves = Curves(flips)
        count, total = len(flips.changed), flips.total
        if count > tolerance * total:
            words = Words(
                what=f"{count:,} of {total:,} predictions changed",
                after=f"churn {percent(count, total, 2)}",
                why=f"share of changed predictions (churn) above {percent(tolerance, 1)}",
            )
            yield flip_finding(rule, pair.after, flips, flips.changed, words)
        for name in [attack.name for attack in flips.before.attacks]:
            found = shaken(flips, name)
            if len(found) > tolerance * total:
                words = Words(
                    what=f"{len(found):,} of {total:,} predictions without a truth newly flip, {name}",
                    after=f"churn {percent(len(found), total, 2)} under attack",
                    why=f"stable under the attack on main; share of changed predictions (churn) above "
                    f"{percent(tolerance, 1)}",
                )
                finding = flip_finding(rule, pair.after, flips, found, words, attack=name)
                yield replace(finding, evidence=curves.stable(name))


RULE = Rule(RuleName.PREDICTION_CHURN, Level.NOTE, check, tolerance=0.05, unit="share of the examples (churn)")
