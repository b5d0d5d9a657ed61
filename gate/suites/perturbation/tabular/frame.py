"""Any frame, an array, pandas, polars or Arrow, as rows and named columns that are read and replaced one by one.

A frame never changes what the user gave, and what it hands out may be changed by a model without any effect on it.
A cell that is replaced by the value it has keeps its own bits, so that whole numbers beyond 2⁵³, the kind of a missing
cell and the sign of a zero survive.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal, Protocol

from gate.errors import UsageError
from gate.suites.perturbation.tabular.blocks import Blocks
from gate.suites.perturbation.tabular.row_order import by_name

Kept = Literal["float", "integer", "boolean", "category", "string", "date", "empty", "mixed", "nested"]

EXACT = 2.0**53
"""Whole numbers below it are float64 numbers too."""


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
        plain: whether its float64 numbers can be written back as they are, without a look at each cell.
        decimals: digits after the point that the dtype keeps; None when it has no fixed number.
        told: for a mixed or nested column, its types with the first row of each, for an error's text.
    """

    kind: Kept
    nullable: bool
    levels: tuple[object, ...] = ()
    ordered: bool = False
    low: float = float("-inf")
    high: float = float("inf")
    plain: bool = False
    decimals: int | None = None
    told: str = ""

    @property
    def numeric(self) -> bool:
        """Whether `Frame.values` gives numbers."""
        return self.kind in ("float", "integer", "boolean")


@dataclass(frozen=True, slots=True)
class Extent:
    """The range of a column's finite numbers.

    Attributes:
        low, high: smallest and largest finite number, NaN where there is none.
        infinite: whether a cell is infinite.
        complete: whether all cells are finite, none of them missing.
    """

    low: float
    high: float
    infinite: bool
    complete: bool = False


class Source(Protocol):
    """A numeric column that is made while it is written, so that it is never held twice."""

    def write(self, out: Any) -> None:
        """Write the next len(out) rows into a contiguous float64 array; calls go through the rows in order."""


class Frame(ABC):
    """Rows and named columns of what a model takes.

    Attributes:
        rows: their number, at least 1.
        names: of the columns as texts, each once.
        blocks: memory for noise on these rows.
    """

    rows: int
    names: tuple[str, ...]
    parted = False
    """Whether it may be larger than memory, so that rows and columns are asked for in parts."""

    def __init__(self, rows: int, own: Sequence[object], given: Sequence[str] | None, where: str) -> None:
        if not rows:
            raise UsageError("X has no rows", where=where, remedy="a sweep needs at least one example")
        self.rows = rows
        self.names = _names(own, given, where)
        self.blocks = Blocks()
        self._where = where
        self._places = {name: place for place, name in enumerate(self.names)}
        self._read: dict[str, Any] = {}
        self._kept: dict[str, Storage] = {}
        self._extents: dict[str, Extent] = {}

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
        from gate.suites.perturbation.tabular.backends import backend

        made: Frame = backend(inputs, where)(inputs, where, feature_names)
        return made

    def storage(self, name: str) -> Storage:
        """How the column of this name is kept."""
        if name not in self._kept:
            self._kept[name] = self._storage(name)
        return self._kept[name]

    def values(self, name: str) -> Any:
        """(rows,) float64 with NaN for missing, of numbers and booleans; (rows,) object with None for others.

        The array is read-only and may share memory with the user's frame.
        """
        if name not in self._read:
            found = self._values(name).view()
            found.flags.writeable = False
            self._read[name] = found
        return self._read[name]

    def extent(self, name: str) -> Extent:
        """The range of a numeric column's finite cells."""
        if name not in self._extents:
            self._extents[name] = _extent(self.values(name))
        return self._extents[name]

    def span(self, start: int, stop: int) -> Frame:
        """The frame of rows `start` to `stop`, whose columns are kept and typed as those of the whole."""
        if (start, stop) == (0, self.rows):
            return self
        part = self._span(start, stop)
        for name in self.names:
            part._kept[name] = self.storage(name)
            if name in self._read:
                part._read[name] = self._read[name][start:stop]
        return part

    def alike(self, native: Any) -> Frame:
        """The frame of rows that `replaced` made of this one, their columns typed as here."""
        found = Frame.of(native, self._where, self.names)
        found._kept = dict(self._kept)
        return found

    def replaced(self, columns: Mapping[str, Any]) -> Any:
        """The user's own kind of frame, with other cells in these columns and every dtype kept.

        Args:
            columns: by name (rows,) values as `values` gives them, or a `Source`. NaN or None makes a cell missing.

        Raises:
            UsageError: a value that the dtype can't hold: a fraction among whole numbers, a missing value in a column
                without any, a level that a category lacks, a number beyond the range of the dtype.
        """
        for name in columns:
            if name not in self._places:
                raise UsageError(f"X has no column {name!r:.60}", where=self._where, remedy="name one that it has")
        return self._rebuilt(columns)

    @property
    @abstractmethod
    def row_names(self) -> tuple[object, ...]:
        """The index of a pandas frame; 0, 1, … otherwise. After `take` the names of the rows that were taken."""

    @property
    def name_order(self) -> Any:
        """(rows,) places of the rows in the order of their names; None where they are in that order."""
        return by_name(self.row_names)

    def own(self) -> Any:
        """What the user gave, for who copies it before a model sees it."""
        return self.native()

    @abstractmethod
    def native(self) -> Any:
        """A copy of what the user gave, which a model may change."""

    @abstractmethod
    def take(self, rows: Any) -> Frame:
        """The frame of these rows by position, in this order; a row may stand more than once."""

    def _span(self, start: int, stop: int) -> Frame:
        import numpy as np

        return self.take(np.arange(start, stop))

    @abstractmethod
    def _storage(self, name: str) -> Storage: ...

    @abstractmethod
    def _values(self, name: str) -> Any: ...

    @abstractmethod
    def _rebuilt(self, columns: Mapping[str, Any]) -> Any: ...

    def _exact(self, name: str, new: Any) -> bool:
        """Whether a column can be written without a look at each cell: float64 holds all that is and will be there."""
        kept = self.storage(name)
        if not kept.plain or kept.kind == "float":
            return kept.plain
        if not hasattr(new, "write"):
            return False
        extent = self.extent(name)
        return extent.low > -EXACT and extent.high < EXACT


def _names(own: Sequence[object], given: Sequence[str] | None, where: str) -> tuple[str, ...]:
    if not len(own):
        raise UsageError("X has no columns", where=where, remedy="a sweep needs at least one feature")
    names = tuple(str(name) for name in (own if given is None else given))
    if len(names) != len(own):
        remedy = "name each column once"
        raise UsageError(f"{len(names)} feature_names for {len(own)} columns", where=where, remedy=remedy)
    seen: set[str] = set()
    for name in names:
        if name in seen:
            remedy = "name each column differently: its name keys its noise"
            raise UsageError(f"two columns of X are named {name!r:.60}", where=where, remedy=remedy)
        seen.add(name)
    return names


def _extent(numbers: Any) -> Extent:
    import numpy as np

    low, high = (float(numbers.min()), float(numbers.max())) if len(numbers) else (np.nan, np.nan)
    if np.isfinite(low) and np.isfinite(high):
        return Extent(low, high, infinite=False, complete=True)
    finite = numbers[np.isfinite(numbers)]
    infinite = bool(np.isinf(numbers).any())
    if not finite.size:
        return Extent(float("nan"), float("nan"), infinite)
    return Extent(float(finite.min()), float(finite.max()), infinite)
