"""What each column of a frame may hold, and which may be moved."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal

from gate.suites.perturbation.tabular.frame import Frame
from gate.suites.perturbation.tabular.relations import Relation

Kind = Literal["numeric", "integer", "boolean", "category", "ordered", "string", "date", "one-hot"]
Scale = Literal["sd", "mad"]


@dataclass(frozen=True, slots=True)
class Column:
    """What a column may hold.

    Attributes:
        kind: numeric and integer columns take noise; boolean, category, ordered and one-hot ones are swapped; strings
            and dates are left alone.
        low, high: the range of a number, observed or declared; infinite without any.
        step: the grid of a number, 1 for integers; 0 without any.
        scale: standard deviation or MAD of the finite cells; 0 when they don't vary or are no numbers.
        levels: observed levels of a category, in order.
        immutable: never moved.
        protected: never moved, because it tells of a protected attribute.
        group: the one-hot group that it belongs to, or "".
    """

    name: str
    kind: Kind
    low: float = float("-inf")
    high: float = float("inf")
    step: float = 0.0
    scale: float = 0.0
    levels: tuple[object, ...] = ()
    immutable: bool = False
    protected: bool = False
    group: str = ""


@dataclass(frozen=True, slots=True)
class Schema:
    """The columns in the frame's order, and what binds them together."""

    columns: tuple[Column, ...]
    relations: tuple[Relation, ...] = ()

    def perturbable(self) -> tuple[Column, ...]:
        """The columns that some perturbation may move: not protected, not immutable, no string, no date."""
        return tuple(
            column
            for column in self.columns
            if not (column.protected or column.immutable) and column.kind not in ("string", "date")
        )

    def movable(self) -> tuple[Column, ...]:
        """The perturbable numeric and integer columns that vary, which a ball moves."""
        return tuple(
            column for column in self.perturbable() if column.kind in ("numeric", "integer") and column.scale > 0
        )


def infer(
    frame: Frame,
    *,
    overrides: Mapping[str, Mapping[str, object]] | None = None,
    protected: Sequence[str] = (),
    target: str | None = None,
    scale: Scale = "sd",
    relations: Sequence[str] = (),
    where: str,
) -> Schema:
    """Read the schema from the frame."""
    import numpy as np

    columns = []
    for name in frame.names:
        kept = frame.storage(name)
        kind: Any = {"float": "numeric", "integer": "integer", "boolean": "boolean", "category": "category"}.get(
            kept.kind, "string"
        )
        low, high, spread = float("-inf"), float("inf"), 0.0
        if kept.numeric:
            numbers = frame.values(name)
            finite = numbers[np.isfinite(numbers)]
            if finite.size:
                low, high, spread = float(finite.min()), float(finite.max()), float(np.std(finite))
        step = 1.0 if kind == "integer" else 0.0
        columns.append(Column(name, kind, low, high, step, spread, protected=name in protected))
    return Schema(tuple(columns))
