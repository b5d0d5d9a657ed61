"""Examples that main got wrong and that are right here."""

from __future__ import annotations

from collections.abc import Iterator

from gate.compare.comparison import Comparison, Rule
from gate.compare.predictions import Words, flip_finding
from gate.compare.wording import counted
from gate.schema.verdict import Finding, Level, RuleName


def check(comparison: Comparison, rule: Rule) -> Iterator[Finding]:
    for pair, flips in comparison.flips:
        if flips.positive:
            words = Words(what=counted(len(flips.positive), "positive flip"), after=f"of {flips.total:,}")
            yield flip_finding(rule, pair.after, flips, flips.positive, words)


RULE = Rule(RuleName.POSITIVE_FLIP, Level.NOTE, check, good_news=True)
