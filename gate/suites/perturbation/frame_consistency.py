"""How alike the answers to alike rows of a frame are."""

from __future__ import annotations

from typing import Any

from gate.suites.perturbation.measures.consistency import Consistency, consistency
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
    matrix = np.column_stack(
        [np.zeros((frame.rows, 0)), *(frame.values(column.name) / column.scale for column in numbers if column.scale)]
    )
    codes = np.column_stack(
        [np.zeros((frame.rows, 0)), *(_codes(frame.values(column.name)) for column in free if column not in numbers)]
    )
    answers = clean.content if clean.kind == "probabilities" else clean.content.astype(float)[:, None]
    if clean.kind == "labels":
        answers = np.eye(len(clean.labels))[np.maximum(clean.content, 0)]
    elif unit is not None:
        answers = answers / unit
    whole = np.isfinite(matrix).all(axis=1) & clean.answered
    if whole.sum() < 2:
        return None
    return consistency(matrix[whole], answers[whole], codes[whole], seed=seed, where=where)


def _codes(cells: Any) -> Any:
    """(n,) the same number for the same cell."""
    import numpy as np

    return np.unique([str(cell) for cell in cells.tolist()], return_inverse=True)[1]
