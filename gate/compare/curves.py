"""Robust accuracy by ε, main beside here: one number for one ε hides how fast a model breaks."""

from __future__ import annotations

import math
import re

from gate.compare.flips import Flips, robust
from gate.schema.evidence import BOTH_SIDES, Block, BlockKind
from gate.schema.report import Predictions

_STEP = re.compile(r"(?P<family>.+) ε=(?P<epsilon>[0-9.e+-]{1,24})")


def robust_by_epsilon(flips: Flips, name: str) -> tuple[Block, ...]:
    """The curve that an attack is a point of: its kin at every ε of both sides, and at 0 the clean examples.

    Robust accuracy (Madry et al. 2018) is the share of the examples that are right and stable under the attack, of
    those measured under it; at ε = 0 it is the accuracy. The examples are those that stand on both sides.

    Args:
        name: of an attack, such as `worst case ε=0.05`.

    Returns:
        One block of percentages; none where the name has no ε, or nothing was measured on one of the sides.
    """
    found = _STEP.fullmatch(name)
    if found is None or not flips.total:
        return ()
    family = found["family"]
    rows = [_row("0", (sum(flips.right_before), flips.total), (sum(flips.right_here), flips.total))]
    here = _steps(flips.after, family)
    for epsilon, before in sorted(_steps(flips.before, family).items()):
        if epsilon not in here:
            continue
        sides = robust(flips, before, here=False), robust(flips, here[epsilon], here=True)
        if all(measured for _, measured in sides):
            rows.append(_row(f"{epsilon:g}", *sides))
    if len(rows) < 2:
        return ()
    return (Block(BlockKind.CURVE, f"Robust accuracy in percent, {family}", header=BOTH_SIDES, rows=tuple(rows)),)


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


def _row(epsilon: str, before: tuple[int, int], here: tuple[int, int]) -> tuple[str, str, str]:
    return (epsilon, *(f"{100 * stable / measured:.1f}" for stable, measured in (before, here)))  # type: ignore[return-value]
