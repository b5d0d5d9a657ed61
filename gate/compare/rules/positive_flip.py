"""Examples that main got wrong and that are right here."""

from __future__ import annotations

from collections.abc import Iterator

from gate.compare.comparison import Comparison, Rule
from gate.compare.predictions import Words, flip_finding, paired_predictions
from gate.schema.verdict import Finding, Level, RuleName


def check(comparison: Comparison, rule: Rule) -> Iterator[Finding]:
    for pair, flips in paired_predictions(comparison.alignment.pairs):
        count = len(flips.positive)
        if count:
            what = f"{count:,} positive {'flip' if count == 1 else 'flips'}"
            yield flip_finding(
                rule, pair.after, flips, flips.positive, Words(what=what, after=f"of {flips.total:,}", why="")
            )


RULE = Rule(RuleName.POSITIVE_FLIP, Level.NOTE, check, good_news=True)
