"""Features as a model's author thinks of them: a column, or a whole one-hot group."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from gate.suites.perturbation.tabular.frame import Frame
from gate.suites.perturbation.tabular.schema import Column


@dataclass(frozen=True, slots=True)
class Feature:
    """One feature.

    Attributes:
        key: that keys its draws.
        columns: one, or those of a one-hot group.
    """

    key: str
    columns: tuple[Column, ...]

    @property
    def levels(self) -> tuple[object, ...]:
        """The observed levels."""
        return self.columns[0].levels

    @property
    def ordered(self) -> bool:
        """Whether neighbours in `levels` are alike."""
        return self.columns[0].kind == "ordered"

    @property
    def neutral(self) -> object:
        """What stands for it when it drops out."""
        return self.columns[0].neutral

    def codes(self, frame: Frame) -> Any:
        """(rows,) places in `levels`; -1 where a cell is missing or of another level."""
        import numpy as np

        place = {level: index for index, level in enumerate(self.levels)}
        if not self.columns[0].group:
            return np.array([place.get(cell, -1) for cell in frame.values(self.columns[0].name).tolist()], dtype=int)
        cells = {column.name: frame.values(column.name) for column in self.columns}
        total: Any = sum(cells.values())
        found = np.where(total == 0, place.get("", -1), -1)
        for name, numbers in cells.items():
            found[(numbers == 1) & (total == 1)] = place.get(name, -1)
        return found

    def cells(self, frame: Frame, codes: Any) -> dict[str, Any]:
        """By column the cells of these levels; where a code is -1 they stay as they are."""
        import numpy as np

        if not self.columns[0].group:
            clean = frame.values(self.columns[0].name)
            lookup = np.empty(len(self.levels), dtype=clean.dtype)
            for index, level in enumerate(self.levels):
                lookup[index] = level
            return {self.columns[0].name: np.where(codes >= 0, lookup[codes], clean)}
        on = np.array([*self.levels, None], dtype=object)[codes]
        return {
            column.name: np.where(codes >= 0, (on == column.name).astype(float), frame.values(column.name))
            for column in self.columns
        }


def features(columns: Sequence[Column]) -> list[Feature]:
    """The columns as features, in their order."""
    groups: dict[str, list[Column]] = {}
    for column in columns:
        groups.setdefault(f"one-hot group {column.group}" if column.group else f"{column.name}", []).append(column)
    return [Feature(key, tuple(members)) for key, members in groups.items()]
