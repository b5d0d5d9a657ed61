"""NumPy arrays and lists of rows."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from gate.errors import UsageError
from gate.suites.perturbation.tabular import cells
from gate.suites.perturbation.tabular.frame import Frame, Storage

BLOCK = 20_008
"""Rows that are made and written at a time, so that they stay in the processor's cache; no power of two, at whose
multiples columns would take each other's place there."""

_READ = 1_024
"""Rows that are read at a time."""

_KINDS: dict[str, Any] = {"f": "float", "b": "boolean", "U": "string", "S": "string", "M": "date", "m": "date"}


class ArrayFrame(Frame):
    """An (n, features) array; an object array's columns are told apart by their cells."""

    def __init__(self, inputs: Any, where: str, feature_names: Sequence[str] | None = None) -> None:
        self._array = _array(inputs, where)
        super().__init__(len(self._array), range(self._array.shape[1]), feature_names, where)
        self._positions: Any = None

    @property
    def row_names(self) -> tuple[object, ...]:
        return tuple(range(self.rows) if self._positions is None else self._positions.tolist())

    @property
    def name_order(self) -> Any:
        return None if self._positions is None else super().name_order

    def own(self) -> Any:
        return self._array

    def native(self) -> Any:
        return self._array.copy(order="K")

    def take(self, rows: Any) -> Frame:
        import numpy as np

        taken = ArrayFrame(self._array[rows], self._where, self.names)
        taken._positions = np.asarray(rows) if self._positions is None else self._positions[rows]
        return taken

    def _span(self, start: int, stop: int) -> Frame:
        return ArrayFrame(self._array[start:stop], self._where, self.names)

    def _storage(self, name: str) -> Storage:
        import numpy as np

        dtype = self._array.dtype
        if dtype.kind == "O":
            return cells.storage(self._array[:, self._places[name]])
        if dtype.kind in "iu":
            limits = np.iinfo(dtype)
            return Storage("integer", nullable=False, low=float(limits.min), high=float(limits.max), plain=True)
        return Storage(_KINDS[dtype.kind], nullable=dtype.kind == "f", plain=dtype.kind == "f" and dtype.itemsize <= 8)

    def _values(self, name: str) -> Any:
        import numpy as np

        column = self._array[:, self._places[name]]
        if not self.storage(name).numeric:
            return cells.as_objects(column.astype(object))
        if column.dtype == float and not self._array.flags.f_contiguous and len(column) > BLOCK:
            self._read_all()
            return self._read[name]
        return cells.as_numbers(column) if column.dtype == object else np.ascontiguousarray(column, dtype=float)

    def _read_all(self) -> None:
        """Read all columns block of rows by block of rows: one by one, each would read the whole array."""
        import numpy as np

        columns = np.empty(self._array.shape[::-1])
        for start in range(0, self.rows, _READ):
            columns[:, start : start + _READ] = self._array[start : start + _READ].T
        columns.flags.writeable = False
        self._read.update(zip(self.names, columns, strict=True))

    def _rebuilt(self, columns: Mapping[str, Any]) -> Any:
        import numpy as np

        plain = {self._places[name]: new for name, new in columns.items() if self._exact(name, new)}
        array = np.empty_like(self._array) if len(plain) == len(self.names) else self._array.copy(order="K")
        for name, new in columns.items():
            if self._places[name] not in plain:
                self._write(array, name, cells.whole(new, self.rows))
        if plain:
            _stream(array, plain)
        return array

    def _write(self, array: Any, name: str, new: Any) -> None:
        """Write the cells that differ, each as the kind of value that the column holds."""
        kept = self.storage(name)
        differs = cells.changed(name, kept, self.values(name), new, self._where)
        if not differs.any():
            return
        place = self._places[name]
        told = cells.native(kept, new[differs])
        if array.dtype == object:
            missing = next((cell for cell in self._array[:, place] if cells.is_missing(cell)), None)
            told = cells.filled([missing if cell is None else cell for cell in told])
        array[differs, place] = told


def _stream(array: Any, columns: Mapping[int, Any]) -> None:
    """Write whole numeric columns, block of rows by block of rows unless columns lie in one piece."""
    import numpy as np

    straight = array.dtype == float and array.flags.f_contiguous
    sources = {place: columns[place] for place in sorted(columns) if hasattr(columns[place], "write")}
    for place, new in columns.items():
        if place not in sources:
            array[:, place] = new
        elif straight:
            new.write(array[:, place])
    if straight or not sources:
        return
    buffer = np.empty((len(sources), min(BLOCK, len(array))))
    for start in range(0, len(array), BLOCK):
        part = array[start : start + BLOCK]
        for row, new in enumerate(sources.values()):
            new.write(buffer[row, : len(part)])
        made = buffer[:, : len(part)]
        if len(sources) == array.shape[1]:
            part[...] = made.T
        else:
            for row, place in enumerate(sources):
                part[:, place] = made[row]


def _array(inputs: Any, where: str) -> Any:
    """(n, features) array of what was given; rows that mix texts and numbers keep both.

    Raises:
        UsageError: rows of several lengths, other than two dimensions, or complex numbers.
    """
    import numpy as np

    remedy = "give a dense array of the shape (n, features) or a data frame"
    try:
        array = np.asarray(inputs)
    except ValueError as error:
        raise UsageError(
            "X has rows of several lengths, or cells that are lists", where=where, remedy=remedy
        ) from error
    if isinstance(inputs, (list, tuple)) and array.dtype.kind in "US":
        array = np.array(inputs, dtype=object)
    if array.ndim != 2:
        raise UsageError(f"X has {array.ndim} dimensions, not rows and columns", where=where, remedy=remedy)
    if array.dtype.kind not in (*_KINDS, "i", "u", "O"):
        raise UsageError(f"X holds cells of the dtype {array.dtype!s:.40}", where=where, remedy="give real numbers")
    return array
