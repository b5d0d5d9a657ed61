"""The attack of a frame: its movable columns become the attack's space, and what flipped comes back by row."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import partial
from typing import TYPE_CHECKING, Any

from gate.schema.report import WITNESSED
from gate.suites.perturbation.audit_config import SweepConfig
from gate.suites.perturbation.keeping import Keeper
from gate.suites.perturbation.models import Answers, Model, NoiseFloor
from gate.suites.perturbation.noise_sweep import MOVES_SHOWN
from gate.suites.perturbation.tabular.frame import Frame
from gate.suites.perturbation.tabular.schema import Schema
from gate.suites.perturbation.time_limit import FOREVER, TimeLimit

if TYPE_CHECKING:
    from gate.suites.perturbation.attack.objective import Objective
    from gate.suites.perturbation.attack.space import Space

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
        raw: the same rows in the user's own units; never for a report.
        errors: by row why the model failed on a moved input.
        covered: how many of the first rows were attacked before the time ended; None for all.
    """

    epsilon: float
    flipped: Any
    smallest: Any
    attackable: Any
    queries: int
    budget: int
    moves: Mapping[int, str] = field(default_factory=dict)
    errors: Mapping[int, str] = field(default_factory=dict)
    raw: Mapping[int, str] = field(default_factory=dict)
    covered: int | None = None


Progress = Callable[[str], None]
Search = Callable[[Model, Frame, Schema, Answers, float, SweepConfig, float | None, Progress, NoiseFloor], Worst]
"""(model, frame, schema, clean answers, ε, configuration, spread of values, progress, own noise) -> what it flipped."""


def search(  # noqa: PLR0913, PLR0917  what `Search` is given, and the witnesses
    model: Model,
    frame: Frame,
    schema: Schema,
    clean: Answers,
    epsilon: float,
    config: SweepConfig,
    spread: float | None,
    progress: Progress,
    floor: NoiseFloor | None = None,
    *,
    keeper: Keeper | None = None,
    limit: TimeLimit = FOREVER,
    names: Sequence[object] | None = None,
) -> Worst:
    """Look for a flip of every row inside the ball of ε, with numbers typed, clipped and related as in the schema.

    Rows go by 5,000, which bounds the memory and tells how far it came; a row's result does not depend on the others.

    Args:
        keeper: of witnesses, which are tried first; a row that one flips needs no search.
        names: of the n rows, to which their draws belong; by default the frame's own.
        limit: looked at every 5,000 rows; once the time has ended, the rows that are left are not attacked.
    """
    import numpy as np

    parts: list[Worst] = []
    for start in range(0, frame.rows, ROWS_AT_ONCE):
        rows = np.arange(start, min(start + ROWS_AT_ONCE, frame.rows))
        if start and limit.over:
            parts.append(_left_out(frame.rows - start, epsilon, config))
            break
        if start:
            progress(f"ε = {epsilon:g}: worst case, {start:,} of {frame.rows:,} rows")
        own = None if names is None else names[start : start + len(rows)]
        part = _Part(model, frame.take(rows), schema, clean.take(rows), epsilon, config, spread, floor, start, own)
        parts.append(part.attacked(keeper))
    return Worst(
        epsilon=epsilon,
        flipped=np.concatenate([part.flipped for part in parts]),
        smallest=np.concatenate([part.smallest for part in parts]),
        attackable=np.concatenate([part.attackable for part in parts]),
        queries=sum(part.queries for part in parts),
        budget=config.budget,
        moves=_first({row: told for part in parts for row, told in part.moves.items()}),
        errors={row: cause for part in parts for row, cause in part.errors.items()},
        raw=_first({row: told for part in parts for row, told in part.raw.items()}),
        covered=frame.rows - len(parts[-1].flipped) if parts[-1].covered == 0 else None,
    )


def _left_out(rows: int, epsilon: float, config: SweepConfig) -> Worst:
    import numpy as np

    no = np.zeros(rows, dtype=bool)
    return Worst(epsilon, no, np.full(rows, np.inf), no, 0, config.budget, covered=0)


def keeping(keeper: Keeper | None, limit: TimeLimit = FOREVER, *, names: Sequence[object] | None = None) -> Search:
    """A search that tries a keeper's witnesses first, and leaves what it finds with it, within a limit of time."""
    return partial(search, keeper=keeper, limit=limit, names=names)


@dataclass(frozen=True, slots=True)
class _Part:
    """Some of the rows; `start` is the place of the first."""

    model: Model
    frame: Frame
    schema: Schema
    clean: Answers
    epsilon: float
    config: SweepConfig
    spread: float | None
    floor: NoiseFloor | None
    start: int
    names: Sequence[object] | None = None

    def attacked(self, keeper: Keeper | None) -> Worst:
        import numpy as np

        from gate.suites.perturbation.attack.registry import attack_of

        space, objective = self._space(np.arange(self.frame.rows))
        moved, smallest = space.clean.copy(), np.full(self.frame.rows, np.inf)
        flipped = np.zeros(self.frame.rows, dtype=bool)
        if keeper is not None:
            keeper.replay(space, objective, self.epsilon, self.start)
            known = [row for row in range(self.frame.rows) if self.start + row in keeper.points]
            for row in known:
                moved[row] = keeper.points[self.start + row]
            flipped[known] = True
            smallest[known] = space.size(np.array(known, dtype=np.int64), moved[known]) if known else np.inf
        rest, asked = np.flatnonzero(~flipped), [objective]
        if len(rest):
            some, own = (space, objective) if len(rest) == self.frame.rows else self._space(rest)
            attack = attack_of(self.config.attack, "sweep.attack")
            found = attack(some, own, self.epsilon, seed=self.config.seed, budget=self.config.budget)
            moved[rest], flipped[rest], smallest[rest] = found.moved, found.flipped, found.smallest
            if keeper is not None:
                keeper.collect(found, some, own, self.start + rest)
            asked = [objective] if own is objective else [objective, own]
        errors = dict(objective.errors)
        errors |= {int(rest[row]): cause for row, cause in asked[-1].errors.items()} if len(asked) > 1 else {}
        moves, raw = _moves(space, flipped, moved)
        if keeper is not None:
            moves |= {row: f"{moves[row]}{WITNESSED}" for row in known if row in moves}
        return Worst(
            epsilon=self.epsilon,
            flipped=flipped,
            smallest=smallest,
            attackable=objective.attackable,
            queries=sum(int(each.queries.sum()) for each in asked),
            budget=self.config.budget,
            moves={self.start + row: told for row, told in moves.items()},
            errors={self.start + row: cause for row, cause in errors.items()},
            raw={self.start + row: told for row, told in raw.items()},
        )

    def _space(self, rows: Any) -> tuple[Space, Objective]:
        from gate.suites.perturbation.attack.frames import space_of
        from gate.suites.perturbation.attack.objective import Objective

        whole = len(rows) == self.frame.rows
        frame, clean = (self.frame, self.clean) if whole else (self.frame.take(rows), self.clean.take(rows))
        keys = None if self.names is None else [self.names[row] for row in rows.tolist()]
        space, assemble = space_of(frame, self.schema, keys, swaps=self.config.swaps)
        objective = Objective(
            self.model, assemble, clean, tolerance=self.config.tolerance, spread=self.spread, floor=self.floor,
            where="worst case",
        )  # fmt: skip
        return space, objective


def _first(moves: dict[int, str]) -> dict[int, str]:
    return dict(list(moves.items())[:MOVES_SHOWN])


def _moves(space: Space, flipped: Any, moved: Any) -> tuple[dict[int, str], dict[int, str]]:
    """The number that moved farthest, or what was swapped where none did: without a level or a value, and with them."""
    import numpy as np

    scale = np.where(space.swapped, np.inf, space.scale)
    told, raw = {}, {}
    for row in np.flatnonzero(flipped)[:MOVES_SHOWN].tolist():
        clean = space.clean[row]
        changed = np.nan_to_num(moved[row] - clean, nan=0.0)
        shifts = changed / scale
        far = int(np.abs(shifts).argmax())
        count = int(np.count_nonzero(changed))
        more = f" and {count - 1} more" if count > 1 else ""
        if shifts[far]:
            told[row] = f"{space.names[far]} {'+' if shifts[far] > 0 else '−'}{abs(shifts[far]):.2g} sd{more}"
            raw[row] = f"{space.names[far]} {clean[far]:.6g} → {moved[row][far]:.6g}{more}"
        elif count:
            told[row] = raw[row] = f"{space.names[int(np.abs(changed).argmax())]} swapped{more}"
    return told, raw
