"""Where a row may be moved to: a matrix of its movable columns, their scale, and what brings a point back inside."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from gate.errors import UsageError

Project = Callable[[Any, Any, float, Any], Any]
"""(clean (k, d), moved (k, d), ε, rows (k,)) -> (k, d) the nearest admissible points."""


@dataclass(frozen=True, slots=True, eq=False)
class Space:
    """n rows of d movable columns.

    Attributes:
        names: of the columns.
        clean: (n, d) float64 in the columns' own units; a column that is swapped holds the place of its level.
            NaN is missing and is never moved.
        scale: (d,) the unit of ε of each column; 0 for a column that is swapped.
        project: type, range and relations: numbers are brought within ε × scale of the clean ones.
        levels: (d,) how many levels a column that is swapped has; 0 for numbers.
        swaps: how many columns may be swapped at once in a row (Hamming distance).
        keys: names of the rows, each once, to which their random draws belong.
        separable: whether `project` treats each column by itself, so that a move of one changes no other.

    Raises:
        UsageError: sizes that do not fit.
    """

    names: tuple[str, ...]
    clean: Any
    scale: Any
    project: Project
    keys: Sequence[object]
    levels: Any = None
    swaps: int = 0
    separable: bool = False

    def __post_init__(self) -> None:
        if self.levels is None:
            object.__setattr__(self, "levels", np.zeros(len(self.names), dtype=np.int64))
        rows, columns = self.clean.shape
        if not len(self.names) == len(self.scale) == len(self.levels) == columns or len(self.keys) != rows:
            raise UsageError(
                f"{rows} rows of {columns} columns do not fit {len(self.keys)} keys and {len(self.names)} names",
                remedy="give one key a row, and one name, scale and count of levels a column",
            )

    @property
    def swapped(self) -> Any:
        """(d,) bool: columns that hold levels."""
        return self.levels > 0

    def inside(self, rows: Any, moved: Any, epsilon: float) -> Any:
        """(k, d) `moved` brought back: numbers by `project`, swaps beyond the budget undone from the last column on."""
        clean = self.clean[rows]
        found = self.project(clean, moved, epsilon, rows)
        if self.swapped.any():
            missing = self.swapped & np.isnan(clean)
            changed = (found != clean) & self.swapped & ~missing
            beyond = changed & (np.cumsum(changed, axis=1) > self.swaps)
            found = np.where(beyond | missing, clean, found)
        return found

    def size(self, rows: Any, moved: Any) -> Any:
        """(k,) largest move of a number in units of its scale; swaps count in the Hamming budget alone."""
        numbers = ~self.swapped & (self.scale > 0)
        if not numbers.any():
            return np.zeros(len(rows))
        far = np.abs(moved[:, numbers] - self.clean[rows][:, numbers]) / self.scale[numbers]
        return np.nan_to_num(far, nan=0.0).max(axis=1)


def box(low: Any, high: Any, scale: Any, step: Any = None) -> Project:
    """A projection on the ball and a range, for plain matrices.

    Args:
        low, high: (d,) the range; a clean value outside it is kept.
        scale: (d,) the unit of ε.
        step: (d,) the grid of a number, counted from its clean value; 0 for none.
    """
    grid = np.zeros(len(scale)) if step is None else np.asarray(step, dtype=float)

    def project(clean: Any, moved: Any, epsilon: float, rows: Any) -> Any:
        radius = epsilon * scale
        least = np.maximum(clean - radius, np.minimum(low, clean))
        most = np.minimum(clean + radius, np.maximum(high, clean))
        found = np.clip(moved, least, most)
        for place in np.flatnonzero(grid):
            size, base = grid[place], clean[:, place]
            steps = np.rint((found[:, place] - base) / size)
            least_steps = np.ceil((least[:, place] - base) / size - 1e-9)
            most_steps = np.floor((most[:, place] - base) / size + 1e-9)
            found[:, place] = base + np.clip(steps, least_steps, most_steps) * size
        return np.where(np.isnan(clean), clean, found)

    return project
