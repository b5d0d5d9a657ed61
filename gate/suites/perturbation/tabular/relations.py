"""Linear relations between columns, such as `a <= b` or `a + b == c`."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal


@dataclass(frozen=True, slots=True)
class Relation:
    """Σ weight · column, compared with a bound.

    Attributes:
        text: as the user wrote it.
        weights: by column name, none of them 0.
        sign: how the sum compares with the bound.
    """

    text: str
    weights: tuple[tuple[str, float], ...]
    sign: Literal["<=", "<", "=="]
    bound: float
