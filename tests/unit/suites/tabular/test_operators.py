"""Every operator moves what it says, typed and within range, and leaves the rest bit by bit."""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd
import pytest

from gate.errors import UsageError
from gate.suites.perturbation.tabular import strengths
from gate.suites.perturbation.tabular.draws import column_noise
from gate.suites.perturbation.tabular.frame import Frame
from gate.suites.perturbation.tabular.operators import OPERATORS
from gate.suites.perturbation.tabular.perturb import parts
from gate.suites.perturbation.tabular.schema import infer
from tests.support.tabular_frames import KINDS, columns, dtypes, pandas_frame, perturbed

STRENGTHS = {
    "gaussian": 0.5,
    "uniform": 0.5,
    "rounding": 0.3,
    "unit-error": 10,
    "integer-step": 2,
    "category-swap": 2,
    "missing": 0.3,
    "drop-out": 0.3,
}
NAMES = list(columns())
UNBOUNDED = {"low": float("-inf"), "high": float("inf")}
FREE = [name for name in NAMES if name not in ("income", "sex", "name", "since")]
TOLD: dict[str, Any] = {
    "protected": ["sex"],
    "overrides": {"income": {"immutable": True}},
    "relations": ["low <= high"],
}


def run(given: Any, name: str, strength: float | None = None, seed: int = 1, **told: Any) -> Any:
    frame = Frame.of(given, "t", NAMES if isinstance(given, np.ndarray) and given.dtype == object else None)
    size = STRENGTHS[name] if strength is None else strength
    return perturbed(frame, infer(frame, where="t", **told), name, size, seed=seed, where="t")


def test_every_operator_has_a_strength_here() -> None:
    assert STRENGTHS.keys() == OPERATORS.keys()
    assert all(operator.does for operator in OPERATORS.values())


@pytest.mark.parametrize("name", STRENGTHS)
@pytest.mark.parametrize("kind", KINDS)
def test_types_ranges_levels_groups_and_relations_hold(kind: str, name: str) -> None:
    given = KINDS[kind]()
    found = run(given, name, **TOLD)
    assert dtypes(found) == dtypes(given)
    before = Frame.of(given, "t", NAMES if kind == "objects" else None)
    after = Frame.of(found, "t", NAMES if kind == "objects" else None)
    for untouched in ("income", "sex", "name", "since"):
        np.testing.assert_array_equal(after.values(untouched), before.values(untouched))
    assert any(after.values(free).tolist() != before.values(free).tolist() for free in FREE)
    ages = after.values("age")[~np.isnan(after.values("age"))]
    assert (ages == np.rint(ages)).all()
    for number in ("age", "low", "high", "debt"):
        extent, observed = after.extent(number), before.extent(number)
        assert observed.low <= extent.low <= extent.high <= observed.high
    assert set(np.unique(after.values("owner")[~np.isnan(after.values("owner"))])) <= {0.0, 1.0}
    assert set(after.values("job")) <= {"a", "b", "c", None}
    assert (sum(after.values(f"area_{side}") for side in ("north", "south", "west")) == 1).all()
    assert not (after.values("low") > after.values("high")).any()


def test_gaussian_noise_is_that_of_the_column_alone() -> None:
    given = np.random.default_rng(0).normal(size=(50, 2))
    found = run(given, "gaussian", 0.3, 7, overrides={"0": UNBOUNDED, "1": UNBOUNDED})
    for place in (0, 1):
        clean = given[:, place]
        np.testing.assert_array_equal(
            found[:, place], clean + 0.3 * column_noise(7, 0.3, str(place), 50) * infer_scale(clean)
        )


def infer_scale(cells: Any) -> float:
    return infer(Frame.of(cells.reshape(-1, 1), "t"), where="t").columns[0].scale


def test_gaussian_noise_is_clipped_to_the_observed_or_the_declared_range() -> None:
    given = pd.DataFrame({"a": np.random.default_rng(0).normal(size=200)})
    observed = run(given, "gaussian", 3)["a"]
    assert (observed.min(), observed.max()) == (given["a"].min(), given["a"].max())
    declared = run(given, "gaussian", 3, overrides={"a": {"low": -9, "high": 9}})["a"]
    assert -9 <= declared.min() < given["a"].min()
    assert given["a"].max() < declared.max() <= 9


def test_a_relation_changes_no_bit_of_a_column_that_it_does_not_bind() -> None:
    given = pandas_frame()
    bound, free = run(given, "gaussian", relations=["low <= high"]), run(given, "gaussian")
    changed = [name for name in NAMES if bound[name].tolist() != free[name].tolist() and name != "debt"]
    assert set(changed) <= {"low", "high"}
    pd.testing.assert_series_equal(bound["debt"], free["debt"])


def test_infinite_cells_stay() -> None:
    found = run(pd.DataFrame({"a": [1.5, np.inf, -np.inf, 3.5, np.nan]}), "gaussian", 0.1)["a"]
    assert found.iloc[1:3].tolist() == [np.inf, -np.inf]
    assert np.isnan(found.iloc[4])
    assert found.iloc[[0, 3]].tolist() != [1.5, 3.5]


def test_uniform_noise_ends_at_epsilon() -> None:
    given = np.random.default_rng(0).normal(size=(500, 1))
    moves = (run(given, "uniform", 0.2, overrides={"0": UNBOUNDED}) - given) / given.std()
    assert 0.19 < np.abs(moves).max() <= 0.2 + 1e-12
    assert moves.min() < -0.19


def test_rounding_takes_the_largest_power_of_ten_within_epsilon() -> None:
    given = pd.DataFrame({"a": [1234.56, 1876.54, 4321.0, 5.0, 9999.0]})
    scale = float(np.std(given["a"]))
    found = run(given, "rounding", 60 / scale, overrides={"a": UNBOUNDED})["a"]
    assert found.tolist() == [1200, 1900, 4300, 0, 10_000]


def test_a_unit_error_multiplies_one_number_of_each_row() -> None:
    given = np.random.default_rng(0).uniform(1, 2, size=(300, 3))
    told = {"overrides": dict.fromkeys("012", UNBOUNDED)}
    for factor in (10, 0.1, 1000):
        ratio = run(given, "unit-error", factor, **told) / given
        assert (np.isclose(ratio, factor).sum(axis=1) == 1).all()
        assert (np.isclose(ratio, factor) | (ratio == 1)).all()
        assert np.isclose(ratio, factor).sum(axis=0).min() > 60  # each column has its third


def test_an_integer_step_takes_every_step_but_none() -> None:
    given = pd.DataFrame({"a": np.arange(1000)})
    moves = run(given, "integer-step", 2, overrides={"a": UNBOUNDED})["a"] - given["a"]
    assert set(moves) == {-2, -1, 1, 2}
    assert moves.value_counts().min() > 180


def test_a_swap_changes_at_most_k_features_to_observed_levels() -> None:
    given = pandas_frame()[["owner", "sex", "job", "area_north", "area_south", "area_west"]]
    for most in (1, 2, 9):
        found = run(given, "category-swap", most)
        differs = (found.astype(object).fillna("") != given.astype(object).fillna("")).to_numpy()
        features = np.column_stack([differs[:, :3], differs[:, 3:].any(axis=1)]).sum(axis=1)
        assert features.max() == min(most, 4)
        assert features.min() == min(most, 3)  # a missing cell is not swapped


def test_ordered_levels_move_to_a_neighbour() -> None:
    levels = ["1", "2", "3", "4"]
    given = pd.DataFrame({"a": pd.Categorical(levels * 25, categories=levels, ordered=True)})
    moves = run(given, "category-swap", 1)["a"].cat.codes - given["a"].cat.codes
    assert set(moves) == {-1, 1}


def test_a_swap_reaches_every_other_level_of_an_unordered_one() -> None:
    given = pd.DataFrame({"a": list("abcd") * 50})
    found = run(given, "category-swap", 1)["a"]
    assert {(a, b) for a, b in zip(given["a"], found, strict=True)} == {
        (a, b) for a in "abcd" for b in "abcd" if a != b
    }


def test_missing_leaves_columns_without_missing_cells_alone() -> None:
    given = pandas_frame()
    found = run(given, "missing", 1)
    assert found["debt"].isna().all()
    assert found["job"].isna().all()
    pd.testing.assert_series_equal(found["age"], given["age"])
    pd.testing.assert_series_equal(found["owner"], given["owner"])


def test_drop_out_fills_in_the_median_and_the_commonest_level() -> None:
    given = pd.DataFrame(
        {
            "n": [1.5, 2.5, 9.5, 4.0],
            "c": list("abbc"),
            "g_x": [0, 1, 0, 0],
            "g_y": [1, 0, 1, 1],
            "b": [True, True, False, True],
        }
    )
    found = run(given, "drop-out", 1, overrides={"c": {"kind": "category"}})
    assert found.to_dict("list") == {"n": [2.5] * 4, "c": ["b"] * 4, "g_x": [0] * 4, "g_y": [1] * 4, "b": [True] * 4}


def test_a_part_of_the_rows_is_perturbed_by_the_whole_schema() -> None:
    given = pandas_frame()
    frame = Frame.of(given, "t")
    schema = infer(frame, where="t")
    part = frame.take(np.arange(10))
    for name, strength in STRENGTHS.items():
        whole = perturbed(frame, schema, name, strength, seed=1, where="t")
        pd.testing.assert_frame_equal(perturbed(part, schema, name, strength, seed=1, where="t"), whole.iloc[:10])


@pytest.mark.parametrize("size", [1, 7, 25])
@pytest.mark.parametrize("name", STRENGTHS)
def test_rows_that_come_in_parts_get_the_same_cells(name: str, size: int) -> None:
    frame = Frame.of(pandas_frame(), "t")
    schema = infer(frame, where="t", **TOLD)
    whole = perturbed(frame, schema, name, STRENGTHS[name], seed=3, where="t")
    found = list(parts(frame, schema, name, STRENGTHS[name], seed=3, size=size, where="t"))
    assert sum(rows for _, rows in found) == frame.rows
    start = 0
    for part, rows in found:
        pd.testing.assert_frame_equal(part, whole.iloc[start : start + rows])
        start += rows


@pytest.mark.parametrize("name", STRENGTHS)
def test_nothing_to_move_is_an_error(name: str) -> None:
    given = pd.DataFrame({"a": [1.5, 2.5], "t": ["x", "y"], "d": pd.date_range("2024", periods=2)})
    with pytest.raises(UsageError, match=f"no column that {name} may move"):
        run(given, name, protected=["a"])


def test_an_unknown_perturbation_names_the_nearest() -> None:
    with pytest.raises(UsageError, match="did you mean 'gaussian'"):
        run(np.array([[1.5], [2.5]]), "gausian", 0.1)


@pytest.mark.parametrize(
    ("values", "unit"),
    [
        ([], "scale"),
        ([float("nan")], "scale"),
        ([-0.1], "scale"),
        ([0.0], "scale"),
        ([float("inf")], "scale"),
        ([0.1, 0.1], "scale"),
        ([True], "scale"),
        ([1.5], "count"),
        ([1.5], "share"),
        ([1], "factor"),
    ],
)
def test_strengths_that_are_none_are_refused(values: list[float], unit: strengths.Unit) -> None:
    with pytest.raises(UsageError) as caught:
        strengths.checked(values, "t", unit)
    assert caught.value.remedy


def test_strengths_are_put_in_order() -> None:
    assert strengths.checked([0.1, 0.01, 0.05], "t") == [0.01, 0.05, 0.1]
