"""Examples that main got right and that are wrong here (negative flip rate, Yan et al. 2021)."""

from __future__ import annotations

from collections.abc import Iterator

from gate.compare.comparison import Comparison, Rule
from gate.compare.predictions import Words, flip_finding, paired_predictions
from gate.schema.verdict import Finding, Level, RuleName


def check(comparison: Comparison, rule: Rule) -> Iterator[Finding]:
    tolerance = comparison.tolerance(rule)
    for pair, flips in paired_predictions(comparison.alignment.pairs):
        count, total = len(flips.negative), flips.total
        if count and count > tolerance * total:
            yield flip_finding(
                rule,
                pair.after,
                flips,
                flips.negative,
                Words(
                    what=f"{count:,} negative {'flip' if count == 1 else 'flips'}, {len(flips.positive):,} positive",
                    after=f"NFR {count / total:.2%} of {total:,}",
                    why="same examples, deterministic predictions",
                ),
            )


RULE = Rule(RuleName.NEGATIVE_FLIP, Level.ERROR, check, unit="share of the examples (NFR)")
