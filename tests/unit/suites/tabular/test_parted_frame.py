"""Tables in parts give the same bytes as in memory, whatever a part holds."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

np = pytest.importorskip("numpy")
pd = pytest.importorskip("pandas")

from gate.suites.perturbation.models import asking  # noqa: E402
from gate.suites.perturbation.tabular.backends.parted_frame import ParquetFrame, PartedFrame  # noqa: E402
from gate.suites.perturbation.tabular.frame import Frame  # noqa: E402
from tests.support.swept import people, swept, told  # noqa: E402


class Pieces(PartedFrame):
    """Parts of a frame, each with the dtypes that its own cells suggest, as a file without a schema of pandas has."""

    def __init__(self, table: Any, sizes: list[int]) -> None:
        self.table, self.sizes, self.read = table, sizes, list[int]()
        super().__init__(sizes, list(table.columns), None, "test")

    def _whole(self, name: object) -> Any:
        return self.table[[name]]

    def _part(self, place: int) -> Any:
        self.read.append(place)
        start = sum(self.sizes[:place])
        part = self.table.iloc[start : start + self.sizes[place]].copy()
        for name in part.columns:
            if isinstance(part[name].dtype, pd.CategoricalDtype):
                part[name] = part[name].cat.remove_unused_categories()
            elif name in ("gap", "some") and not part[name].isna().any():
                part[name] = part[name].astype(int if name == "gap" else bool)
        return part


def mixed() -> Any:
    """Whole numbers with one gap, so that most parts have none; categories that most parts lack."""
    table = people(40)
    table["gap"] = np.where(np.arange(40) == 33, np.nan, np.arange(40))
    table["house"] = pd.Categorical(table["house"])
    table["some"] = [None if row == 35 else row % 2 == 0 for row in range(40)]
    return table


@pytest.mark.parametrize("rows", [(0, 40), (3, 9), (9, 10), (10, 31), (33, 34)])
def test_a_span_is_that_of_the_whole(rows: tuple[int, int]) -> None:
    table = mixed()
    parted = Pieces(table, [10, 1, 20, 9])
    expected = Frame.of(table, "test").span(*rows)
    found = parted.span(*rows)
    pd.testing.assert_frame_equal(found.native(), expected.native(), check_names=True)
    for name in parted.names:
        assert found.storage(name) == expected.storage(name) == parted.storage(name)


def test_rows_are_taken_in_any_order() -> None:
    table = mixed()
    rows = np.array([39, 0, 0, 12, 10, 30])
    pd.testing.assert_frame_equal(Pieces(table, [10, 1, 20, 9]).take(rows).native(), table.iloc[rows])


def test_one_part_is_read_at_a_time_and_once_for_rows_in_order() -> None:
    parted = Pieces(mixed(), [10, 10, 20])
    for start in range(0, 40, 5):
        parted.span(start, start + 5)
    assert parted.read == [0, 1, 2]


def test_a_sweep_in_parts_has_the_same_bytes(monkeypatch: pytest.MonkeyPatch) -> None:
    usual = told(swept(people()))
    monkeypatch.setattr(asking, "LARGEST_BATCH", 40)
    assert told(swept(Pieces(people(), [50, 3, 67]))) == usual


@pytest.fixture
def stored(tmp_path: Path) -> Iterator[Path]:
    pytest.importorskip("pyarrow")
    path = tmp_path / "people.parquet"
    mixed().to_parquet(path, row_group_size=7)
    yield path


def test_a_parquet_file_is_read_as_pandas_reads_it_whole(stored: Path) -> None:
    whole = pd.read_parquet(stored)
    frame = ParquetFrame(stored, list(whole.columns), "test")
    for start, stop in ((0, 40), (5, 9), (30, 36)):
        part = Frame.of(whole, "test").span(start, stop)
        pd.testing.assert_frame_equal(frame.span(start, stop).native(), part.native())


def test_a_dask_frame_is_swept_by_partition() -> None:
    dask = pytest.importorskip("dask.dataframe")
    table = dask.from_pandas(people(), npartitions=7)
    assert told(swept(table)) == told(swept(people()))
