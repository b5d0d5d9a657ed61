"""Gaussian noise on the movable columns of any frame, typed and clipped, and what a model of any kind makes of it.

The noise of a cell is ε · scale · z, with z from the generator of (seed, ε, column) in the order of the rows. Then the
cell is brought back to what its column may hold: whole numbers stay whole, and nothing leaves the range. Several draws
make the largest change say less about the seed: its maximum is the median over draws of each draw's own.
"""

from __future__ import annotations

import statistics
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from gate.errors import UsageError
from gate.suites.perturbation.models import Answers, Model, ask, changes, flipped, spread_of
from gate.suites.perturbation.tabular.ball import Ball
from gate.suites.perturbation.tabular.draws import generator
from gate.suites.perturbation.tabular.frame import Frame
from gate.suites.perturbation.tabular.schema import Schema

MOVES_SHOWN = 200
ROWS_ASKED = 20_000
MOST_DRAWS = 25


@dataclass(frozen=True, slots=True)
class Noisy:
    """One ε.

    Attributes:
        answers, changes, flipped: of the first draw, n examples each.
        maxima: by draw the largest change of any example.
        cells: how many cells the first draw moved.
        moves: for the first flipped examples, the column that moved farthest and how far, in units of scale.
        failed: by row why the model gave no answer under any draw.
    """

    epsilon: float
    answers: Answers
    changes: Any
    flipped: Any
    maxima: tuple[float, ...]
    cells: int
    moves: Mapping[int, str] = field(default_factory=dict)
    failed: Mapping[int, str] = field(default_factory=dict)

    @property
    def typical_maximum(self) -> float:
        """The median over draws of the largest change."""
        return float(statistics.median(self.maxima))


def draws_for(rows: int) -> int:
    """How many draws of noise: some 20,000 rows asked an ε, at least 1 and at most 25 draws.

    A maximum over few rows says much about its draw, and few rows are cheap to ask again.
    """
    return max(1, min(MOST_DRAWS, round(ROWS_ASKED / rows)))


def checked_epsilons(epsilons: Sequence[float], where: str) -> list[float]:
    """The ε in ascending order, so that their order in the list changes nothing.

    Raises:
        UsageError: none, one that stands twice, or one that is not positive and finite.
    """
    found = []
    for epsilon in epsilons:
        try:
            number = float("nan") if isinstance(epsilon, bool | str) else float(epsilon)
        except (TypeError, ValueError):
            number = float("nan")
        if not 0 < number < float("inf"):
            remedy = "give shares of a column's scale, such as 0.05"
            raise UsageError(f"epsilon {epsilon!r:.40} is not positive and finite", where=where, remedy=remedy)
        found.append(number)
    if not found:
        raise UsageError("no epsilon is given", where=where, remedy="give at least one, for example 0.05")
    if len(set(found)) < len(found):
        raise UsageError("an epsilon stands twice", where=where, remedy="give each once")
    return sorted(found)


def gaussian(  # noqa: PLR0913  the field's own parameters
    model: Model,
    frame: Frame,
    schema: Schema,
    clean: Answers,
    epsilon: float,
    *,
    seed: int,
    draws: int = 1,
    tolerance: float | None = None,
    spread: float | None = None,
    where: str = "sweep",
) -> Noisy:
    """Ask the model about noisy rows, once a draw.

    Args:
        clean: what it answers to the rows as they are.
        epsilon: noise in units of each column's scale.
        seed: of the noise; each (seed, ε, column, draw) has its own generator.
        tolerance: for values, how many spreads a change may have that is no flip.
        spread: for values, the target's standard deviation; by default that of the clean answers.

    Raises:
        UsageError: nothing can be moved, or what `ask` raises.
    """
    ball, matrix = Ball(schema, float("inf")), movable_matrix(frame, schema, where)
    fixed = {name: frame.values(name) for name in ball.fixed}
    unit = spread_of(clean) if spread is None and clean.kind == "values" else spread
    maxima, first = [], None
    failed: dict[int, str] = {}
    for draw in range(draws):
        moved = ball.project(matrix, matrix + _noise(schema, epsilon, seed, draw, frame.rows), fixed)
        native = frame.replaced({column.name: moved[:, at] for at, column in enumerate(schema.movable())})
        answers = ask(model, native, frame.rows, f"{where}, ε={epsilon:g}")
        change = changes(clean, answers, unit, where)
        failed.update(answers.failed)
        maxima.append(_largest(change, epsilon, where))
        if draw == 0:
            marks = flipped(clean, answers, tolerance, spread=unit, where=where)
            first = answers, change, marks, _cells(matrix, moved), _moves(schema, matrix, moved, marks)
    if first is None:
        raise UsageError("no draw was asked for", where=where, remedy="give at least one")
    return Noisy(epsilon, first[0], first[1], first[2], tuple(maxima), first[3], first[4], failed)


def movable_matrix(frame: Frame, schema: Schema, where: str) -> Any:
    """(n, d) float64 of the movable columns, NaN where a cell is empty.

    Raises:
        UsageError: no column can be moved.
    """
    import numpy as np

    columns = schema.movable()
    if not columns:
        raise UsageError(
            "no unprotected numeric column varies, so nothing would be perturbed",
            where=where,
            remedy="leave a numeric column unprotected, or encode categories in the model's own pipeline",
        )
    return np.column_stack([frame.values(column.name) for column in columns])


def _noise(schema: Schema, epsilon: float, seed: int, draw: int, rows: int) -> Any:
    import numpy as np

    name = "gaussian" if draw == 0 else f"gaussian {draw + 1}"
    return np.column_stack(
        [
            epsilon * column.scale * generator(seed, epsilon, column.name, name).standard_normal(rows)
            for column in schema.movable()
        ]
    )


def _largest(change: Any, epsilon: float, where: str) -> float:
    import numpy as np

    known = change[~np.isnan(change)]
    if not known.size:
        raise UsageError(f"the model answered no row at ε={epsilon:g}", where=where, remedy="try it on one row by hand")
    return float(known.max())


def _cells(clean: Any, moved: Any) -> int:
    import numpy as np

    return int(np.count_nonzero((clean != moved) & np.isfinite(clean)))


def _moves(schema: Schema, clean: Any, moved: Any, marks: Any) -> dict[int, str]:
    import numpy as np

    columns = schema.movable()
    scale = np.array([column.scale for column in columns])
    told = {}
    for row in np.flatnonzero(marks)[:MOVES_SHOWN].tolist():
        shifts = np.nan_to_num((moved[row] - clean[row]) / scale, nan=0.0)
        far = int(np.abs(shifts).argmax())
        if shifts[far]:
            told[row] = f"{columns[far].name} {'+' if shifts[far] > 0 else '−'}{abs(shifts[far]):.2g} sd"
    return told
