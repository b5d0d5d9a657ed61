"""Examples that main got right and that are wrong here (negative flip rate, Yan et al. 2021)."""

from __future__ import annotations

from collections.abc import Iterator

from gate.compare.comparison import Comparison, Rule
from gate.compare.flips import Flips
from gate.compare.predictions import Words, flip_finding
from gate.compare.retrains import allowed, told
from gate.compare.wording import counted, percent
from gate.schema.verdict import Finding, Level, RuleName


def check(comparison: Comparison, rule: Rule) -> Iterator[Finding]:
    tolerance = comparison.tolerance(rule)
    for pair, flips in comparison.flips:
        count, total = len(flips.negative), flips.total
        if count > max(tolerance * total, allowed(flips.before.floor, flips)):
            words = Words(
                what=f"{counted(count, 'negative flip')}, {len(flips.positive):,} positive",
                after=f"NFR {percent(count, total, 2)} of {total:,}",
                why=_why(flips),
            )
            yield flip_finding(rule, pair.after, flips, flips.negative, words)


def _why(flips: Flips) -> str:
    floor = flips.before.floor
    return "negative flip rate (NFR) over the same examples" if floor is None else told(floor, flips)


RULE = Rule(RuleName.NEGATIVE_FLIP, Level.ERROR, check, unit="share of the examples (NFR)")
