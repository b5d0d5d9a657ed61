"""The same mixed table as every kind of frame, and frames of other libraries only where they are installed."""

from __future__ import annotations

import datetime
from typing import Any

import numpy as np
import pandas as pd
import pytest

from gate.suites.perturbation.tabular.frame import Frame
from gate.suites.perturbation.tabular.perturb import parts
from gate.suites.perturbation.tabular.schema import Schema

ROWS = 60
DAY = datetime.datetime(2024, 2, 29)  # noqa: DTZ001  frames hold naive times


def columns(rows: int = ROWS) -> dict[str, list[Any]]:
    """Every kind of column, with missing cells where a dtype allows them."""
    draws = np.random.default_rng(3)
    low = draws.normal(50, 10, rows)
    kind = draws.integers(0, 3, rows)
    return {
        "income": draws.normal(3_000, 500, rows).tolist(),
        "age": draws.integers(18, 80, rows).tolist(),
        "low": low.tolist(),
        "high": (low + draws.uniform(1, 9, rows)).tolist(),
        "owner": (draws.random(rows) < 0.5).tolist(),
        "sex": np.where(draws.random(rows) < 0.5, "f", "m").tolist(),
        "job": [None if row % 10 == 4 else ("a", "b", "c")[row % 3] for row in range(rows)],
        "area_north": (kind == 0).astype(int).tolist(),
        "area_south": (kind == 1).astype(int).tolist(),
        "area_west": (kind == 2).astype(int).tolist(),
        "debt": [None if row % 7 == 2 else float(row) + 0.5 for row in range(rows)],
        "name": [f"person {row}" for row in range(rows)],
        "since": [DAY + datetime.timedelta(days=row) for row in range(rows)],
    }


def pandas_frame() -> pd.DataFrame:
    """NumPy dtypes, a category and a text column."""
    frame = pd.DataFrame(columns(), index=[f"row {place}" for place in range(ROWS)])
    frame["job"] = frame["job"].astype("category")
    return frame


def nullable_frame() -> pd.DataFrame:
    """pandas' own nullable dtypes, an ordered category, and narrow numbers."""
    frame = pandas_frame()
    frame["job"] = pd.Categorical(frame["job"], categories=["z", "b", "a", "c"], ordered=True)
    told = {"income": "float32", "age": "Int8", "owner": "boolean", "sex": "string", "debt": "Float64"}
    return frame.astype({**told, "area_north": "uint8", "area_south": "uint8", "area_west": "uint8"})


def object_array() -> np.ndarray:
    """Mixed columns in one object array."""
    found = np.empty((ROWS, len(columns())), dtype=object)
    for place, cells in enumerate(columns().values()):
        found[:, place] = cells
    return found


def polars_frame() -> Any:
    """polars, with an enumeration; skipped where polars is absent."""
    polars = pytest.importorskip("polars", reason="polars is not installed")
    frame = polars.DataFrame(columns())
    return frame.with_columns(
        polars.col("job").cast(polars.Enum(["z", "c", "b", "a"])), polars.col("age").cast(polars.UInt8)
    )


def arrow_table() -> Any:
    """Arrow, with a dictionary, in two chunks; skipped where pyarrow is absent."""
    arrow = pytest.importorskip("pyarrow", reason="pyarrow is not installed")
    table = arrow.table(columns())
    place = table.column_names.index("job")
    table = table.set_column(place, "job", table["job"].dictionary_encode())
    return arrow.concat_tables([table.slice(0, 25), table.slice(25)])


KINDS = {
    "pandas": pandas_frame,
    "nullable": nullable_frame,
    "objects": object_array,
    "polars": polars_frame,
    "arrow": arrow_table,
}


def same(left: Any, right: Any) -> bool:
    """Whether two frames of one kind have equal cells, kinds of missing cells, dtypes and names."""
    if isinstance(left, pd.DataFrame):
        pd.testing.assert_frame_equal(left, right, check_exact=True)
        return True
    if isinstance(left, np.ndarray):
        return left.dtype == right.dtype and pd.DataFrame(left).equals(pd.DataFrame(right))
    return bool(left.equals(right)) and left.schema == right.schema


def dtypes(frame: Any) -> Any:
    """The dtypes, comparable."""
    if isinstance(frame, np.ndarray):
        return frame.dtype
    return frame.dtypes.tolist() if isinstance(frame, pd.DataFrame) else frame.schema


def perturbed(frame: Frame, schema: Schema, name: str, strength: float, *, seed: int, where: str) -> Any:
    """The user's own kind of frame under a perturbation, in one part."""
    ((found, _),) = parts(frame, schema, name, strength, seed=seed, size=frame.rows, where=where)
    return found
