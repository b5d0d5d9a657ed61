"""Answers as lists of named scores, as text classifiers and ONNX files give them, turned into a matrix."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from gate.errors import UsageError


def is_scored(raw: Any) -> bool:
    """Whether each row is a mapping, or a list of mappings."""
    if not isinstance(raw, list | tuple) or not raw:
        return False
    first = raw[0]
    if isinstance(first, list | tuple) and first:
        first = first[0]
    return isinstance(first, Mapping)


def best_only(raw: Sequence[Any]) -> bool:
    """Whether each row names one label with its score, `{"label": …, "score": …}`, and no others."""
    return all(
        set(row) >= {"label", "score"} if isinstance(row, Mapping) else isinstance(row, list | tuple) and len(row) == 1
        for row in raw
    )


def best_labels(raw: Sequence[Any]) -> list[str]:
    """The label of each row."""
    return [str((row if isinstance(row, Mapping) else row[0])["label"]) for row in raw]


def matrix(raw: Sequence[Any], labels: tuple[str, ...], where: str) -> tuple[Any, tuple[str, ...]]:
    """(m, classes) probabilities and the classes, in the order of `labels`, else sorted.

    Args:
        raw: a row is `{label: probability}` or `[{"label": label, "score": probability}, …]`.

    Raises:
        UsageError: a row lacks a class or has another one.
    """
    import numpy as np

    rows = [_row(row, where) for row in raw]
    names = labels or tuple(sorted(rows[0]))
    for place, row in enumerate(rows):
        if set(row) != set(names):
            other = sorted(set(row) ^ set(names))[0]
            raise UsageError(
                f"the scores of row {place} differ from the classes in {other!r:.60}",
                where=where,
                remedy="return a score for every class (top_k=None of a text-classification pipeline)",
            )
    return np.array([[row[name] for name in names] for row in rows], dtype=np.float64), names


def _row(row: Any, where: str) -> dict[str, float]:
    try:
        if isinstance(row, Mapping):
            return {str(name): float(score) for name, score in row.items()}
        return {str(entry["label"]): float(entry["score"]) for entry in row}
    except (TypeError, ValueError, KeyError) as error:
        raise UsageError(
            f"the model gave scores that can't be read: {type(error).__name__}: {error}",
            where=where,
            remedy="return {label: probability} for each row",
        ) from error
