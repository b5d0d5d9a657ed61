"""Examples that main got right and that are wrong here (negative flip rate, Yan et al. 2021)."""

from __future__ import annotations

from collections.abc import Iterator

from gate.compare.comparison import Comparison, Rule
from gate.compare.flips import Flips
from gate.compare.predictions import Words, flip_finding
from gate.compare.wording import counted, percent
from gate.schema.symbols import UNKNOWN
from gate.schema.verdict import Finding, Level, RuleName


def check(comparison: Comparison, rule: Rule) -> Iterator[Finding]:
    tolerance = comparison.tolerance(rule)
    for pair, flips in comparison.flips:
        count, total = len(flips.negative), flips.total
        if count > max(tolerance * total, allowed(flips)):
            words = Words(
                what=f"{counted(count, 'negative flip')}, {len(flips.positive):,} positive",
                after=f"NFR {percent(count, total, 2)} of {total:,}",
                why=_why(flips),
            )
            yield flip_finding(rule, pair.after, flips, flips.negative, words)


def allowed(flips: Flips) -> int:
    """Negative flips that an honest retrain makes too, by main's own floor; 0 without one."""
    floor = flips.before.floor
    if floor is None:
        return 0
    known = sum(flips.before.expected[old] != UNKNOWN for old, _ in flips.examples)
    return floor.bound if known == floor.total else floor.bound * known // floor.total


def _why(flips: Flips) -> str:
    floor = flips.before.floor
    if floor is None:
        return "negative flip rate (NFR) over the same examples"
    most, bound = max(floor.negatives), allowed(flips)
    told = f"{len(floor.negatives):,} reseeds: at most {most:,}"
    return told if bound == most else f"{told}, so {bound:,} would pass"


RULE = Rule(RuleName.NEGATIVE_FLIP, Level.ERROR, check, unit="share of the examples (NFR)")
