"""Noise in units of a column's scale: Gaussian and uniform."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any, Literal

from gate.suites.perturbation.tabular.draws import GAUSSIAN, generator
from gate.suites.perturbation.tabular.frame import EXACT, Frame
from gate.suites.perturbation.tabular.operators.operator import Operator
from gate.suites.perturbation.tabular.schema import Column, Schema

Law = Literal["gaussian", "uniform"]
BLOCK = 32_768
"""Rows that are drawn at a time, so that they stay in the processor's cache."""


@dataclass(slots=True)
class Noise:
    """A column with noise, made while it is written: clean + ε · scale · draw, on the grid, within the range."""

    clean: Any
    column: Column
    epsilon: float
    law: Law
    draws: Any
    bounded: bool = True
    row: int = field(default=0)

    def write(self, out: Any) -> None:
        """Write the next len(out) rows; calls go through the rows in order."""
        for start in range(0, len(out), BLOCK):
            self._block(out[start : start + BLOCK])

    def _block(self, out: Any) -> None:
        import numpy as np

        if self.law == "gaussian":
            self.draws.standard_normal(out=out)
        else:
            self.draws.random(out=out)
            out *= 2
            out -= 1
        out *= self.epsilon
        out *= self.column.scale
        if self.column.step and self.bounded:
            np.rint(out, out=out)
        out += self.clean[self.row : self.row + len(out)]
        if self.bounded and (np.isfinite(self.column.low) or np.isfinite(self.column.high)):
            np.clip(out, self.column.low, self.column.high, out=out)
        self.row += len(out)


def _noise(law: Law, frame: Frame, schema: Schema, columns: Sequence[Column], epsilon: float, seed: int) -> Any:
    import numpy as np

    bound = {name for relation in schema.relations for name in relation.names}
    found: dict[str, Any] = {}
    for column in columns:
        draws = generator(seed, epsilon, column.name, law)
        streamed = column.name not in bound and _simple(frame, column)
        noise = Noise(frame.values(column.name), column, epsilon, law, draws, bounded=streamed)
        if not streamed:
            out = np.empty(frame.rows)
            noise.write(out)
        found[column.name] = noise if streamed else out
    return found


def _simple(frame: Frame, column: Column) -> bool:
    """Whether the grid is that of whole numbers, and every cell is finite or missing, exact, and within the range."""
    extent = frame.extent(column.name)
    inside = column.low <= extent.low and extent.high <= column.high and not extent.infinite
    return inside and (not column.step or (column.step == 1 and extent.low > -EXACT and extent.high < EXACT))


def _movable(schema: Schema) -> tuple[Column, ...]:
    return schema.movable()


def _gaussian(frame: Frame, schema: Schema, columns: Sequence[Column], strength: float, seed: int) -> Any:
    return _noise("gaussian", frame, schema, columns, strength, seed)


def _uniform(frame: Frame, schema: Schema, columns: Sequence[Column], strength: float, seed: int) -> Any:
    return _noise("uniform", frame, schema, columns, strength, seed)


GAUSSIAN_NOISE = Operator(GAUSSIAN, "scale", "N(0, (ε · scale)²) added to every number", _movable, _gaussian)
UNIFORM_NOISE = Operator("uniform", "scale", "uniform within ± ε · scale, added to every number", _movable, _uniform)
