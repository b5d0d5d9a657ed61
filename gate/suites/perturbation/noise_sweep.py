"""Gaussian noise on the movable columns of any frame, typed and clipped, and what a model of any kind makes of it.

The noise itself is the tabular perturbation `gaussian`: ε · scale · z on every movable number, brought back to what its
column may hold. Several draws make the largest change say less about the seed: the median over draws of each draw's
own is what counts.
"""

from __future__ import annotations

import hashlib
import statistics
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from gate.errors import UsageError
from gate.suites.perturbation.models import Answers, Model, ask, changes, flipped, spread_of
from gate.suites.perturbation.tabular.draws import GAUSSIAN
from gate.suites.perturbation.tabular.frame import Frame
from gate.suites.perturbation.tabular.perturb import moved
from gate.suites.perturbation.tabular.schema import Column, Schema

MOVES_SHOWN = 200
ROWS_ASKED = 20_000
MOST_DRAWS = 25


@dataclass(frozen=True, slots=True)
class Noisy:
    """One ε.

    Attributes:
        answers, changes, flipped: of the first draw, n examples each.
        maxima: by draw the largest change of any example.
        moves: for the first flipped examples, the column that moved farthest and how far, in units of scale.
        failed: by row why the model gave no answer under any draw.
        raw: the rows of `moves` in the user's own units; never for a report.
    """

    epsilon: float
    answers: Answers
    changes: Any
    flipped: Any
    maxima: tuple[float, ...]
    moves: Mapping[int, str] = field(default_factory=dict)
    failed: Mapping[int, str] = field(default_factory=dict)
    raw: Mapping[int, str] = field(default_factory=dict)

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
    movable_columns(schema, where)
    unit = spread_of(clean) if spread is None and clean.kind == "values" else spread
    asked, answered = f"{where}, ε={epsilon:g}", list[Any]()
    maxima: list[float] = []
    failed: dict[int, str] = {}
    for draw in range(max(1, draws)):
        native = frame.replaced(moved(frame, schema, GAUSSIAN, epsilon, seed=seed_of(seed, draw), where=where))
        answers = ask(model, native, frame.rows, asked)
        change = changes(clean, answers, unit, where)
        maxima.append(_largest(change, asked))
        failed.update(answers.failed)
        if not draw:
            answered = [answers, change, flipped(clean, answers, tolerance, spread=unit, where=where)]
    answers, change, marks = answered
    moves, raw = _moves(frame, schema, epsilon, seed, marks)
    return Noisy(epsilon, answers, change, marks, tuple(maxima), moves, failed, raw)


def seed_of(seed: int, draw: int) -> int:
    """The seed of a draw: that of the sweep for the first, and one made of it for each further."""
    if not draw:
        return seed
    digest = hashlib.blake2b(f"{seed} draw {draw}".encode(), digest_size=6).digest()
    return int.from_bytes(digest, "big")


def moved_matrix(frame: Frame, schema: Schema, epsilon: float, seed: int) -> Any:
    """(n, d) float64 of the movable columns under the first draw."""
    import numpy as np

    found = moved(frame, schema, GAUSSIAN, epsilon, seed=seed, where="noise")
    columns = []
    for column in schema.movable():
        cells = found.get(column.name, frame.values(column.name))
        if hasattr(cells, "write"):
            out = np.empty(frame.rows)
            cells.write(out)
            cells = out
        columns.append(cells)
    return np.column_stack(columns)


def movable_columns(schema: Schema, where: str) -> tuple[Column, ...]:
    """The columns that noise and search move.

    Raises:
        UsageError: there is none.
    """
    columns = schema.movable()
    if not columns:
        raise UsageError(
            "no unprotected numeric column varies, so nothing would be perturbed",
            where=where,
            remedy="leave a numeric column unprotected, or encode categories in the model's own pipeline",
        )
    return columns


def movable_matrix(frame: Frame, schema: Schema, where: str) -> Any:
    """(n, d) float64 of the movable columns, NaN where a cell is empty.

    Raises:
        UsageError: no column can be moved.
    """
    import numpy as np

    return np.column_stack([frame.values(column.name) for column in movable_columns(schema, where)])


def _largest(change: Any, where: str) -> float:
    import numpy as np

    known = change[~np.isnan(change)]
    if not known.size:
        raise UsageError("the model answered no row", where=where, remedy="try it on one row by hand")
    return float(known.max())


def _moves(
    frame: Frame, schema: Schema, epsilon: float, seed: int, marks: Any
) -> tuple[dict[int, str], dict[int, str]]:
    """How far the first flipped rows moved, in units of scale and in the user's own. Draws go by rows in their order, so those up to the last are drawn anew."""
    import numpy as np

    rows = np.flatnonzero(marks)[:MOVES_SHOWN]
    if not len(rows):
        return {}, {}
    first = frame.take(np.arange(rows[-1] + 1))
    clean, noisy = movable_matrix(first, schema, "noise"), moved_matrix(first, schema, epsilon, seed)
    columns = schema.movable()
    scale = np.array([column.scale for column in columns])
    told, raw = {}, {}
    for row in rows.tolist():
        shifts = np.nan_to_num((noisy[row] - clean[row]) / scale, nan=0.0)
        far = int(np.abs(shifts).argmax())
        if shifts[far]:
            told[row] = f"{columns[far].name} {'+' if shifts[far] > 0 else '−'}{abs(shifts[far]):.2g} sd"
            raw[row] = f"{columns[far].name} {clean[row][far]:.6g} → {noisy[row][far]:.6g}"
    return told, raw
