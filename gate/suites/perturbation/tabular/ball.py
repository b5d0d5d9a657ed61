"""The L∞ ball around a row in units of scale, with the type, range and relations of each column."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from gate.suites.perturbation.tabular.schema import Column, Schema


class Ball:
    """What a row's numbers may become within ε.

    Args:
        schema: whose movable columns, in their order, are the d columns of the matrices.
        epsilon: largest move of a column in units of its scale.

    Attributes:
        columns: the d movable columns.
        radius: (d,) largest move in each column's own unit, ε × scale.
    """

    def __init__(self, schema: Schema, epsilon: float) -> None:
        import numpy as np

        self.schema = schema
        self.epsilon = float(epsilon)
        self.columns: tuple[Column, ...] = schema.movable()
        self.radius = self.epsilon * np.array([column.scale for column in self.columns])
        self._low = np.array([column.low for column in self.columns])
        self._high = np.array([column.high for column in self.columns])
        self._step = np.array([column.step for column in self.columns])

    def project(self, clean: Any, moved: Any, fixed: Mapping[str, Any] | None = None) -> Any:
        """(k, d) the nearest admissible values.

        Args:
            clean: (k, d) values before, in the columns' own units, NaN where missing.
            moved: (k, d) values that were asked for, in the columns' own units.
            fixed: by name (k,) values of columns outside the matrix, which relations need.
        """
        import numpy as np

        low = np.maximum(clean - self.radius, np.minimum(self._low, clean))
        high = np.minimum(clean + self.radius, np.maximum(self._high, clean))
        inside = np.clip(moved, low, high)
        grid = np.flatnonzero(self._step)
        step = self._step[grid]
        steps = np.rint((inside[:, grid] - clean[:, grid]) / step)
        steps = np.clip(
            steps,
            np.ceil((low[:, grid] - clean[:, grid]) / step),
            np.floor((high[:, grid] - clean[:, grid]) / step),
        )
        inside[:, grid] = clean[:, grid] + steps * step
        return np.where(np.isfinite(clean), inside, clean)
