"""Examples right and stable under an attack on main, right on clean input here, but flipped by that attack here.

Robust accuracy (Madry et al. 2018) is the share of all examples that are right and stable under the attack.
"""

from __future__ import annotations

from collections.abc import Iterator

from gate.compare.comparison import Comparison, Rule
from gate.compare.predictions import Words, attacked, flip_finding, paired_predictions, robust_accuracy
from gate.schema.verdict import Finding, Level, RuleName


def check(comparison: Comparison, rule: Rule) -> Iterator[Finding]:
    tolerance = comparison.tolerance(rule)
    for pair, flips in paired_predictions(comparison.alignment.pairs):
        for name in [attack.name for attack in flips.before.attacks]:
            broken = attacked(flips, name)
            count, total = len(broken), flips.total
            if not count or count <= tolerance * total:
                continue
            yield flip_finding(
                rule,
                pair.after,
                flips,
                broken,
                Words(
                    what=f"{count:,} adversarial {'regression' if count == 1 else 'regressions'}, {name}",
                    before=f"robust {robust_accuracy(flips, name, here=False)}",
                    after=f"robust {robust_accuracy(flips, name, here=True)}",
                    why="same seeded attack on both sides",
                ),
                attack=name,
            )


RULE = Rule(RuleName.ADVERSARIAL_REGRESSION, Level.ERROR, check, unit="share of the examples")
