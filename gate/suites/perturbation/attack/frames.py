"""The space of a frame: its movable numbers and, where swaps are allowed, its categories and truth values."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from functools import lru_cache
from typing import Any

import numpy as np

from gate.suites.perturbation.attack.objective import Assemble
from gate.suites.perturbation.attack.space import Space
from gate.suites.perturbation.tabular.ball import Ball
from gate.suites.perturbation.tabular.features import Feature, features
from gate.suites.perturbation.tabular.frame import Frame
from gate.suites.perturbation.tabular.operators.categories import CATEGORY_SWAP
from gate.suites.perturbation.tabular.schema import Schema


def space_of(
    frame: Frame, schema: Schema, keys: Sequence[object] | None = None, *, swaps: int = 0
) -> tuple[Space, Assemble]:
    """Where the rows of a frame may be moved to, and how a moved row becomes one of the user's own kind.

    Args:
        keys: names of the rows, to which their random draws belong; by default the frame's own.
        swaps: how many features may get another level at once in a row. A feature that a relation binds keeps its own.

    Returns:
        The space, whose columns are the schema's movable ones by name, so that their order in the frame changes
        nothing, and then the features that may be swapped; and the function that assembles moved rows.
    """
    schema = replace(schema, columns=tuple(sorted(schema.columns, key=lambda column: column.name)))
    numbers = schema.movable()
    swapped = _swappable(schema) if swaps else []
    cells = [frame.values(column.name) for column in numbers]
    codes = [np.where((code := feature.codes(frame)) < 0, np.nan, code) for feature in swapped]
    matrix = np.column_stack([*cells, *codes]).astype(float) if cells or codes else np.empty((frame.rows, 0))
    space = Space(
        names=(*(column.name for column in numbers), *(feature.key for feature in swapped)),
        clean=matrix,
        scale=np.array([*(column.scale for column in numbers), *(0.0 for _ in swapped)]),
        project=_projection(frame, schema, len(numbers)),
        keys=frame.row_names if keys is None else keys,
        levels=np.array([*(0 for _ in numbers), *(len(feature.levels) for feature in swapped)], dtype=np.int64),
        swaps=swaps,
        separable=not schema.relations,
    )
    return space, _assembly(frame, tuple(column.name for column in numbers), swapped)


def _swappable(schema: Schema) -> list[Feature]:
    bound = {name for relation in schema.relations for name in relation.names}
    found = features(CATEGORY_SWAP.columns(schema))
    return [feature for feature in found if not bound & {column.name for column in feature.columns}]


def _projection(frame: Frame, schema: Schema, numbers: int) -> Any:
    """The ball's own projection for the first columns; what is swapped is not its concern."""
    ball = lru_cache(maxsize=64)(lambda epsilon: Ball(schema, epsilon))

    def project(clean: Any, moved: Any, epsilon: float, rows: Any) -> Any:
        if not numbers:
            return moved.copy()
        chosen = ball(float(epsilon))
        fixed = {name: frame.values(name)[rows] for name in chosen.fixed}
        found = moved.copy()
        found[:, :numbers] = chosen.project(clean[:, :numbers], moved[:, :numbers], fixed)
        return found

    return project


def _assembly(frame: Frame, numbers: tuple[str, ...], swapped: Sequence[Feature]) -> Assemble:
    native = frame.native()
    whole = isinstance(native, np.ndarray) and native.dtype == np.float64 and set(frame.names) == set(numbers)
    order = [numbers.index(name) for name in frame.names] if whole else []
    sorted_already = order == list(range(len(order)))

    def assemble(moved: Any, rows: Any) -> Any:
        if whole and not swapped:
            return moved if sorted_already else moved[:, order]  # the matrix is the user's own array already
        taken = frame.take(rows)
        columns = {name: moved[:, place] for place, name in enumerate(numbers)}
        for place, feature in enumerate(swapped, len(numbers)):
            columns |= feature.cells(taken, np.nan_to_num(moved[:, place], nan=-1.0).astype(np.int64))
        return taken.replaced(columns)

    return assemble
