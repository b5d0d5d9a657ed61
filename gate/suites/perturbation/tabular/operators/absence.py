"""Values that are not there: missing cells, and features that drop out and are filled in."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from gate.suites.perturbation.tabular.draws import Seed, uniforms
from gate.suites.perturbation.tabular.features import features
from gate.suites.perturbation.tabular.frame import Frame
from gate.suites.perturbation.tabular.operators.operator import Operator
from gate.suites.perturbation.tabular.schema import Column, Schema


def _nullable(schema: Schema) -> tuple[Column, ...]:
    return tuple(column for column in schema.perturbable() if column.nullable and column.kind != "one-hot")


def _filled(schema: Schema) -> tuple[Column, ...]:
    return tuple(column for column in schema.perturbable() if column.neutral is not None)


def _missing(frame: Frame, schema: Schema, columns: Sequence[Column], strength: float, seed: Seed) -> dict[str, Any]:
    """Make each cell missing with probability p."""
    import numpy as np

    del schema
    found = {}
    for column in columns:
        (draw,) = uniforms(seed, strength, column.name, MISSING.name, frame.rows)
        clean = frame.values(column.name)
        found[column.name] = np.where(draw < strength, None if clean.dtype == object else np.nan, clean)
    return found


def _dropped(frame: Frame, schema: Schema, columns: Sequence[Column], strength: float, seed: Seed) -> dict[str, Any]:
    """Replace each feature by its neutral value with probability p."""
    import numpy as np

    del schema
    found: dict[str, Any] = {}
    for feature in features(columns):
        (draw,) = uniforms(seed, strength, feature.key, DROP_OUT.name, frame.rows)
        if feature.columns[0].kind in ("numeric", "integer"):
            median: Any = feature.neutral
            found[feature.key] = np.where(draw < strength, median, frame.values(feature.key))
        else:
            neutral = feature.levels.index(feature.neutral)
            found |= feature.cells(frame, np.where(draw < strength, neutral, -1))
    return found


MISSING = Operator("missing", "share", "each cell made missing with probability p", _nullable, _missing)
DROP_OUT = Operator(
    "drop-out", "share", "each feature replaced by its median or commonest level with probability p", _filled, _dropped
)
