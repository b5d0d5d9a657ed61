"""pandas data frames."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from gate.suites.perturbation.tabular import cells
from gate.suites.perturbation.tabular.frame import Frame, Storage, checked_names, checked_rows


class PandasFrame(Frame):
    """A pandas data frame, with nullable, categorical and Arrow dtypes."""

    def __init__(self, inputs: Any, where: str, feature_names: Sequence[str] | None = None) -> None:
        self._where = where
        self._frame = inputs
        self.rows = checked_rows(len(inputs), where)
        self.names = checked_names(list(inputs.columns), feature_names, where)
        self._places = {name: place for place, name in enumerate(self.names)}
        self._read: dict[str, Any] = {}

    @property
    def row_names(self) -> tuple[object, ...]:
        return tuple(self._frame.index)

    def storage(self, name: str) -> Storage:
        import numpy as np

        column = self._frame.iloc[:, self._places[name]]
        dtype = column.dtype
        kind = getattr(dtype, "kind", "O")
        nullable = not isinstance(dtype, np.dtype) or kind not in "iub"
        if hasattr(dtype, "categories"):
            return Storage("category", nullable=True, levels=tuple(dtype.categories), ordered=bool(dtype.ordered))
        if kind in "iu":
            return Storage("integer", nullable=nullable)
        if kind in "fb":
            return Storage("float" if kind == "f" else "boolean", nullable=nullable)
        if kind in "Mm":
            return Storage("date", nullable=True)
        return cells.storage(column.to_numpy(dtype=object))

    def values(self, name: str) -> Any:
        found = self._read.get(name)
        if found is None:
            found = self._values(name).view()
            found.flags.writeable = False
            self._read[name] = found
        return found

    def _values(self, name: str) -> Any:
        import numpy as np

        column = self._frame.iloc[:, self._places[name]]
        if self.storage(name).numeric:
            if column.dtype == object:
                return cells.as_numbers(column.to_numpy())
            return column.to_numpy(dtype=float, na_value=np.nan)
        return cells.as_objects(column.astype(object).to_numpy())

    def replaced(self, columns: Mapping[str, Any]) -> Any:
        frame = self._frame.copy()
        for name, new in columns.items():
            changed = cells.differs(self.values(name), new)
            if changed.any():
                column = frame.iloc[:, self._places[name]].copy()
                column[changed] = new[changed]
                frame.isetitem(self._places[name], column)
        return frame

    def native(self) -> Any:
        return self._frame.copy()

    def take(self, rows: Any) -> Frame:
        return PandasFrame(self._frame.iloc[rows], self._where, self.names)
