"""Tables that are larger than memory, read part by part: a Parquet file, or a Dask data frame.

One column, or one part, is in memory at a time. The model gets pandas data frames with the dtypes that the whole table
would have, whichever cells a part happens to hold.
"""

from __future__ import annotations

import bisect
import importlib
from abc import abstractmethod
from collections.abc import Mapping, Sequence
from itertools import accumulate
from pathlib import Path
from typing import Any

from gate.errors import UsageError
from gate.suites.perturbation.tabular.backends.pandas_frame import PandasFrame
from gate.suites.perturbation.tabular.frame import Frame, Storage


class PartedFrame(Frame):
    """Rows in parts; of each kind of table, how a column and a part are read.

    Args:
        sizes: rows of each part, in order.
    """

    parted = True

    def __init__(self, sizes: Sequence[int], names: Sequence[object], given: Sequence[str] | None, where: str) -> None:
        self._ends = list(accumulate(sizes))
        super().__init__(self._ends[-1] if self._ends else 0, names, given, where)
        self._own_names = list(names)
        self._dtypes: dict[str, Any] = {}
        self._last: tuple[int, Any] = (-1, None)

    @abstractmethod
    def _whole(self, name: object) -> Any:
        """One column of all rows, as a pandas data frame."""

    @abstractmethod
    def _part(self, place: int) -> Any:
        """All columns of one part, as a pandas data frame."""

    @property
    def row_names(self) -> tuple[object, ...]:
        return tuple(range(self.rows))

    @property
    def name_order(self) -> Any:
        return None

    def values(self, name: str) -> Any:
        """As of any frame, but read anew each time."""
        found = self._values(name).view()
        found.flags.writeable = False
        return found

    def native(self) -> Any:
        return self._rows(0, self.rows)

    def take(self, rows: Any) -> Frame:
        import numpy as np

        pd: Any = importlib.import_module("pandas")

        places = np.asarray(rows)
        pieces, order = [], np.argsort(places, kind="stable")
        ordered, start = places[order], 0
        for place, end in enumerate(self._ends):
            stop = int(np.searchsorted(ordered, end))
            if stop > start:
                first = end - len(self._read_part(place))
                pieces.append(self._read_part(place).iloc[ordered[start:stop] - first])
            start = stop
        found = pieces[0] if len(pieces) == 1 else pd.concat(pieces)
        return self._typed(found.iloc[np.argsort(order, kind="stable")])

    def _span(self, start: int, stop: int) -> Frame:
        return self._typed(self._rows(start, stop))

    def _typed(self, rows: Any) -> Frame:
        found = PandasFrame(rows, self._where, self.names)
        found._kept = {name: self.storage(name) for name in self.names}
        return found

    def _rows(self, start: int, stop: int) -> Any:
        pd: Any = importlib.import_module("pandas")

        pieces = []
        while start < stop:
            place = bisect.bisect_right(self._ends, start)
            first = self._ends[place - 1] if place else 0
            end = min(stop, self._ends[place])
            pieces.append(self._read_part(place).iloc[start - first : end - first])
            start = end
        return pieces[0].copy() if len(pieces) == 1 else pd.concat(pieces)

    def _read_part(self, place: int) -> Any:
        """A part with the dtypes of the whole; the last one is kept, as rows are mostly asked for in their order."""
        pd: Any = importlib.import_module("pandas")

        if self._last[0] != place:
            part = self._part(place)[self._own_names]
            wanted = [self._dtype(name) for name in self.names]
            part = part.astype(
                {own: dtype for own, dtype in zip(self._own_names, wanted, strict=True) if part[own].dtype != dtype}
            )
            end = self._ends[place]
            self._last = (place, part.set_axis(pd.RangeIndex(end - len(part), end), axis=0))
        return self._last[1]

    def _column(self, name: str) -> Frame:
        own = self._own_names[self._places[name]]
        found = self._whole(own)[[own]]
        self._dtypes[name] = found.dtypes.iloc[0]
        return PandasFrame(found, self._where, [name])

    def _dtype(self, name: str) -> Any:
        if name not in self._dtypes:
            self.storage(name)
        return self._dtypes[name]

    def _storage(self, name: str) -> Storage:
        return self._column(name).storage(name)

    def _values(self, name: str) -> Any:
        return self._column(name).values(name)

    def _rebuilt(self, columns: Mapping[str, Any]) -> Any:
        return self._typed(self.native()).replaced(columns)


class ParquetFrame(PartedFrame):
    """Columns of a Parquet file; its parts are the row groups."""

    def __init__(self, path: Path, columns: Sequence[str], where: str) -> None:
        parquet: Any = importlib.import_module("pyarrow.parquet")
        self._file = parquet.ParquetFile(path)
        groups = range(self._file.metadata.num_row_groups)
        sizes = [self._file.metadata.row_group(place).num_rows for place in groups]
        super().__init__(sizes, list(columns), None, where)

    def _whole(self, name: object) -> Any:
        return self._file.read([name]).to_pandas()

    def _part(self, place: int) -> Any:
        return self._file.read_row_group(place, self._own_names).to_pandas()


class DaskFrame(PartedFrame):
    """A `dask.dataframe.DataFrame`; its parts are the partitions."""

    def __init__(self, inputs: Any, where: str, feature_names: Sequence[str] | None = None) -> None:
        names = list(inputs.columns)
        if len(set(map(str, names))) < len(names):
            raise UsageError("two columns of X have one name", where=where, remedy="name each column differently")
        self._table = inputs
        super().__init__(inputs.map_partitions(len).compute().tolist(), names, feature_names, where)

    def _whole(self, name: object) -> Any:
        return self._table[[name]].compute()

    def _part(self, place: int) -> Any:
        return self._table.get_partition(place).compute()
