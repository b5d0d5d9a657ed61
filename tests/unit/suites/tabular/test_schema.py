"""What is inferred of columns, what may be declared, and how protected attributes are followed."""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd
import pytest

from gate.errors import UsageError
from gate.suites.perturbation.tabular.frame import Frame
from gate.suites.perturbation.tabular.schema import Column, Schema, infer
from gate.suites.perturbation.tabular.schema_table import table
from tests.support.tabular_frames import KINDS, columns

NAMES = list(columns())
FLAGS = [1, 0, 0, 1, 0, 0]


def schema_of(given: Any, **told: Any) -> Schema:
    return infer(Frame.of(given, "t"), where="t", **told)


def by_name(schema: Schema) -> dict[str, Column]:
    return {column.name: column for column in schema.columns}


def kinds(given: Any, **told: Any) -> dict[str, str]:
    return {column.name: column.kind for column in schema_of(given, **told).columns}


@pytest.mark.parametrize("kind", KINDS)
def test_every_frame_gives_the_same_kinds(kind: str) -> None:
    given = KINDS[kind]()
    frame = Frame.of(given, "t", NAMES if isinstance(given, np.ndarray) else None)
    found = by_name(infer(frame, where="t"))
    assert {name: column.kind for name, column in found.items()} == {
        "income": "numeric",
        "age": "integer",
        "low": "numeric",
        "high": "numeric",
        "owner": "boolean",
        "sex": "category",
        "job": "ordered" if kind == "nullable" else "category",
        "area_north": "one-hot",
        "area_south": "one-hot",
        "area_west": "one-hot",
        "debt": "numeric",
        "name": "string",
        "since": "date",
    }
    assert sorted(map(str, found["job"].levels)) == ["a", "b", "c"]  # and not the declared level that no row has
    assert found["age"].step == 1
    assert found["debt"].scale == pytest.approx(float(np.nanstd(frame.values("debt"))))


def test_whole_numbers_in_floats_are_integers_and_zeros_and_ones_booleans() -> None:
    assert kinds(np.array([[1.0, 0.0, 1.5], [7.0, 1.0, 2.0], [np.nan, 1.0, 3.0]])) == {
        "0": "integer",
        "1": "boolean",
        "2": "numeric",
    }


def test_scale_is_the_standard_deviation_or_the_normal_mad() -> None:
    cells = [0.5, 1.25, 2.125, 3.5, 100.0]
    assert schema_of(pd.DataFrame({"a": cells})).columns[0].scale == pytest.approx(np.std(cells))
    mad = schema_of(pd.DataFrame({"a": cells}), scale="mad").columns[0].scale
    assert mad == pytest.approx(1.4826 * 1.375, rel=1e-4)


def test_mad_of_mostly_equal_cells_falls_back_to_the_standard_deviation() -> None:
    cells = [0.5, 0.5, 0.5, 0.5, 9.25]
    assert schema_of(pd.DataFrame({"a": cells}), scale="mad").columns[0].scale == pytest.approx(np.std(cells))


@pytest.mark.parametrize("cells", [[2.5] * 4, [np.nan] * 4, [None] * 4, [np.inf] * 4])
def test_constant_and_empty_columns_are_not_movable(cells: list[Any]) -> None:
    assert schema_of(pd.DataFrame({"a": cells, "b": [1.5, 2, 3, 4]})).movable()[0].name == "b"


def test_infinite_cells_are_left_out_of_range_and_scale() -> None:
    column = schema_of(pd.DataFrame({"a": [1.5, 2.0, np.inf, -np.inf]})).columns[0]
    assert (column.low, column.high, column.scale) == (1.5, 2.0, 0.25)


def test_one_row_has_nothing_that_varies() -> None:
    assert schema_of(pd.DataFrame({"a": [1.5], "b": ["x"], "c": [True]})).movable() == ()


def test_extreme_numbers_have_a_finite_scale() -> None:
    assert np.isfinite(schema_of(pd.DataFrame({"a": [1e200, -1e200, 0.5]})).columns[0].scale)


def test_one_hot_groups_by_every_separator() -> None:
    for separator in ("_", "=", ".", "__", ":", "|", "["):
        frame = pd.DataFrame({f"c{separator}{level}": np.roll(FLAGS, place) for place, level in enumerate("xyz")})
        found = schema_of(frame).groups()
        assert list(found) == ["c"], separator
        assert found["c"][0].levels == tuple(frame.columns)


def test_fault_the_order_of_columns_changes_neither_levels_nor_what_stands_for_a_group() -> None:
    frame = pd.DataFrame({f"c_{level}": np.roll([1, 0, 0] * 4, place) for place, level in enumerate("zxy")})
    there, back = (schema_of(frame[list(names)]).groups()["c"][0] for names in (frame, list(frame)[::-1]))
    assert there.levels == back.levels == ("c_x", "c_y", "c_z")
    assert there.neutral == back.neutral == "c_x"


def test_a_dropped_first_level_is_a_level_too() -> None:
    frame = pd.DataFrame({"c_x": FLAGS, "c_y": np.roll(FLAGS, 1)})
    assert by_name(schema_of(frame))["c_x"].levels == ("", "c_x", "c_y")


def test_flags_that_are_on_together_are_no_group() -> None:
    frame = pd.DataFrame({"has_car": [1, 1, 0, 0], "has_dog": [1, 0, 1, 0]})
    assert kinds(frame) == {"has_car": "boolean", "has_dog": "boolean"}


def test_a_complete_group_is_taken_whole_though_two_share_a_longer_prefix() -> None:
    frame = pd.DataFrame({"c_dark_red": FLAGS, "c_dark_blue": np.roll(FLAGS, 1), "c_green": np.roll(FLAGS, 2)})
    assert list(schema_of(frame).groups()) == ["c"]


def test_a_declared_group_needs_no_common_prefix() -> None:
    frame = pd.DataFrame({"red": FLAGS, "blue": np.roll(FLAGS, 1)})
    told = {"red": {"group": "colour"}, "blue": {"group": "colour"}}
    assert list(schema_of(frame, overrides=told).groups()) == ["colour"]


ENCODED = {
    "one hot": {"sex_female": FLAGS, "sex_male": [1 - flag for flag in FLAGS]},
    "single": {"sex=female": FLAGS},
    "transformer": {"cat__sex_female": FLAGS, "cat__sex_male": [1 - flag for flag in FLAGS]},
    "scaled": {"sex_female": [0.7 if flag else -1.2 for flag in FLAGS]},
    "named": {"num__sex": FLAGS},
    "text": {"sex": ["f", "m"] * 3},
}


@pytest.mark.parametrize("encoded", ENCODED.values(), ids=list(ENCODED))
def test_protected_attributes_are_followed_through_their_encoding(encoded: dict[str, Any]) -> None:
    frame = pd.DataFrame({"income": [1.5, 2, 3, 4, 5, 6], "sexagesimal": [1.5, 2, 3, 4, 5, 7], **encoded})
    assert schema_of(frame, protected=["sex"]).protected() == tuple(encoded)


def test_an_attribute_of_many_values_with_a_like_name_is_not_swept_away() -> None:
    frame = pd.DataFrame({"age": [20, 30, 40], "age_of_account": [1.5, 2.5, 3.5]})
    assert schema_of(frame, protected=["age"]).protected() == ("age",)


def test_a_protected_member_protects_its_group() -> None:
    frame = pd.DataFrame({"c_x": FLAGS, "c_y": [1 - flag for flag in FLAGS], "d": [1.5, 2, 3, 4, 5, 6]})
    assert schema_of(frame, protected=["c_x"]).protected() == ("c_x", "c_y")
    assert [column.name for column in schema_of(frame, protected=["c_x"]).perturbable()] == ["d"]


def test_an_alias_is_followed_only_where_it_is_given() -> None:
    frame = pd.DataFrame({"gender_f": FLAGS, "sex": ["f", "m"] * 3, "d": [1.5, 2, 3, 4, 5, 6]})
    assert schema_of(frame, protected=["sex"]).protected() == ("sex",)
    for alias in ("gender", ["gender", "geschlecht"]):
        assert schema_of(frame, protected=["sex"], aliases={"sex": alias}).protected() == ("gender_f", "sex")


@pytest.mark.parametrize(
    ("told", "message"),
    [
        ({"protected": ["incme"]}, "did you mean 'income'"),
        ({"protected": ["INCOME"]}, "did you mean 'income'"),
        ({"protected": ["income"], "aliases": {"incom": "x"}}, "did you mean 'income'"),
        ({"overrides": {"agee": {}}}, "did you mean 'age'"),
        ({"overrides": {"age": {"lo": 1}}}, "did you mean 'low'"),
        ({"overrides": {"age": {"kind": "intger"}}}, "did you mean 'integer'"),
        ({"overrides": {"age": {"kind": "numeric"}}}, "whole numbers by its dtype"),
        ({"overrides": {"income": {"kind": "integer"}}}, "holds fractions"),
        ({"overrides": {"job": {"kind": "numeric"}}}, "holds cells of the kind string"),
        ({"overrides": {"age": {"kind": "boolean"}}}, "other than 0 and 1"),
        ({"overrides": {"age": {"low": 5, "high": 4}}}, "low 5 is above high 4"),
        ({"overrides": {"age": {"low": "x"}}}, "low is a number"),
        ({"overrides": {"age": {"low": float("nan")}}}, "low is a number"),
        ({"overrides": {"age": {"step": 0}}}, "step is above 0"),
        ({"overrides": {"age": {"step": 0.5}}}, "no step of 0.5"),
        ({"overrides": {"age": {"immutable": 1}}}, "immutable is true or false"),
        ({"overrides": {"age": {"group": "g"}}}, "has one column"),
        ({"overrides": {"age": {"group": "g"}, "income": {"group": "g"}}}, "other than 0 and 1"),
        ({"overrides": {"job": {"levels": ["a"]}}}, "lack 1"),
        ({"overrides": {"job": {"levels": "ab"}}}, "levels are a list"),
        ({"overrides": {"age": 3}}, "no table of keys"),
        ({"target": "income"}, "the target 'income' is a column of X"),
        ({"target": "own"}, "the target 'own' is a column of X"),
        ({"scale": "iqr"}, "scale is 'sd' or 'mad'"),
        ({"relations": ["age <= incom"]}, "did you mean 'income'"),
        ({"relations": ["age < job"]}, "holds no numbers"),
        ({"relations": ["income < age"]}, "holds in no row"),
        ({"relations": ["age income"]}, "can't be read"),
        ({"relations": ["age <= age"]}, "binds no column"),
    ],
)
def test_what_can_not_be_is_refused_with_a_remedy(told: dict[str, Any], message: str) -> None:
    frame = pd.DataFrame(
        {"age": [20, 30, 40, 50], "income": [60.5, 70, 80, 90], "job": ["a", "b"] * 2, "num__own": [1, 2, 3, 4]}
    )
    with pytest.raises(UsageError, match=message) as caught:
        schema_of(frame, **told)
    assert caught.value.remedy


@pytest.mark.parametrize(
    ("cells", "message"),
    [
        ([1, "a"], "int in row 0, str in row 1"),
        ([True, 2], "several or unknown kinds"),
        ([[1], [2]], "lists or other containers"),
        ([{"a": 1}, None], "dict in row 0"),
        ([1j, 2j], "complex in row 0"),
    ],
)
def test_mixed_and_nested_columns_must_be_declared(cells: list[Any], message: str) -> None:
    frame = pd.DataFrame({"a": pd.Series(cells, dtype=object)})
    with pytest.raises(UsageError, match=message):
        schema_of(frame)
    assert kinds(frame, overrides={"a": {"kind": "string"}}) == {"a": "string"}


def test_declared_bounds_step_scale_and_order_are_kept() -> None:
    told: dict[str, dict[str, Any]] = {
        "a": {"low": 0.5, "high": 130.5, "scale": 3},
        "b": {"step": 0.25, "immutable": True},
        "c": {"kind": "ordered", "levels": ["low", "mid", "high"]},
    }
    frame = pd.DataFrame({"a": [20, 30, 40], "b": [0.25, 0.5, 1], "c": ["high", "low", "mid"]})
    found = by_name(schema_of(frame, overrides=told))
    assert (found["a"].low, found["a"].high, found["a"].scale) == (1, 130, 3)  # whole numbers within the bounds
    assert found["b"].step == 0.25
    assert found["b"].immutable
    assert found["c"].levels == ("low", "mid", "high")
    assert [column.name for column in schema_of(frame, overrides=told).perturbable()] == ["a", "c"]


def test_a_declared_range_ends_at_what_the_dtype_holds() -> None:
    frame = pd.DataFrame({"a": np.array([1, 2, 3], dtype="int8")})
    column = schema_of(frame, overrides={"a": {"low": -1000, "high": 1000}}).columns[0]
    assert (column.low, column.high) == (-128, 127)


def test_table_shows_what_may_move_and_hides_values() -> None:
    frame = pd.DataFrame(
        {
            "pay": [111.5, 222.5, 333.5, 444.5],
            "top": [999] * 4,
            "sex": ["f", "m"] * 2,
            "c_x": [1, 0] * 2,
            "c_y": [0, 1] * 2,
        }
    )
    schema = schema_of(frame, protected=["sex"], relations=["pay <= top"])
    shown = table(schema)
    assert shown.splitlines() == [
        "column  kind      moved          bound by",
        "pay     numeric   yes            pay <= top",
        "top     integer   no, constant   pay <= top",
        "sex     category  no, protected",
        "c_x     one-hot   yes            one-hot c",
        "c_y     one-hot   yes            one-hot c",
    ]
    assert "111.5 to 444.5" in table(schema, raw=True)
    assert "2: f, m" in table(schema, raw=True)
