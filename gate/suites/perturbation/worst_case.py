"""The attack of a frame: its movable columns become the attack's space, and what flipped comes back by row."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

from gate.suites.perturbation.attack.protocol import Found
from gate.suites.perturbation.attack.space import Space
from gate.suites.perturbation.audit_config import SweepConfig
from gate.suites.perturbation.models import Answers, Model
from gate.suites.perturbation.noise_sweep import MOVES_SHOWN
from gate.suites.perturbation.tabular.frame import Frame
from gate.suites.perturbation.tabular.schema import Schema

ROWS_AT_ONCE = 5_000


@dataclass(frozen=True, slots=True)
class Worst:
    """A lower bound of the worst case at one ε: a row that was not flipped may have a flip that was missed.

    Attributes:
        flipped: (n,) rows for which a flip was found.
        smallest: (n,) ε of the nearest flip found, infinite where there is none.
        attackable: (n,) rows that could be attacked: answered, and not on the cut-off already.
        queries: rows that the model was asked about, all together.
        budget: the most that the search may ask for one row to find a flip.
        moves: for the first flipped rows the column that moved farthest, in units of scale, and how many moved.
        errors: by row why the model failed on a moved input.
    """

    epsilon: float
    flipped: Any
    smallest: Any
    attackable: Any
    queries: int
    budget: int
    moves: Mapping[int, str] = field(default_factory=dict)
    errors: Mapping[int, str] = field(default_factory=dict)


Progress = Callable[[str], None]
Search = Callable[[Model, Frame, Schema, Answers, float, SweepConfig, float | None, Progress], Worst]
"""(model, frame, schema, clean answers, ε, configuration, spread of values, progress) -> what it flipped."""


def search(
    model: Model,
    frame: Frame,
    schema: Schema,
    clean: Answers,
    epsilon: float,
    config: SweepConfig,
    spread: float | None,
    progress: Progress,
) -> Worst:
    """Look for a flip of every row inside the ball of ε, with numbers typed, clipped and related as in the schema.

    Rows go by 5,000, which bounds the memory and tells how far it came; a row's result does not depend on the others.
    """
    import numpy as np

    parts = []
    for start in range(0, frame.rows, ROWS_AT_ONCE):
        rows = np.arange(start, min(start + ROWS_AT_ONCE, frame.rows))
        if start:
            progress(f"ε = {epsilon:g}: worst case, {start:,} of {frame.rows:,} rows")
        parts.append(_part(model, frame.take(rows), schema, clean.take(rows), epsilon, config, spread, start))
    return Worst(
        epsilon=epsilon,
        flipped=np.concatenate([part.flipped for part in parts]),
        smallest=np.concatenate([part.smallest for part in parts]),
        attackable=np.concatenate([part.attackable for part in parts]),
        queries=sum(part.queries for part in parts),
        budget=config.budget,
        moves=dict(list({row: told for part in parts for row, told in part.moves.items()}.items())[:MOVES_SHOWN]),
        errors={row: cause for part in parts for row, cause in part.errors.items()},
    )


def _part(
    model: Model,
    frame: Frame,
    schema: Schema,
    clean: Answers,
    epsilon: float,
    config: SweepConfig,
    spread: float | None,
    start: int,
) -> Worst:
    from gate.suites.perturbation.attack.frames import space_of
    from gate.suites.perturbation.attack.objective import Objective
    from gate.suites.perturbation.attack.registry import attack_of

    space, assemble = space_of(frame, schema, swaps=config.swaps)
    objective = Objective(model, assemble, clean, tolerance=config.tolerance, spread=spread, where="worst case")
    found = attack_of(config.attack, "sweep.attack")(space, objective, epsilon, seed=config.seed, budget=config.budget)
    moves = _moves(space, found)
    return Worst(
        epsilon=epsilon,
        flipped=found.flipped,
        smallest=found.smallest,
        attackable=found.attackable,
        queries=int(found.queries.sum()),
        budget=found.budget,
        moves={start + row: told for row, told in moves.items()},
        errors={start + row: cause for row, cause in found.errors.items()},
    )


def _moves(space: Space, found: Found) -> dict[int, str]:
    """The number that moved farthest, or what was swapped where none did; never a level or a value itself."""
    import numpy as np

    scale = np.where(space.swapped, np.inf, space.scale)
    told = {}
    for row in np.flatnonzero(found.flipped)[:MOVES_SHOWN].tolist():
        changed = np.nan_to_num(found.moved[row] - space.clean[row], nan=0.0)
        shifts = changed / scale
        far = int(np.abs(shifts).argmax())
        count = int(np.count_nonzero(changed))
        more = f" and {count - 1} more" if count > 1 else ""
        if shifts[far]:
            told[row] = f"{space.names[far]} {'+' if shifts[far] > 0 else '−'}{abs(shifts[far]):.2g} sd{more}"
        elif count:
            told[row] = f"{space.names[int(np.abs(changed).argmax())]} swapped{more}"
    return told
