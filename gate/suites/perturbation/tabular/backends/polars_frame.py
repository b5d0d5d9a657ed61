"""polars data frames."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from gate.suites.perturbation.tabular import cells
from gate.suites.perturbation.tabular.backends.placed_frame import PlacedFrame
from gate.suites.perturbation.tabular.frame import Frame, Storage


class PolarsFrame(PlacedFrame):
    """A `polars.DataFrame`."""

    def __init__(self, inputs: Any, where: str, feature_names: Sequence[str] | None = None) -> None:
        self._frame = inputs
        super().__init__(inputs.height, inputs.columns, feature_names, where)

    def native(self) -> Any:
        return self._frame.clone()  # what is changed in place is the clone's own

    def _taken(self, places: Any) -> PlacedFrame:
        return PolarsFrame(self._frame[places.tolist()], self._where, self.names)

    def _span(self, start: int, stop: int) -> Frame:
        return PolarsFrame(self._frame.slice(start, stop - start), self._where, self.names)

    def _column(self, name: str) -> Any:
        return self._frame.to_series(self._places[name])

    def _storage(self, name: str) -> Storage:
        import polars as pl

        column = self._column(name)
        dtype = column.dtype
        if dtype == pl.Enum:
            return Storage("category", nullable=True, levels=tuple(dtype.categories))
        if dtype == pl.Categorical:
            return Storage("category", nullable=True, levels=tuple(sorted(column.drop_nulls().unique().to_list())))
        if dtype.is_integer():
            low, high = column.lower_bound().item(), column.upper_bound().item()
            return Storage("integer", nullable=True, low=float(low), high=float(high))
        if dtype.is_decimal():
            return Storage("float", nullable=True, decimals=dtype.scale)
        if dtype.is_float():
            return Storage("float", nullable=True)
        if dtype == pl.Boolean:
            return Storage("boolean", nullable=True)
        return _unnumbered(dtype)

    def _values(self, name: str) -> Any:
        import numpy as np
        import polars as pl

        column = self._column(name)
        if self.storage(name).numeric:
            return np.array(column.cast(pl.Float64).to_numpy(), dtype=float)
        return cells.filled(column.to_list())

    def _rebuilt(self, columns: Mapping[str, Any]) -> Any:
        import polars as pl

        frame = self._frame.clone()
        sources = {
            name: new
            for name, new in columns.items()
            if hasattr(new, "write") and self._column(name).dtype == pl.Float64 and not self._column(name).null_count()
        }
        for name, row in zip(sources, cells.together(sources, self.rows), strict=True):
            frame.replace_column(self._places[name], pl.Series(self._column(name).name, row))
        for name, new in columns.items():
            if name in sources:
                continue
            told = cells.whole(new, self.rows)
            kept = self.storage(name)
            differs = cells.changed(name, kept, self.values(name), told, self._where)
            if differs.any():
                frame.replace_column(self._places[name], self._written(name, kept, told, differs))
        return frame

    def _written(self, name: str, kept: Storage, told: Any, differs: Any) -> Any:
        """The column with the cells that differ, in its own dtype."""
        import numpy as np
        import polars as pl

        old = self._column(name)
        if kept.kind == "float":
            new = pl.Series(old.name, np.ascontiguousarray(told), nan_to_null=True).cast(old.dtype)
        else:
            new = pl.Series(old.name, cells.native(kept, told), dtype=old.dtype)
        return new if differs.all() else new.zip_with(pl.Series(differs), old)


def _unnumbered(dtype: Any) -> Storage:
    import polars as pl

    if dtype.is_temporal():
        return Storage("date", nullable=True)
    if dtype == pl.Null:
        return Storage("empty", nullable=True)
    if dtype in (pl.String, pl.Binary):
        return Storage("string", nullable=True)
    if dtype == pl.Object:
        return Storage("mixed", nullable=True, told="Python objects")
    return Storage("nested" if dtype.is_nested() else "mixed", nullable=True, told=str(dtype))
