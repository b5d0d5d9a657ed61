"""Gaussian noise on the movable columns of any frame, typed and clipped, and what a model of any kind makes of it.

The noise itself is the tabular perturbation `gaussian`: ε · scale · z on every movable number, brought back to what its
column may hold. Several draws make the largest change say less about the seed: the median over draws of each draw's
own is what counts.
"""

from __future__ import annotations

import hashlib
import math
import statistics
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from gate.errors import UsageError
from gate.suites.perturbation.models import Answers, Model, changes, flipped, spread_of
from gate.suites.perturbation.models.asking import LARGEST_BATCH, ask, ask_each, batch_size, joined
from gate.suites.perturbation.tabular.cores import pool_for
from gate.suites.perturbation.tabular.frame import Frame
from gate.suites.perturbation.tabular.operators.noise import NoiseDraws
from gate.suites.perturbation.tabular.row_order import inverse, placed
from gate.suites.perturbation.tabular.schema import Column, Schema
from gate.suites.perturbation.tabular.settle import settled
from gate.suites.perturbation.time_limit import FOREVER, TimeLimit, TimeUpError

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
    threads: int = 1,
    limit: TimeLimit = FOREVER,
    order: Any = None,
    shown: int = MOVES_SHOWN,
    where: str = "sweep",
) -> Noisy:
    """Ask the model about noisy rows, once a draw, in batches that are made while it is asked.

    Args:
        clean: what it answers to the rows as they are.
        epsilon: noise in units of each column's scale.
        seed: of the noise; each (seed, ε, column, draw) has its own generator.
        tolerance: for values, how many spreads a change may have that is no flip.
        spread: for values, the target's standard deviation; by default that of the clean answers.
        threads: how many batches are asked at once of a model that is thread-safe; they change nothing else.
        limit: looked at between batches.
        order: (n,) places of the rows in the order in which they draw; None for their own.
        shown: of how many flipped rows the move is told.

    Raises:
        TimeUpError: the time ended before the last batch.
        UsageError: nothing can be moved, or what `ask` raises.
    """
    import numpy as np

    if order is not None:
        found_so = gaussian(
            model, frame.take(order), schema, clean.take(order), epsilon, seed=seed, draws=draws, tolerance=tolerance,
            spread=spread, threads=threads, limit=limit, shown=shown, where=where,
        )  # fmt: skip
        return _restored(found_so, order)
    movable_columns(schema, where)
    unit = spread_of(clean) if spread is None and clean.kind == "values" else spread
    asked, moves = f"{where}, ε={epsilon:g}", Moves(schema, shown)
    found: list[tuple[Answers, Any, Any]] = []
    maxima: list[float] = []
    failed: dict[int, str] = {}
    size = batch_size(model, len(frame.names), workers=max(1, threads))
    for draw in range(max(1, draws)):
        parts = _noisy_parts(frame, schema, epsilon, seed_of(seed, draw), size)
        largest = math.nan
        for start, native, answers in ask_each(model, parts, clean, asked, threads=threads, copies=clean.mutated):
            stop = start + answers.rows
            if limit.over and (stop < frame.rows or draw + 1 < draws):
                came = f"{stop:,} of {frame.rows:,} rows" if draws <= 1 else f"{draw} of {draws} draws"
                raise TimeUpError(came)
            before = clean.span(start, stop)
            change = changes(before, answers, unit, where)
            largest = np.fmax(largest, np.fmax.reduce(change))
            failed.update({start + row: cause for row, cause in answers.failed.items()})
            if not draw:
                marks = flipped(before, answers, tolerance, spread=unit, where=where)
                moves.add(start, frame.span(start, stop), native, marks)
                found.append((answers, change, marks))
        if math.isnan(largest):
            raise UsageError("the model answered no row", where=asked, remedy="try it on one row by hand")
        maxima.append(float(largest))
    change, marks = (np.concatenate([each[place] for each in found]) for place in (1, 2))
    answers = joined([each for each, _, _ in found], asked)
    return Noisy(epsilon, answers, change, marks, tuple(maxima), moves.told, dict(sorted(failed.items())), moves.raw)


def _restored(noisy: Noisy, order: Any) -> Noisy:
    """What was measured of the rows in that order, as of the rows in their own."""
    back = inverse(order)
    return replace(
        noisy,
        answers=noisy.answers.take(back),
        changes=noisy.changes[back],
        flipped=noisy.flipped[back],
        moves=placed(noisy.moves, order),
        failed=placed(noisy.failed, order),
        raw=placed(noisy.raw, order),
    )


def _noisy_parts(frame: Frame, schema: Schema, epsilon: float, seed: int, size: int) -> Iterator[tuple[Any, int]]:
    """The rows under one draw, batch by batch."""
    columns = schema.movable()
    draws = NoiseDraws("gaussian", frame, schema, columns, epsilon, seed)
    with pool_for(frame.rows * len(columns)) as pool:
        for start in range(0, frame.rows, size):
            part = frame.span(start, min(start + size, frame.rows))
            yield part.replaced(settled(part, schema, draws.next(part, pool))), part.rows


def moves_any_cell(frame: Frame, schema: Schema, epsilon: float, seed: int) -> bool:
    """Whether the first draw moves any cell, looked at batch by batch."""
    import numpy as np

    start, columns = 0, schema.movable()
    for native, rows in _noisy_parts(frame, schema, epsilon, seed, LARGEST_BATCH):
        part = frame.span(start, start + rows)
        shown = part.alike(native)
        for column in columns:
            clean = part.values(column.name)
            if np.any((clean != shown.values(column.name)) & np.isfinite(clean)):
                return True
        start += rows
    return False


def clean_answers(model: Model, frame: Frame, where: str, *, threads: int = 1) -> Answers:
    """What a model answers to the rows as they are, part by part where they may be larger than memory."""
    if not frame.parted:
        return ask(model, frame.own(), frame.rows, where, threads=threads)
    size = batch_size(model, len(frame.names), workers=max(1, threads))
    parts = (frame.span(start, min(start + size, frame.rows)) for start in range(0, frame.rows, size))
    return joined([ask(model, part.own(), part.rows, where, threads=threads) for part in parts], where)


def seed_of(seed: int, draw: int) -> int:
    """The seed of a draw: that of the sweep for the first, and one made of it for each further."""
    if not draw:
        return seed
    digest = hashlib.blake2b(f"{seed} draw {draw}".encode(), digest_size=6).digest()
    return int.from_bytes(digest, "big")


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


class Moves:
    """How far the first flipped rows moved, collected batch by batch.

    Attributes:
        told: by row the column that moved farthest, in units of scale.
        raw: the same in the user's own units; never for a report.
    """

    def __init__(self, schema: Schema, most: int = MOVES_SHOWN) -> None:
        self.told: dict[int, str] = {}
        self.raw: dict[int, str] = {}
        self._columns = sorted(schema.movable(), key=lambda column: column.name)  # of equals the first by name
        self._left = most

    def add(self, start: int, part: Frame, native: Any, marks: Any) -> None:
        """Look at the rows of a batch that flipped.

        Args:
            start: place of its first row.
            part, native: its rows as they are, and as the model was shown them.
            marks: (rows,) bool.
        """
        import numpy as np

        rows = np.flatnonzero(marks)[: self._left]
        self._left -= len(rows)
        if not len(rows):
            return
        shown = part.alike(part.alike(native).take(rows).own())  # whose columns are typed as those of the whole
        clean = np.column_stack([part.values(column.name)[rows] for column in self._columns])
        noisy = np.column_stack([shown.values(column.name) for column in self._columns])
        shifts = np.nan_to_num((noisy - clean) / [column.scale for column in self._columns], nan=0.0)
        for place, row in enumerate((start + rows).tolist()):
            far = int(np.abs(shifts[place]).argmax())
            shift, name = shifts[place, far], self._columns[far].name
            if shift:
                self.told[row] = f"{name} {'+' if shift > 0 else '−'}{abs(shift):.2g} sd"
                self.raw[row] = f"{name} {clean[place, far]:.6g} → {noisy[place, far]:.6g}"
