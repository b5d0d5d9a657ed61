"""Any frame, an array, pandas, polars or Arrow, as rows and named columns that are read and replaced one by one.

A frame never changes what the user gave, and what it hands out may be changed by a model without any effect on it.
A cell that is replaced by the value it has keeps its own bits, so that whole numbers beyond 2⁵³, the kind of a missing
cell and the sign of a zero survive.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal

from gate.errors import UsageError

Kept = Literal["float", "integer", "boolean", "category", "string", "date", "empty", "mixed", "nested"]


@dataclass(frozen=True, slots=True)
class Storage:
    """How a frame keeps a column.

    Attributes:
        kind: what its cells are; `empty` when none is there and the dtype does not tell, `mixed` when an object column
            holds several kinds, `nested` when cells are lists or other containers.
        nullable: whether a cell can become missing without another dtype.
        levels: the declared levels of a category, in their order, observed or not.
        ordered: whether the order of the levels means something.
        low, high: the smallest and largest whole number that the dtype holds; infinite for others.
        decimals: digits after the point that the dtype keeps; None when it has no fixed number.
        told: for a mixed column, its kinds with the first row of each, for an error's text.
    """

    kind: Kept
    nullable: bool
    levels: tuple[object, ...] = ()
    ordered: bool = False
    low: float = float("-inf")
    high: float = float("inf")
    decimals: int | None = None
    told: str = ""

    @property
    def numeric(self) -> bool:
        """Whether `Frame.values` gives numbers."""
        return self.kind in ("float", "integer", "boolean")


class Frame(ABC):
    """Rows and named columns of what a model takes.

    Attributes:
        rows: their number, at least 1.
        names: of the columns as texts, each once.
    """

    rows: int
    names: tuple[str, ...]

    @staticmethod
    def of(inputs: Any, where: str, feature_names: Sequence[str] | None = None) -> Frame:
        """Read a NumPy array, a list of rows, or a pandas, polars or Arrow frame.

        Args:
            inputs: (n, features); a list of rows is kept as an array.
            where: the call, for errors.
            feature_names: names of the columns; by default a frame's own, and `0`, `1`, … for an array.

        Raises:
            UsageError: no two dimensions, no row, no column, two columns of one name, or no frame that is known.
        """
        return _backend(inputs, where)(inputs, where, feature_names)

    @property
    @abstractmethod
    def row_names(self) -> tuple[object, ...]:
        """The index of a pandas frame; 0, 1, … otherwise. After `take` the names of the rows that were taken."""

    @abstractmethod
    def storage(self, name: str) -> Storage:
        """How the column of this name is kept."""

    @abstractmethod
    def values(self, name: str) -> Any:
        """(rows,) float64 with NaN for missing, of numbers and booleans; (rows,) object with None for others.

        The array is read-only and may share memory with the user's frame.
        """

    @abstractmethod
    def replaced(self, columns: Mapping[str, Any]) -> Any:
        """The user's own kind of frame, with other cells in these columns and every dtype kept.

        Args:
            columns: by name (rows,) values as `values` gives them. NaN or None makes a cell missing.

        Raises:
            UsageError: a value that the dtype can't hold: a fraction among whole numbers, a missing value in a column
                without any, a level that a category lacks, a number beyond the range of the dtype.
        """

    @abstractmethod
    def native(self) -> Any:
        """A copy of what the user gave, which a model may change."""

    @abstractmethod
    def take(self, rows: Any) -> Frame:
        """The frame of these rows by position, in this order; a row may stand more than once."""


def _backend(inputs: Any, where: str) -> Any:
    """The class that reads this kind of frame; libraries that the user has not imported are not imported."""
    library = type(inputs).__module__.partition(".")[0]
    kind = type(inputs).__name__
    if hasattr(inputs, "columns") and hasattr(inputs, "iloc"):
        from gate.suites.perturbation.tabular.backends.pandas_frame import PandasFrame

        return PandasFrame
    if library == "polars" and kind == "DataFrame":
        from gate.suites.perturbation.tabular.backends.polars_frame import PolarsFrame

        return PolarsFrame
    if library == "pyarrow" and kind == "Table":
        from gate.suites.perturbation.tabular.backends.arrow_frame import ArrowFrame

        return ArrowFrame
    remedy = {"LazyFrame": "call `collect()` first", "RecordBatch": "use `pyarrow.Table.from_batches([batch])`"}
    if library in ("polars", "pyarrow", "dask") or hasattr(inputs, "columns"):
        told = remedy.get(kind, "give an array, or a pandas, polars or Arrow table")
        raise UsageError(f"X is a {kind:.40}, which is no table that is known", where=where, remedy=told)
    from gate.suites.perturbation.tabular.backends.array_frame import ArrayFrame

    return ArrayFrame


def checked_names(own: Sequence[object], given: Sequence[str] | None, where: str) -> tuple[str, ...]:
    """The columns' names as texts.

    Raises:
        UsageError: no column, another number of names than of columns, or a name that stands twice.
    """
    if not own:
        raise UsageError("X has no columns", where=where, remedy="a sweep needs at least one feature")
    names = tuple(str(name) for name in (own if given is None else given))
    if len(names) != len(own):
        raise UsageError(
            f"{len(names)} feature_names for {len(own)} columns", where=where, remedy="name each column once"
        )
    seen: set[str] = set()
    for name in names:
        if name in seen:
            raise UsageError(
                f"two columns of X are named {name!r:.60}",
                where=where,
                remedy="name each column differently: its name keys its noise",
            )
        seen.add(name)
    return names


def checked_rows(count: int, where: str) -> int:
    """The number of rows.

    Raises:
        UsageError: there is none.
    """
    if not count:
        raise UsageError("X has no rows", where=where, remedy="a sweep needs at least one example")
    return count
