"""The input of a model, an array or a pandas data frame, by named columns."""

from __future__ import annotations

import difflib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from gate.errors import UsageError


@dataclass(frozen=True, slots=True)
class Column:
    """A numeric column that varies.

    Attributes:
        numbers: (n,) float64, NaN where a cell is empty.
        spread: population standard deviation of its finite cells, above 0.
    """

    place: int
    name: str
    numbers: Any
    spread: float


class Table:
    """Rows and named columns of what the model takes.

    Args:
        inputs: (n, features) array, list of rows, or pandas data frame.
        feature_names: names of an array's columns; by default `0`, `1`, ….

    Raises:
        UsageError: not two-dimensional, no row, two columns of one name, or a frame of another library.
    """

    def __init__(self, inputs: Any, where: str, feature_names: Sequence[str] | None = None) -> None:
        import numpy as np

        self._where = where
        self._is_frame = hasattr(inputs, "columns") and hasattr(inputs, "iloc")
        if hasattr(inputs, "columns") and not self._is_frame:
            kind = type(inputs).__name__
            raise UsageError(
                f"X is a {kind} that is no pandas data frame", where=where, remedy="convert it with `to_pandas()`"
            )
        self.inputs: Any = inputs if self._is_frame else np.asarray(inputs)
        if self.inputs.ndim != 2:
            raise UsageError(
                f"X has {self.inputs.ndim} dimensions, not rows and columns",
                where=where,
                remedy="give a dense array of the shape (n, features) or a data frame",
            )
        self.rows = len(self.inputs)
        if not self.rows:
            raise UsageError("X has no rows", where=where, remedy="a sweep needs at least one example")
        self.names = self._column_names(feature_names)
        self.row_names: tuple[object, ...] = tuple(inputs.index) if self._is_frame else tuple(range(self.rows))

    def _column_names(self, given: Sequence[str] | None) -> list[str]:
        count = self.inputs.shape[1]
        if self._is_frame and given is None:
            names = [str(name) for name in self.inputs.columns]
        else:
            names = [str(place) for place in range(count)] if given is None else [str(name) for name in given]
        if len(names) != count:
            raise UsageError(
                f"{len(names)} feature_names for {count} columns", where=self._where, remedy="name each column once"
            )
        twice = sorted({name for name in names if names.count(name) > 1})
        if twice:
            raise UsageError(
                f"two columns of X are named {twice[0]!r:.60}",
                where=self._where,
                remedy="name each column differently: its name keys its noise",
            )
        return names

    def refuse_unknown(self, protected: Sequence[str]) -> None:
        """Refuse names that no column has, with the nearest one."""
        for name in protected:
            if name not in self.names:
                close = difflib.get_close_matches(name, self.names, n=1)
                advice = f"did you mean {close[0]!r}?" if close else f"columns are: {', '.join(self.names[:20])}"
                raise UsageError(f"X has no column {name!r:.60} to protect", where=self._where, remedy=advice)

    def numeric(self, protected: frozenset[str]) -> list[Column]:
        """The unprotected numeric columns that vary, in their order.

        Raises:
            UsageError: there is none, so that no noise could be added.
        """
        found = []
        for place, name in enumerate(self.names):
            if name in protected:
                continue
            numbers = _numbers(self.inputs.iloc[:, place] if self._is_frame else self.inputs[:, place])
            spread = 0.0 if numbers is None else _spread(numbers)
            if spread > 0:
                found.append(Column(place, name, numbers, spread))
        if not found:
            raise UsageError(
                "X has no unprotected numeric column that varies, so nothing would be perturbed",
                where=self._where,
                remedy="give an array of numbers, or a data frame whose numeric columns have a numeric dtype",
            )
        return found

    def copy(self) -> Any:
        """The inputs anew: a model that scales in place must not change what the next ε is added to."""
        return self.inputs.copy()

    def replaced(self, columns: Mapping[int, Any]) -> Any:
        """A copy with other (n,) float64 values in the columns at these places.

        A float column keeps its dtype, so that a model of single precision gets what it was trained on; a column of
        whole numbers becomes float.
        """
        import numpy as np

        if not self._is_frame:
            kept = self.inputs.dtype if self.inputs.dtype.kind == "f" else np.dtype(float)
            array = np.array(self.inputs, dtype=kept)
            for place, values in columns.items():
                array[:, place] = values
            return array
        frame = self.inputs.copy()
        for place, values in columns.items():
            dtype = self.inputs.dtypes.iloc[place]
            frame.isetitem(place, values)
            if dtype.kind == "f" and dtype != np.dtype(float):
                frame.isetitem(place, frame.iloc[:, place].astype(dtype))
        return frame

    def shown(self, column: Column, row: int, value: float) -> str:
        """How a cell moved in the user's own units."""
        return f"{column.name} {column.numbers[row]:.6g} → {value:.6g}"


def _numbers(column: Any) -> Any:
    """(n,) float64 with NaN for empty cells; None for booleans, texts, categories and dates."""
    import numpy as np

    if getattr(column.dtype, "kind", "O") not in "iuf":
        return None
    if hasattr(column, "to_numpy"):
        return column.to_numpy(dtype=float, na_value=np.nan)
    return np.asarray(column, dtype=float)


def _spread(numbers: Any) -> float:
    """Population standard deviation of the finite numbers; 0 when they are all equal or there are none."""
    import numpy as np

    finite = numbers[np.isfinite(numbers)]
    if not finite.size or finite.min() == finite.max():
        return 0.0
    scale = float(np.abs(finite).max())  # keeps the squares in range
    return float(np.std(finite / scale)) * scale
