"""What a model answers, as (n, classes) probabilities with NaN where it gave none."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from typing import Any

from gate.errors import UsageError
from gate.schema.symbols import UNKNOWN, score_symbol

_ROUNDING = 1e-5


def ask(predict_proba: Callable[[Any], Any], inputs: Any, rows: int, where: str) -> Any:
    """(n, classes) probabilities; (n,) and (n, 1) are those of the second of two classes.

    What the model raises is passed on with a note that says where.

    Raises:
        UsageError: no numbers, another count of rows, or a number outside 0 to 1.
    """
    import numpy as np

    try:
        answer = predict_proba(inputs)
    except Exception as error:
        error.add_note(f"{where}: raised by predict_proba")
        raise
    try:
        found = np.asarray(answer, dtype=float)
    except (TypeError, ValueError, RuntimeError) as error:
        raise UsageError(
            f"predict_proba gave no array of numbers: {error}", where=where, remedy="return (n, classes) numbers"
        ) from error
    if found.ndim == 1 or (found.ndim == 2 and found.shape[1] == 1):
        found = np.column_stack([1 - found.ravel(), found.ravel()])
    if found.ndim != 2 or found.shape[0] != rows:
        raise UsageError(
            f"predict_proba gave the shape {np.shape(answer)}, expected ({rows}, classes) or ({rows},)",
            where=where,
            remedy="return one row of probabilities for each row of X",
        )
    if not (np.isnan(found) | ((found >= -_ROUNDING) & (found <= 1 + _ROUNDING))).all():
        raise UsageError(
            "predict_proba gave a number outside 0 to 1", where=where, remedy="give probabilities, not raw scores"
        )
    return np.clip(found, 0, 1)


def classes_for(
    columns: int, labels: Sequence[str] | None, truth: Sequence[str | None], *, numeric: bool, where: str
) -> tuple[str, ...]:
    """The classes in the order of the probabilities' columns.

    Args:
        labels: as the caller knows them; None for the sorted classes of the truth.
        numeric: whether classes are whole numbers: they are sorted by value, and where the truth lacks some they are
            0, 1, … up to the number of columns.

    Raises:
        UsageError: a class stands twice, their number is not that of the columns, or the truth holds another class.
    """
    known = {name for name in truth if name is not None}
    if labels is not None:
        found = tuple(labels)
        if len(set(found)) < len(found):
            raise UsageError("a class stands twice in `labels`", where=where, remedy="list every class once")
    elif numeric:
        counted = tuple(str(place) for place in range(columns))
        found = tuple(sorted(known, key=int))
        found = counted if len(found) != columns and known <= set(counted) else found
    else:
        found = tuple(sorted(known))
    if len(found) != columns:
        raise UsageError(
            f"predict_proba gave {columns} columns for {len(found)} classes ({', '.join(found[:5])})",
            where=where,
            remedy="give `labels`, one for each column of the probabilities",
        )
    unknown = sorted(known - set(found))
    if unknown:
        raise UsageError(f"`labels` lacks the class {unknown[0]!r:.60} of y", where=where, remedy="list every class")
    return found


def best(probabilities: Any) -> list[int]:
    """Index of the most likely class (the first of equals), -1 where the model gave no number."""
    import numpy as np

    missing = np.isnan(probabilities).any(axis=1)
    chosen = np.argmax(np.nan_to_num(probabilities, nan=-1.0), axis=1)
    found: list[int] = np.where(missing, -1, chosen).tolist()
    return found


def scores(probabilities: Any) -> str:
    """One character an example: probability of its predicted class."""
    import numpy as np

    highest = np.max(probabilities, axis=1).tolist()
    return "".join(UNKNOWN if math.isnan(score) else score_symbol(score) for score in highest)
