"""Swaps among observed levels: of categories, booleans and one-hot groups."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from gate.suites.perturbation.tabular.draws import Seed, chosen, uniforms
from gate.suites.perturbation.tabular.features import Feature, features
from gate.suites.perturbation.tabular.frame import Frame
from gate.suites.perturbation.tabular.operators.operator import Operator
from gate.suites.perturbation.tabular.schema import Column, Schema


def _swappable(schema: Schema) -> tuple[Column, ...]:
    kinds = ("category", "ordered", "boolean", "one-hot")
    return tuple(column for column in schema.perturbable() if column.kind in kinds and len(column.levels) > 1)


def _swapped(frame: Frame, schema: Schema, columns: Sequence[Column], strength: float, seed: Seed) -> dict[str, Any]:
    """Give at most k features of each row another observed level."""
    import numpy as np

    del schema
    found = features(columns)
    codes = np.stack([feature.codes(frame) for feature in found], axis=1)
    names = [feature.key for feature in found]
    picked = chosen(seed, strength, names, CATEGORY_SWAP.name, codes >= 0, int(strength))
    moved: dict[str, Any] = {}
    for place, feature in enumerate(found):
        (draw,) = uniforms(seed, strength, feature.key, CATEGORY_SWAP.name, frame.rows)
        other = _another(codes[:, place], draw, feature)
        moved |= feature.cells(frame, np.where(picked[:, place], other, codes[:, place]))
    return moved


def _another(codes: Any, draw: Any, feature: Feature) -> Any:
    """(rows,) another level: a neighbour of an ordered one, else any other, each equally likely."""
    import numpy as np

    count = len(feature.levels)
    if feature.ordered:
        down = ((draw < 0.5) & (codes > 0)) | (codes == count - 1)
        return np.where(down, codes - 1, codes + 1)
    return (codes + 1 + np.floor(draw * (count - 1)).astype(int)) % count


CATEGORY_SWAP = Operator(
    "category-swap", "count", "at most k features of each row given another observed level", _swappable, _swapped
)
