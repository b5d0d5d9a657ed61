"""pandas data frames, with nullable, categorical, sparse and Arrow dtypes."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from gate.suites.perturbation.tabular import cells
from gate.suites.perturbation.tabular.backends import arrow_types
from gate.suites.perturbation.tabular.frame import Frame, Storage

_FIXED = ("DatetimeTZDtype", "PeriodDtype", "IntervalDtype")


class PandasFrame(Frame):
    """A pandas data frame."""

    def __init__(self, inputs: Any, where: str, feature_names: Sequence[str] | None = None) -> None:
        self._frame = inputs
        self._types = list(inputs.dtypes)
        super().__init__(len(inputs), list(inputs.columns), feature_names, where)

    @property
    def row_names(self) -> tuple[object, ...]:
        return tuple(self._frame.index)

    @property
    def name_order(self) -> Any:
        import pandas as pd

        index = self._frame.index
        ascending = isinstance(index, pd.RangeIndex) and index.step > 0  # its names need not be made to know that
        return None if ascending else super().name_order

    def own(self) -> Any:
        return self._frame

    def native(self) -> Any:
        return self._frame.copy()

    def take(self, rows: Any) -> Frame:
        return PandasFrame(self._frame.iloc[rows], self._where, self.names)

    def _span(self, start: int, stop: int) -> Frame:
        return PandasFrame(self._frame.iloc[start:stop], self._where, self.names)

    def _column(self, name: str) -> Any:
        return self._frame.iloc[:, self._places[name]]

    def _storage(self, name: str) -> Storage:
        import numpy as np

        column = self._column(name)
        dtype = column.dtype
        if hasattr(dtype, "pyarrow_dtype"):
            return arrow_types.storage(dtype.pyarrow_dtype)
        if hasattr(dtype, "categories"):
            return Storage("category", nullable=True, levels=tuple(dtype.categories), ordered=bool(dtype.ordered))
        numpy_dtype = isinstance(dtype, np.dtype)
        sparse = type(dtype).__name__ == "SparseDtype"
        kind = getattr(dtype, "kind", "O")
        if kind in "iu":
            bits = 8 * int(np.dtype(dtype.type).itemsize)
            low, high = (0, 2**bits - 1) if kind == "u" else (-(2 ** (bits - 1)), 2 ** (bits - 1) - 1)
            return Storage("integer", not (numpy_dtype or sparse), low=float(low), high=float(high), plain=numpy_dtype)
        if kind == "f":
            return Storage("float", nullable=True, plain=numpy_dtype and dtype.itemsize <= 8)
        if kind == "b":
            return Storage("boolean", nullable=not (numpy_dtype or sparse))
        if kind in "Mm" or type(dtype).__name__ in _FIXED:
            return Storage("date", nullable=True)
        return cells.storage(column.astype(object).to_numpy())

    def _values(self, name: str) -> Any:
        import numpy as np

        column = self._column(name)
        if not self.storage(name).numeric:
            objects = column.astype(object).to_numpy()
            return np.where(column.isna().to_numpy(), None, objects)
        if column.dtype == object:
            return cells.as_numbers(column.to_numpy())
        return column.to_numpy(dtype=float, na_value=np.nan)

    def _rebuilt(self, columns: Mapping[str, Any]) -> Any:
        import pandas as pd

        drawn = self._drawn(columns)
        blocks = {id(array.base): array.base for array in drawn.values()}
        if list(drawn) == list(self.names) and len(blocks) == 1:
            (block,) = blocks.values()
            frame = pd.DataFrame(block.T, index=self._frame.index, columns=self._frame.columns, copy=False)
            frame.attrs = dict(self._frame.attrs)
            return frame
        made: dict[int, Any] = {}
        for place, name in enumerate(self.names):
            if name in drawn:
                array = drawn[name]
            else:
                array = self._written(name, columns[name]) if name in columns else self._column(name).array.copy()
            made[place] = pd.Series(array, index=self._frame.index, dtype=array.dtype, copy=False)
        frame = pd.DataFrame(made, index=self._frame.index, copy=False)
        frame.columns = self._frame.columns
        frame.attrs = dict(self._frame.attrs)
        return frame

    def _drawn(self, columns: Mapping[str, Any]) -> dict[str, Any]:
        """The columns that sources write, by dtype in one piece of memory."""
        by_dtype: dict[Any, list[str]] = {}
        for name, new in columns.items():
            if hasattr(new, "write") and self._exact(name, new):
                by_dtype.setdefault(self._types[self._places[name]], []).append(name)
        found: dict[str, Any] = {}
        for dtype, names in by_dtype.items():
            block = cells.together({name: columns[name] for name in names}, self.rows)
            found |= zip(names, block.astype(dtype, copy=False), strict=True)
        return found

    def _written(self, name: str, new: Any) -> Any:
        """The array of a column with these cells."""
        column = self._column(name)
        kept = self.storage(name)
        if self._exact(name, new):
            return cells.whole(new, self.rows).astype(column.dtype)
        told = cells.whole(new, self.rows)
        differs = cells.changed(name, kept, self.values(name), told, self._where)
        array = column.array.copy()
        if differs.any():
            array = _set(array, differs, cells.native(kept, told[differs]), self.values(name))
        return array


def _set(array: Any, places: Any, told: list[Any], old: Any) -> Any:
    """An extension or NumPy array with these cells at these places."""
    import numpy as np
    import pandas as pd

    dtype = array.dtype
    if type(dtype).__name__ == "SparseDtype":
        dense = np.array(old)
        dense[places] = told
        return pd.array(dense, dtype=dtype)
    if dtype.kind == "O" and isinstance(dtype, np.dtype):
        missing = next((cell for cell in array if cells.is_missing(cell)), None)
        array[places] = cells.filled([missing if cell is None else cell for cell in told])
    elif isinstance(dtype, np.dtype):
        array[places] = told
    else:
        array[places] = pd.array(told, dtype=dtype)
    return array
