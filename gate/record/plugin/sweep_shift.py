"""Demographic shifts of the rows of a sweep: what the model's measures become under another mix of groups."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

from gate.errors import UsageError
from gate.record.plugin.values import ValueRefusedError
from gate.schema.report import Metric

if TYPE_CHECKING:
    from gate.suites.perturbation.models import Answers
    from gate.suites.perturbation.tabular.frame import Frame
    from gate.suites.perturbation.tabular.shift import ShiftResult


def shifted(
    wanted: Sequence[str], frame: Frame, clean: Answers, truth: Sequence[object], threshold: float | None, where: str
) -> dict[str, ShiftResult]:
    """Each shift by its text. No row moves and the model is not asked again: its answers are weighed anew.

    Args:
        wanted: such as `sex=female:+0.1`; without a group (`member:+0.1`) that of 1, or of true.
        clean: of two classes; the second one counts as positive.
        truth: n true classes; rows without one, or without an answer, take no part.
        threshold: the degradation of a measure that fails; None to report only.

    Raises:
        UsageError: no two classes, no true one, an unknown column or group, a shift that can't be carried.
    """
    import numpy as np

    from gate.suites.perturbation.models.reading import label_text
    from gate.suites.perturbation.tabular import shift

    parsed = {text: shift.parse(text, where) for text in wanted}
    if not parsed:
        return {}
    if clean.kind == "values" or len(clean.labels) != 2:
        told = f"a shift needs a model of two classes, and this one has {len(clean.labels)}"
        raise UsageError(told, where=where, remedy="leave `shifts` out")
    known = np.array([each is not None for each in truth], dtype=bool) & clean.answered
    if not known.any():
        raise UsageError("a shift needs true classes, and y has none", where=where, remedy="give y")
    rows = np.flatnonzero(known)
    actual = [int(label_text(truth[row]) == clean.labels[1]) for row in rows.tolist()]
    predicted = (clean.predicted()[rows] == 1).astype(int)
    chance = clean.content[rows, 1] if clean.kind == "probabilities" else None
    found = {}
    for text, (attribute, level, points) in parsed.items():
        groups = _groups(frame, attribute, where)
        asked = shift.Shift(attribute, _level(level, groups, attribute, where), points)
        found[text] = shift.run(
            asked, [groups[row] for row in rows.tolist()], actual, predicted,
            probabilities=chance, threshold=threshold, where=f"{where}, {text}",
        )  # fmt: skip
    return found


def metrics_of(name: str, found: Mapping[str, ShiftResult], tolerance: float) -> list[Metric]:
    """How much worse each measure becomes under each shift; one that no row measures is left out."""
    return [
        Metric(f"{name}/shift {text}/{measure}", worse, "lower", result.threshold, tolerance=tolerance)
        for text, result in found.items()
        for measure, worse in result.degradation.items()
        if worse is not None
    ]


def _groups(frame: Frame, attribute: str, where: str) -> list[str | None]:
    """The group of each row as a text; a missing cell is a group of its own."""
    from gate.suites.perturbation.models.reading import label_text
    from gate.suites.perturbation.tabular.names import unknown

    if attribute not in frame.names:
        raise unknown("column", attribute, frame.names, where)
    cells = frame.values(attribute).tolist()
    return [None if cell is None or cell != cell else label_text(cell) for cell in cells]  # noqa: PLR0124  NaN


def _level(level: str | None, groups: Sequence[str | None], attribute: str, where: str) -> str:
    """The group whose share changes; messages name no other group, since a report may hold them."""
    chosen = next((text for text in ("1", "True") if text in groups), None) if level is None else level
    if chosen is None:
        remedy = f"name the group: `{attribute:.60}=GROUP:+0.1`"
        raise UsageError(f"the column {attribute!r:.60} has no 1 to shift", where=where, remedy=remedy)
    if chosen not in groups:
        told = f"the column {attribute!r:.60} has no group {chosen!r:.60}"
        raise ValueRefusedError(told, "a shift names a group without any row", where=where, remedy="name one with rows")
    return chosen
