"""Noise in units of a column's scale: Gaussian and uniform."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from concurrent.futures import Executor
from typing import Any, Literal

from gate.suites.perturbation.tabular.cores import cpus
from gate.suites.perturbation.tabular.draws import GAUSSIAN, Seed, Streams
from gate.suites.perturbation.tabular.frame import EXACT, Frame
from gate.suites.perturbation.tabular.operators.operator import Operator
from gate.suites.perturbation.tabular.schema import Column, Schema

Law = Literal["gaussian", "uniform"]
BLOCK = 20_000
"""Rows that are drawn at a time, so that they stay in the processor's cache."""


class Noise:
    """A column with noise, made while it is written: clean + ε · scale · draw, on the grid, within the range.

    Args:
        clean: (rows,) float64.
        draws: the column's own generator.
        bounded: whether grid and range are kept here, which needs a grid of whole numbers and clean cells within the
            range; otherwise that is left to whoever settles the column.
    """

    def __init__(self, clean: Any, column: Column, epsilon: float, law: Law, draws: Any, *, bounded: bool) -> None:
        self._clean = clean
        self._epsilon, self._scale = epsilon, column.scale
        self._law, self._draws = law, draws
        self._grid = bounded and column.step > 0
        self._range = (column.low, column.high)
        self._clip = bounded and self._range != (-math.inf, math.inf)
        self._row = 0

    def write(self, out: Any) -> None:
        """Write the next len(out) rows; calls go through the rows in order."""
        for start in range(0, len(out), BLOCK):
            self._block(out[start : start + BLOCK])

    def _block(self, out: Any) -> None:
        if self._law == "gaussian":
            self._draws.standard_normal(out=out)
        else:
            self._draws.random(out=out)
            out *= 2
            out -= 1
        out *= self._epsilon
        out *= self._scale
        if self._grid:
            out.round(out=out)
        out += self._clean[self._row : self._row + len(out)]
        if self._clip:
            out.clip(*self._range, out=out)
        self._row += len(out)


class NoiseDraws:
    """Noise of a frame's columns, part by part in the order of the rows; parts of any size give the same.

    Args:
        frame: the whole, which tells how each column is kept within its range.
        columns: those that get noise.
    """

    def __init__(
        self, law: Law, frame: Frame, schema: Schema, columns: Sequence[Column], epsilon: float, seed: Seed
    ) -> None:
        bound = {name for relation in schema.relations for name in relation.names}
        self._law, self._epsilon, self._columns = law, epsilon, columns
        self._blocks = frame.blocks
        streams = seed if isinstance(seed, Streams) else Streams(seed)
        self._draws = {column.name: streams.generator(epsilon, column.name, law) for column in columns}
        self._streamed = {column.name: column.name not in bound and _simple(frame, column) for column in columns}

    def next(self, part: Frame, pool: Executor | None = None) -> dict[str, Any]:
        """The noisy columns of the rows that come next; all of what it gives must be written before the next call.

        Args:
            pool: threads that draw columns side by side. Each column has its own generator, so the draws are the same.
        """
        import numpy as np

        noises = {column.name: self._noise(column, part) for column in self._columns}
        if pool is None:
            ready = {name: np.empty(part.rows) for name in noises if not self._streamed[name]}
            for name, cells in ready.items():
                noises[name].write(cells)
            return noises | ready
        block = self._blocks.lend(len(noises), part.rows)
        together = list(zip(noises.values(), block, strict=True))
        each = cpus()  # tasks, not one a column: handing one over takes as long as many draws
        list(pool.map(_write, [together[first::each] for first in range(each)]))
        return {
            name: Drawn(cells, block) if self._streamed[name] else cells
            for name, cells in zip(noises, block, strict=True)
        }

    def _noise(self, column: Column, part: Frame) -> Noise:
        name = column.name
        bounded = self._streamed[name]
        return Noise(part.values(name), column, self._epsilon, self._law, self._draws[name], bounded=bounded)


def _write(columns: Sequence[tuple[Noise, Any]]) -> None:
    for noise, out in columns:
        noise.write(out)


class Drawn:
    """A column of noise that is drawn already.

    Args:
        cells: (rows,) float64.
        block: (columns, rows), what they are a row of; for who takes all columns at once.
    """

    def __init__(self, cells: Any, block: Any) -> None:
        self.block = block
        self._cells, self._row = cells, 0

    def write(self, out: Any) -> None:
        """Write the next len(out) rows."""
        out[:] = self._cells[self._row : self._row + len(out)]
        self._row += len(out)


def _noise(law: Law, frame: Frame, schema: Schema, columns: Sequence[Column], epsilon: float, seed: Seed) -> Any:
    return NoiseDraws(law, frame, schema, columns, epsilon, seed).next(frame)


def _simple(frame: Frame, column: Column) -> bool:
    """Whether the grid is that of whole numbers, and every cell is finite or missing, exact, and within the range."""
    extent = frame.extent(column.name)
    inside = column.low <= extent.low and extent.high <= column.high and not extent.infinite
    return inside and (not column.step or (column.step == 1 and extent.low > -EXACT and extent.high < EXACT))


def _movable(schema: Schema) -> tuple[Column, ...]:
    return schema.movable()


def _gaussian(frame: Frame, schema: Schema, columns: Sequence[Column], strength: float, seed: Seed) -> Any:
    return _noise("gaussian", frame, schema, columns, strength, seed)


def _uniform(frame: Frame, schema: Schema, columns: Sequence[Column], strength: float, seed: Seed) -> Any:
    return _noise("uniform", frame, schema, columns, strength, seed)


GAUSSIAN_NOISE = Operator(GAUSSIAN, "scale", "N(0, (ε · scale)²) added to every number", _movable, _gaussian)
UNIFORM_NOISE = Operator("uniform", "scale", "uniform within ± ε · scale, added to every number", _movable, _uniform)

LAWS: Mapping[str, Law] = {GAUSSIAN_NOISE.name: "gaussian", UNIFORM_NOISE.name: "uniform"}
"""Of the operators that draw noise, which must see the whole frame before its parts."""
