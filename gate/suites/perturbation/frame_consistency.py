"""How alike the answers to alike rows of a frame are."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

from gate.suites.perturbation.measures.consistency import Consistency, consistency, sampled
from gate.suites.perturbation.models import Answers
from gate.suites.perturbation.tabular.frame import Frame
from gate.suites.perturbation.tabular.schema import Schema


def consistency_of(
    frame: Frame, schema: Schema, clean: Answers, unit: float | None, seed: int, where: str
) -> Consistency | None:
    """Over the unprotected columns; None where fewer than two rows have all their cells.

    Args:
        clean: the answers to the rows as they are.
        unit: for values the target's standard deviation.
    """
    import numpy as np

    free = [column for column in schema.columns if not column.protected]
    numbers = [column for column in free if column.kind in ("numeric", "integer")]
    scaled = [column for column in numbers if column.scale]
    whole = clean.answered
    for column in scaled:
        whole &= np.isfinite(frame.values(column.name))
    rows = np.flatnonzero(whole)
    if len(rows) < 2:
        return None
    chosen = rows[sampled(len(rows), seed)]
    matrix = _columns(len(chosen), [frame.values(column.name)[chosen] / column.scale for column in scaled])
    codes = _columns(
        len(chosen), [_codes(frame.values(column.name)[chosen]) for column in free if column not in numbers]
    )
    clean = clean.take(chosen)
    answers = clean.content if clean.kind == "probabilities" else clean.content.astype(float)[:, None]
    if clean.kind == "labels":
        answers = np.eye(len(clean.labels))[np.maximum(clean.content, 0)]
    elif unit is not None:
        answers = answers / unit
    return replace(consistency(matrix, answers, codes, seed=seed, where=where), of_rows=len(rows))


def _columns(rows: int, columns: Sequence[Any]) -> Any:
    """(rows, columns) float64, also of no column."""
    import numpy as np

    return np.column_stack([np.zeros((rows, 0)), *columns])


def _codes(cells: Any) -> Any:
    """(n,) the same number for the same cell."""
    import numpy as np

    return np.unique([str(cell) for cell in cells.tolist()], return_inverse=True)[1]
