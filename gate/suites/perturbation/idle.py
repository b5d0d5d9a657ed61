"""What a sweep did not measure although nothing failed: a pass of it would say that nothing was tried."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from gate.suites.perturbation.noise_sweep import moves_any_cell
from gate.suites.perturbation.worst_case import ROWS_AT_ONCE

if TYPE_CHECKING:
    from gate.suites.perturbation.attack.space import Space
    from gate.suites.perturbation.steps import Asked, Step


def idle(asked: Asked, steps: Sequence[Step]) -> list[str]:
    """Why no flip could be found, one sentence each; none where something was tried.

    Cells are looked at only where the answers stayed within what the model does by itself.
    """
    found = []
    searched = [step.worst for step in steps if step.worst is not None]
    if asked.clean.answered.any() and not asked.sure.any():
        found.append("every answer lies on the cut-off between two classes, so that none can flip")
    elif searched and not any(each.attackable.any() for each in searched):
        found.append("no answer is farther from the cut-off than the model's own noise, so that no flip can be told")
    score = max(step.noise.maximum for step in steps)
    if score and not asked.floor.inside(score):
        return found
    moved = any(moves_any_cell(asked.frame, asked.schema, step.epsilon, asked.config.seed) for step in steps)
    if not moved and not (searched and _can_move(asked, steps[-1].epsilon)):
        found.append("no perturbation moved a cell: what the columns hold is missing, or rounds every move back")
    return found


def _can_move(asked: Asked, epsilon: float) -> bool:
    """Whether the ball holds more than the rows themselves, looked at part by part."""
    import numpy as np

    from gate.suites.perturbation.attack.frames import space_of

    for start in range(0, asked.frame.rows, ROWS_AT_ONCE):
        rows = np.arange(start, min(start + ROWS_AT_ONCE, asked.frame.rows))
        space, _ = space_of(asked.frame.take(rows), asked.schema, swaps=asked.config.swaps)
        if _moves(space, epsilon):
            return True
    return False


def _moves(space: Space, epsilon: float) -> bool:
    import numpy as np

    there, rows = ~np.isnan(space.clean), np.arange(len(space.clean))
    if (there & space.swapped).any():
        return True
    ends = (space.clean + side * epsilon * space.scale for side in (1, -1))
    return any(bool(((space.inside(rows, end, epsilon) != space.clean) & there).any()) for end in ends)
