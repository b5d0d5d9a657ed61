"""What every operator says of itself."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

from gate.suites.perturbation.tabular.draws import Seed
from gate.suites.perturbation.tabular.frame import Frame
from gate.suites.perturbation.tabular.schema import Column, Schema
from gate.suites.perturbation.tabular.strengths import Unit


@dataclass(frozen=True, slots=True)
class Operator:
    """A perturbation of a frame's columns.

    Attributes:
        name: that keys its draws and stands in reports.
        unit: what its strength is a number of.
        does: one line that says what is done at strength ε.
        columns: of a schema, those that it may move.
        moved: (frame, schema, columns, strength, seed) -> by name the values that are asked for; they are brought to
            type, range and relations afterwards. The frame may be a part of the rows, with a seed that goes on.
    """

    name: str
    unit: Unit
    does: str
    columns: Callable[[Schema], tuple[Column, ...]]
    moved: Callable[[Frame, Schema, Sequence[Column], float, Seed], dict[str, Any]]
