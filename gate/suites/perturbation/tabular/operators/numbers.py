"""Errors that people and machines make with numbers: rounding, a wrong unit, being off by a few."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

from gate.suites.perturbation.tabular.draws import Seed, chosen, uniforms
from gate.suites.perturbation.tabular.frame import Frame
from gate.suites.perturbation.tabular.operators.operator import Operator
from gate.suites.perturbation.tabular.schema import Column, Schema


def _movable(schema: Schema) -> tuple[Column, ...]:
    return schema.movable()


def _integers(schema: Schema) -> tuple[Column, ...]:
    return tuple(column for column in schema.movable() if column.kind == "integer")


def _rounded(frame: Frame, schema: Schema, columns: Sequence[Column], strength: float, seed: Seed) -> dict[str, Any]:
    """Round to the largest power of ten that moves no number by more than ε · scale."""
    import numpy as np

    del schema, seed
    return {
        column.name: np.round(frame.values(column.name), -math.floor(math.log10(2 * strength * column.scale)))
        for column in columns
    }


def _unit(frame: Frame, schema: Schema, columns: Sequence[Column], strength: float, seed: Seed) -> dict[str, Any]:
    """Multiply one number of each row."""
    import numpy as np

    del schema
    cells = np.stack([frame.values(column.name) for column in columns], axis=1)
    names = [column.name for column in columns]
    picked = chosen(seed, strength, names, UNIT_ERROR.name, np.isfinite(cells) & (cells != 0), 1)
    return {
        name: np.where(picked[:, place], cells[:, place] * strength, cells[:, place])
        for place, name in enumerate(names)
    }


def _off_by(frame: Frame, schema: Schema, columns: Sequence[Column], strength: float, seed: Seed) -> dict[str, Any]:
    """Add one of −k … −1, 1 … k steps to every whole number, each equally likely."""
    import numpy as np

    del schema
    found = {}
    for column in columns:
        (draw,) = uniforms(seed, strength, column.name, OFF_BY.name, frame.rows)
        steps = np.floor(draw * 2 * strength) - strength
        steps += steps >= 0
        found[column.name] = frame.values(column.name) + steps * column.step
    return found


ROUNDING = Operator(
    "rounding", "scale", "numbers rounded to the largest power of ten that moves them by ε · scale at most",
    _movable, _rounded,
)  # fmt: skip
UNIT_ERROR = Operator("unit-error", "factor", "one number of each row multiplied by the factor", _movable, _unit)
OFF_BY = Operator("integer-step", "count", "every whole number moved by 1 to k steps up or down", _integers, _off_by)
