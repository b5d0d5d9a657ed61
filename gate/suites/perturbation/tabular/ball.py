"""The L∞ ball around a row in units of scale, with the type, range and relations of each column."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from gate.errors import UsageError
from gate.suites.perturbation.tabular.repair import Room, repaired
from gate.suites.perturbation.tabular.schema import Column, Schema


class Ball:
    """What a row's numbers may become within ε.

    Args:
        schema: whose movable columns, in their order, are the d columns of the matrices.
        epsilon: largest move of a column in units of its scale, above 0; infinite for range and type alone.

    Attributes:
        columns: the d movable columns.
        radius: (d,) largest move in each column's own unit, ε × scale.
    """

    def __init__(self, schema: Schema, epsilon: float) -> None:
        import numpy as np

        if not epsilon > 0:
            raise ValueError(f"ε = {epsilon!r} is not above 0")
        self.schema = schema
        self.epsilon = float(epsilon)
        self.columns: tuple[Column, ...] = schema.movable()
        self.radius = np.array([self.epsilon * column.scale for column in self.columns])
        self._low = np.array([column.low for column in self.columns])
        self._high = np.array([column.high for column in self.columns])
        names = {column.name for column in self.columns}
        self._relations = [relation for relation in schema.relations if names & set(relation.names)]

    @property
    def fixed(self) -> tuple[str, ...]:
        """Names of the columns outside the matrix that relations bind to one inside it."""
        inside = {column.name for column in self.columns}
        bound = dict.fromkeys(name for relation in self._relations for name in relation.names)
        return tuple(name for name in bound if name not in inside)

    def bounds(self, clean: Any) -> tuple[Any, Any]:
        """(k, d) lowest and highest admissible values; a clean value beyond the range may only move inward."""
        import numpy as np

        low = np.maximum(clean - self.radius, np.minimum(self._low, clean))
        high = np.minimum(clean + self.radius, np.maximum(self._high, clean))
        return low, high

    def project(self, clean: Any, moved: Any, fixed: Mapping[str, Any] | None = None) -> Any:
        """(k, d) admissible values near those that were asked for: within ε × scale and the range, on the grid.

        A cell that is missing or infinite before, or missing after, keeps its clean value. A row of which a relation
        can't be repaired keeps the clean values of the columns that it binds.

        Args:
            clean: (k, d) values before, in the columns' own units, NaN where missing.
            moved: (k, d) values that were asked for, in the columns' own units.
            fixed: by name (k,) values of the columns that `self.fixed` names.

        Raises:
            UsageError: a column of `self.fixed` is not given.
        """
        import numpy as np

        given = np.asarray(clean, dtype=float)
        clean = np.where(np.isinf(given), np.nan, given)
        low, high = self.bounds(clean)
        rooms = self._rooms(clean, low, high)
        inside = np.clip(moved, low, high)
        for place, column in enumerate(self.columns):
            if column.step:
                inside[:, place] = rooms[column.name].nearest(inside[:, place])
        inside = np.where(np.isfinite(inside), inside, clean)
        if not self._relations:
            return np.where(np.isinf(given), given, inside)
        for name in self.fixed:
            if fixed is None or name not in fixed:
                raise UsageError(f"a relation needs the column {name!r:.60}", remedy="give its cells in `fixed`")
            cells = np.where(np.isfinite(fixed[name]), fixed[name], np.nan)
            rooms[name] = Room(cells, cells, cells, 0.0)
        columns = {column.name: inside[:, place] for place, column in enumerate(self.columns)}
        columns = repaired(self._relations, rooms, columns)
        together = np.column_stack([columns[column.name] for column in self.columns])
        return np.where(np.isinf(given), given, together)

    def holds(self, clean: Any, moved: Any, fixed: Mapping[str, Any] | None = None) -> Any:
        """(k,) bool: whether a row is as `project` leaves it, to one part in 10⁹ of its cells."""
        import numpy as np

        admissible = self.project(clean, moved, fixed)
        near = np.isclose(admissible, moved, rtol=1e-9, atol=0) | (np.isnan(admissible) & np.isnan(moved))
        return near.all(axis=1)

    def _rooms(self, clean: Any, low: Any, high: Any) -> dict[str, Room]:
        return {
            column.name: Room(clean[:, place], low[:, place], high[:, place], column.step)
            for place, column in enumerate(self.columns)
        }
