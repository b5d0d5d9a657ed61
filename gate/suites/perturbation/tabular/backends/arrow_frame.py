"""Arrow tables."""

from __future__ import annotations

import decimal
from collections.abc import Mapping, Sequence
from typing import Any

from gate.suites.perturbation.tabular import cells
from gate.suites.perturbation.tabular.backends import arrow_types
from gate.suites.perturbation.tabular.backends.placed_frame import PlacedFrame
from gate.suites.perturbation.tabular.frame import Frame, Storage


class ArrowFrame(PlacedFrame):
    """A `pyarrow.Table`; a column that changes is kept in one chunk."""

    def __init__(self, inputs: Any, where: str, feature_names: Sequence[str] | None = None) -> None:
        self._table = inputs
        super().__init__(inputs.num_rows, inputs.column_names, feature_names, where)

    def native(self) -> Any:
        return self._table  # Arrow's memory can't be changed

    def _taken(self, places: Any) -> PlacedFrame:
        return ArrowFrame(self._table.take(places), self._where, self.names)

    def _span(self, start: int, stop: int) -> Frame:
        return ArrowFrame(self._table.slice(start, stop - start), self._where, self.names)

    def _column(self, name: str) -> Any:
        column = self._table.column(self._places[name])
        return column.unify_dictionaries() if hasattr(column.type, "value_type") else column

    def _storage(self, name: str) -> Storage:
        column = self._column(name)
        levels: tuple[object, ...] = ()
        if hasattr(column.type, "index_type") and column.num_chunks:
            levels = tuple(column.chunk(0).dictionary.to_pylist())
        return arrow_types.storage(column.type, levels)

    def _values(self, name: str) -> Any:
        import numpy as np
        from pyarrow import compute, float64

        column = self._column(name)
        kept = self.storage(name)
        if not kept.numeric:
            return cells.filled(column.to_pylist())
        if kept.kind == "boolean":
            return np.array([np.nan if cell is None else float(cell) for cell in column.to_pylist()])
        numbers = compute.cast(column, float64(), safe=False)
        return np.array(numbers.to_numpy(), dtype=float)

    def _rebuilt(self, columns: Mapping[str, Any]) -> Any:
        import pyarrow

        made = dict(enumerate(self._table.columns))
        sources = {
            name: new
            for name, new in columns.items()
            if hasattr(new, "write")
            and self._column(name).type == pyarrow.float64()
            and not self._column(name).null_count
        }
        for name, row in zip(sources, cells.together(sources, self.rows), strict=True):
            made[self._places[name]] = pyarrow.array(row)
        for name, new in columns.items():
            if name in sources:
                continue
            told = cells.whole(new, self.rows)
            kept = self.storage(name)
            differs = cells.changed(name, kept, self.values(name), told, self._where)
            if differs.any():
                made[self._places[name]] = self._written(name, kept, told, differs)
        return pyarrow.Table.from_arrays(list(made.values()), schema=self._table.schema)

    def _written(self, name: str, kept: Storage, told: Any, differs: Any) -> Any:
        """The column with the cells that differ, in its own type."""
        import pyarrow
        from pyarrow import compute

        old = self._column(name)
        if hasattr(old.type, "index_type"):
            return _dictionary(old, kept, told)
        if kept.decimals is not None:
            listed = [None if cell is None else _decimal(cell, kept.decimals) for cell in cells.native(kept, told)]
            new = pyarrow.array(listed, type=old.type)
        elif kept.kind == "float":
            new = pyarrow.array(told, type=pyarrow.float64(), from_pandas=True).cast(old.type, safe=False)
        else:
            new = pyarrow.array(cells.native(kept, told), type=old.type)
        if differs.all():
            return new
        return compute.if_else(pyarrow.array(differs), new, old.combine_chunks())


def _dictionary(old: Any, kept: Storage, told: Any) -> Any:
    """A dictionary column of the same dictionary."""
    import pyarrow

    place = {level: index for index, level in enumerate(kept.levels)}
    codes = pyarrow.array([None if cell is None else place[cell] for cell in told], type=old.type.index_type)
    return pyarrow.DictionaryArray.from_arrays(codes, old.chunk(0).dictionary, ordered=old.type.ordered)


def _decimal(value: float, places: int) -> decimal.Decimal:
    return decimal.Decimal(repr(value)).quantize(decimal.Decimal(1).scaleb(-places))
