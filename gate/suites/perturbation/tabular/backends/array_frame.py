"""NumPy arrays and lists of rows."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from gate.errors import UsageError
from gate.suites.perturbation.tabular import cells
from gate.suites.perturbation.tabular.frame import Frame, Storage, checked_names, checked_rows


class ArrayFrame(Frame):
    """An (n, features) array; an object array's columns are told apart by their cells."""

    def __init__(self, inputs: Any, where: str, feature_names: Sequence[str] | None = None) -> None:
        self._where = where
        self._array = _array(inputs, where)
        self.rows = checked_rows(len(self._array), where)
        self.names = checked_names(tuple(range(self._array.shape[1])), feature_names, where)
        self._places = {name: place for place, name in enumerate(self.names)}
        self._row_names: tuple[object, ...] | None = None
        self._read: dict[str, Any] = {}

    @property
    def row_names(self) -> tuple[object, ...]:
        return tuple(range(self.rows)) if self._row_names is None else self._row_names

    def storage(self, name: str) -> Storage:
        import numpy as np

        dtype = self._array.dtype
        if dtype.kind == "O":
            return cells.storage(self._array[:, self._places[name]])
        if dtype.kind in "iu":
            limits = np.iinfo(dtype)
            return Storage("integer", nullable=False, low=float(limits.min), high=float(limits.max))
        kinds: dict[str, Any] = {"f": "float", "b": "boolean", "U": "string", "S": "string", "M": "date", "m": "date"}
        return Storage(kinds[dtype.kind], nullable=dtype.kind == "f")

    def values(self, name: str) -> Any:
        found = self._read.get(name)
        if found is None:
            found = self._values(name)
            found.flags.writeable = False
            self._read[name] = found
        return found

    def _values(self, name: str) -> Any:
        import numpy as np

        column = self._array[:, self._places[name]]
        kind = self.storage(name)
        if self._array.dtype.kind == "O":
            return cells.as_numbers(column) if kind.numeric else cells.as_objects(column)
        return np.array(column, dtype=float) if kind.numeric else cells.as_objects(column)

    def replaced(self, columns: Mapping[str, Any]) -> Any:
        import numpy as np

        array = np.array(self._array)
        for name, new in columns.items():
            changed = cells.differs(self.values(name), new)
            if changed.any():
                array[changed, self._places[name]] = new[changed]
        return array

    def native(self) -> Any:
        return self._array.copy()

    def take(self, rows: Any) -> Frame:
        taken = ArrayFrame(self._array[rows], self._where, self.names)
        names = self.row_names
        taken._row_names = tuple(names[row] for row in rows)
        return taken


def _array(inputs: Any, where: str) -> Any:
    """(n, features) array of what was given."""
    import numpy as np

    remedy = "give a dense array of the shape (n, features) or a data frame"
    array = np.asarray(inputs)
    if array.ndim != 2:
        raise UsageError(f"X has {array.ndim} dimensions, not rows and columns", where=where, remedy=remedy)
    return array
