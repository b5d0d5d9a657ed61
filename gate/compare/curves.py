"""Robust accuracy by ε, main beside here: one number for one ε hides how fast a model breaks."""

from __future__ import annotations

import math
import re
from collections.abc import Callable

from gate.compare.flips import Flips, robust, stable
from gate.schema.evidence import BOTH_SIDES, Block, BlockKind
from gate.schema.report import Predictions

Share = tuple[int, int]
"""(how many, of how many)."""
_STEP = re.compile(r"(?P<family>.+) ε=(?P<epsilon>[0-9.e+-]{1,24})")


class Curves:
    """Curves over the examples that stand on both sides, each made once.

    A curve is one block of percentages: an attack's kin at every ε of both sides, and at 0 the clean examples. There is
    none where the attack's name has no ε, or where nothing was measured on one of the sides.
    """

    def __init__(self, flips: Flips) -> None:
        self._flips = flips
        self._made: dict[tuple[str, str], tuple[Block, ...]] = {}

    def robust(self, name: str) -> tuple[Block, ...]:
        """Robust accuracy by ε, at 0 the accuracy.

        Robust accuracy (Madry et al. 2018) is the share of the examples that are right and stable under the attack, of
        those measured under it.

        Args:
            name: of an attack that is a point of the curve, such as `worst case ε=0.05`.
        """
        flips = self._flips
        clean = (sum(flips.right_before), flips.total), (sum(flips.right_here), flips.total)
        return self._once("Robust accuracy", name, clean, robust)

    def stable(self, name: str) -> tuple[Block, ...]:
        """The same where main does not know the truth: the share of such examples that the attack does not flip."""
        return self._once("Stable answers", name, ((1, 1), (1, 1)), stable)

    def _once(self, what: str, name: str, clean: tuple[Share, Share], share: Callable[..., Share]) -> tuple[Block, ...]:
        found = _STEP.fullmatch(name)
        if found is None or not self._flips.total:
            return ()
        key = what, found["family"]
        if key not in self._made:
            self._made[key] = _curve(what, found["family"], self._flips, clean, share)
        return self._made[key]


def _curve(
    what: str, family: str, flips: Flips, clean: tuple[Share, Share], share: Callable[..., Share]
) -> tuple[Block, ...]:
    rows = [_row("0", *clean)]
    here = _steps(flips.after, family)
    for epsilon, before in sorted(_steps(flips.before, family).items()):
        if epsilon not in here:
            continue
        sides = share(flips, before, here=False), share(flips, here[epsilon], here=True)
        if all(measured for _, measured in sides):
            rows.append(_row(f"{epsilon:g}", *sides))
    if len(rows) < 2:
        return ()
    return (Block(BlockKind.CURVE, f"{what} in percent, {family}", header=BOTH_SIDES, rows=tuple(rows)),)


def _steps(predictions: Predictions, family: str) -> dict[float, str]:
    """Names of the attacks of a family by their ε."""
    steps: dict[float, str] = {}
    for attack in predictions.attacks:
        found = _STEP.fullmatch(attack.name)
        if found is not None and found["family"] == family:
            epsilon = _number(found["epsilon"])
            if epsilon > 0:
                steps.setdefault(epsilon, attack.name)
    return steps


def _number(text: str) -> float:
    """0 for what is no positive number, which is no step of a curve."""
    try:
        found = float(text)
    except ValueError:
        return 0.0
    return found if math.isfinite(found) else 0.0


def _row(epsilon: str, before: Share, here: Share) -> tuple[str, str, str]:
    return (epsilon, *(f"{100 * stable / measured:.1f}" for stable, measured in (before, here)))  # type: ignore[return-value]
