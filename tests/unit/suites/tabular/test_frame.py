"""Frames of every kind are read by columns and written back in their own dtypes."""

from __future__ import annotations

import decimal
from typing import Any

import numpy as np
import pandas as pd
import pytest

from gate.errors import UsageError
from gate.suites.perturbation.tabular.frame import Frame
from tests.support.tabular_frames import KINDS, ROWS, columns, dtypes, same

NAMES = list(columns())


def frame_of(kind: str) -> tuple[Frame, Any]:
    given = KINDS[kind]()
    return Frame.of(given, "t", NAMES if isinstance(given, np.ndarray) else None), given


@pytest.mark.parametrize("kind", KINDS)
def test_every_kind_reads_the_same_cells(kind: str) -> None:
    frame, _ = frame_of(kind)
    assert frame.rows == ROWS
    assert list(frame.names) == NAMES
    for name, cells in columns().items():
        values = frame.values(name)
        if values.dtype == object:
            assert values[:8].tolist() == cells[:8]
        else:
            tolerance = 1e-6 if kind == "nullable" else 0
            np.testing.assert_allclose(values, [np.nan if c is None else float(c) for c in cells], rtol=tolerance)


@pytest.mark.parametrize("kind", KINDS)
def test_nothing_changed_is_the_original(kind: str) -> None:
    frame, given = frame_of(kind)
    assert same(frame.replaced({name: frame.values(name) for name in frame.names}), given)
    assert same(frame.replaced({}), given)
    assert same(frame.native(), given)


@pytest.mark.parametrize("kind", KINDS)
def test_changed_cells_alone_change_and_dtypes_stay(kind: str) -> None:
    frame, given = frame_of(kind)
    moved = {name: frame.values(name).copy() for name in frame.names if frame.storage(name).kind != "date"}
    for cells in moved.values():
        cells[0], cells[1] = cells[5], cells[3]
    changed = frame.replaced(moved)
    assert dtypes(changed) == dtypes(given)
    again = Frame.of(changed, "t", frame.names)
    for name, cells in moved.items():
        assert again.values(name).tolist() == pytest.approx(cells.tolist(), nan_ok=True)
    assert again.values("since").tolist() == frame.values("since").tolist()


@pytest.mark.parametrize("kind", KINDS)
def test_cells_become_missing_where_the_dtype_has_missing_ones(kind: str) -> None:
    frame, given = frame_of(kind)
    moved = {}
    for name in ("debt", "job", "income"):
        moved[name] = frame.values(name).copy()
        moved[name][7] = None if moved[name].dtype == object else np.nan
    changed = frame.replaced(moved)
    assert dtypes(changed) == dtypes(given)
    again = Frame.of(changed, "t", frame.names)
    assert again.values("job")[7] is None
    assert np.isnan(again.values("debt")[7])
    assert np.isnan(again.values("income")[7])


@pytest.mark.parametrize("kind", KINDS)
def test_rows_are_taken_in_any_order_and_often(kind: str) -> None:
    frame, _ = frame_of(kind)
    taken = frame.take(np.array([4, 0, 0]))
    assert taken.rows == 3
    assert taken.row_names == tuple(frame.row_names[row] for row in (4, 0, 0))
    assert taken.values("age").tolist() == [frame.values("age")[row] for row in (4, 0, 0)]
    twice = taken.take(np.array([2, 0]))
    assert twice.row_names == (frame.row_names[0], frame.row_names[4])
    assert dtypes(taken.native()) == dtypes(frame.native())


def test_what_a_model_changes_stays_with_it() -> None:
    given = pd.DataFrame({"a": [1.0, 2.0], "b": [3.0, 4.0]})
    frame = Frame.of(given, "t")
    for copy in (frame.native(), frame.replaced({}), frame.replaced({"a": frame.values("a")})):
        copy.loc[:, :] = 9.0
    array = np.ones((2, 2))
    held = Frame.of(array, "t")
    for made in (held.native(), held.replaced({}), held.replaced({"0": held.values("0")})):
        made[:] = 9
    assert given["a"].tolist() == [1, 2]
    assert given["b"].tolist() == [3, 4]
    assert array.tolist() == [[1, 1], [1, 1]]


def test_values_can_not_be_written_to() -> None:
    frame = Frame.of(np.ones((2, 1)), "t")
    with pytest.raises(ValueError, match="read-only"):
        frame.values("0")[0] = 2


def test_whole_numbers_beyond_floats_and_signed_zeros_survive() -> None:
    big = np.array([2**60 + 1, 5], dtype=np.int64)
    frame = Frame.of(pd.DataFrame({"n": big, "z": [-0.0, 1.0]}), "t")
    moved = frame.values("n").copy()
    moved[1] = 6
    made = frame.replaced({"n": moved, "z": frame.values("z")})
    assert made["n"].tolist() == [2**60 + 1, 6]
    assert np.signbit(made["z"].iloc[0])


def test_memory_order_of_an_array_stays() -> None:
    for order in ("C", "F"):
        frame = Frame.of(np.asarray(np.arange(6.0).reshape(3, 2), order=order), "t")  # type: ignore[call-overload]
        for made in (frame.native(), frame.replaced({}), frame.replaced({"0": np.ones(3), "1": np.ones(3)})):
            assert made.flags[f"{order}_CONTIGUOUS"]


def test_a_list_of_rows_keeps_texts_and_numbers_apart() -> None:
    frame = Frame.of([[1, "a"], [2, "b"]], "t")
    assert frame.values("0").tolist() == [1, 2]
    assert frame.native()[0].tolist() == [1, "a"]


def test_pandas_of_arrow_and_sparse_dtypes() -> None:
    given = pd.DataFrame({"s": pd.arrays.SparseArray([0.0, 0, 1]), "i": pd.arrays.SparseArray([0, 0, 1])})
    frame = Frame.of(given, "t")
    made = frame.replaced({"s": np.array([0.5, 0, 1]), "i": np.array([2.0, 0, 1])})
    assert made.dtypes.tolist() == given.dtypes.tolist()
    assert made["i"].tolist() == [2, 0, 1]
    pytest.importorskip("pyarrow", reason="pyarrow is not installed")
    given = pd.DataFrame({"n": pd.array([1, None, 2**60 + 1], dtype="int64[pyarrow]")})
    frame = Frame.of(given, "t")
    made = frame.replaced({"n": np.array([4, np.nan, float(2**60 + 1)])})
    assert made.dtypes.tolist() == given.dtypes.tolist()
    assert made["n"].iloc[[0, 2]].tolist() == [4, 2**60 + 1]


def test_decimals_of_arrow_keep_their_digits() -> None:
    arrow = pytest.importorskip("pyarrow", reason="pyarrow is not installed")
    cells = [decimal.Decimal("1.25"), decimal.Decimal("2.50")]
    table = arrow.table({"d": arrow.array(cells, type=arrow.decimal128(8, 2))})
    made = Frame.of(table, "t").replaced({"d": np.array([1.254, 2.5])})
    assert made["d"].to_pylist() == cells
    assert made.schema == table.schema


@pytest.mark.parametrize(
    ("given", "message"),
    [
        (np.zeros((0, 3)), "no rows"),
        (pd.DataFrame({"a": []}), "no rows"),
        (np.zeros((3, 0)), "no columns"),
        (np.zeros((2, 2, 2)), "3 dimensions"),
        ([[[1], [2]], [[3], [4]]], "3 dimensions"),
        ([[1, 2], [3]], "several lengths"),
        (np.zeros(3), "1 dimensions"),
        (pd.Series([1.0, 2.0]), "1 dimensions"),
        (np.ones((2, 2), dtype=complex), "complex128"),
        (np.ma.masked_equal(np.eye(2), 1), "MaskedArray"),
        (pd.DataFrame([[1, 2]], columns=["a", "a"]), "two columns of X are named 'a'"),
        (pd.DataFrame([[1, 2]], columns=["1", 1]), "two columns of X are named '1'"),
    ],
)
def test_what_is_no_table_is_refused(given: Any, message: str) -> None:
    with pytest.raises(UsageError, match=message):
        Frame.of(given, "t")


def test_a_lazy_frame_is_told_what_to_do() -> None:
    polars = pytest.importorskip("polars", reason="polars is not installed")
    with pytest.raises(UsageError, match=r"collect\(\)"):
        Frame.of(polars.LazyFrame({"a": [1]}), "t")


def test_feature_names_must_fit() -> None:
    with pytest.raises(UsageError, match="3 feature_names for 2 columns"):
        Frame.of(np.ones((2, 2)), "t", ["a", "b", "c"])


@pytest.mark.parametrize(
    ("name", "cells", "message"),
    [
        ("i", [0.5, 2.0], "can't hold"),
        ("i", [np.nan, 2.0], "can't be missing in row 0"),
        ("i", [300.0, 2.0], "can't hold"),
        ("b", [2.0, 0.0], "can't hold"),
        ("c", np.array(["z", "v"], dtype=object), "can't hold"),
        ("x", [1.0, 2.0], "no column 'x'"),
    ],
)
def test_what_a_dtype_can_not_hold_is_refused(name: str, cells: Any, message: str) -> None:
    given = pd.DataFrame({"i": np.array([1, 2], "int8"), "b": [True, False], "c": pd.Categorical(["u", "v"])})
    with pytest.raises(UsageError, match=message):
        Frame.of(given, "t").replaced({name: np.asarray(cells)})
