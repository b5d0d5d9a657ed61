"""Examples right and stable under an attack on main, right on clean input here, but flipped by that attack here.

Robust accuracy (Madry et al. 2018) is the share of all examples that are right and stable under the attack.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from gate.compare.comparison import Comparison, Rule
from gate.compare.curves import Curves
from gate.compare.flips import Flips, Places, attack_of, attacked, robust
from gate.compare.predictions import Words, flip_finding
from gate.compare.retrains import allowed, told
from gate.compare.wording import counted, percent
from gate.schema.report import WITNESSED, Reseeds
from gate.schema.verdict import Finding, Level, RuleName


def check(comparison: Comparison, rule: Rule) -> Iterator[Finding]:
    tolerance = comparison.tolerance(rule)
    for pair, flips in comparison.flips:
        curves = Curves(flips)
        for name in [attack.name for attack in flips.before.attacks]:
            broken = attacked(flips, name)
            if not broken or len(broken) <= max(tolerance * flips.total, allowed(_floor(flips, name), flips)):
                continue
            words = Words(
                what=f"{counted(len(broken), 'adversarial regression')}, {name}",
                before=_robust(flips, name, here=False),
                after=_robust(flips, name, here=True),
                why=_why(flips, name, broken),
            )
            finding = flip_finding(rule, pair.after, flips, broken, words, attack=name)
            yield replace(finding, evidence=curves.robust(name))


def _why(flips: Flips, name: str, broken: Places) -> str:
    attack = attack_of(flips.after, name)
    moves = {} if attack is None else attack.moves
    replayed = sum(moves.get(new, "").endswith(WITNESSED) for _, new in broken)
    said = "right and stable on main, right here until attacked"
    floor = _floor(flips, name)
    said += "" if floor is None else f"; {told(floor, flips)}"
    return f"{said}; {counted(replayed, 'replayed witness', 'replayed witnesses')}" if replayed else said


def _floor(flips: Flips, name: str) -> Reseeds | None:
    """What honest retrains break under the attack, by main's own floor."""
    floor = flips.before.floor
    return None if floor is None else floor.attacks.get(name)


def _robust(flips: Flips, name: str, *, here: bool) -> str:
    stable, measured = robust(flips, name, here=here)
    return f"robust {percent(stable, measured)} ({stable:,}/{measured:,})"


RULE = Rule(RuleName.ADVERSARIAL_REGRESSION, Level.ERROR, check, unit="share of the examples")
