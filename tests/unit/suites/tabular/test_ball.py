"""The ball keeps moves within ε, range, type and relations."""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd
import pytest

from gate.errors import UsageError
from gate.suites.perturbation.tabular.ball import Ball
from gate.suites.perturbation.tabular.frame import Frame
from gate.suites.perturbation.tabular.relations import parse
from gate.suites.perturbation.tabular.schema import infer


def project(data: dict[str, Any], moved: Any, epsilon: float, fixed: Any = None, **told: Any) -> list[list[float]]:
    frame = Frame.of(pd.DataFrame(data), "t")
    ball = Ball(infer(frame, where="t", **told), epsilon)
    clean = np.column_stack([frame.values(column.name) for column in ball.columns])
    found = ball.project(clean, np.array(moved, dtype=float), fixed)
    assert ball.holds(clean, found, fixed).all()
    rows: list[list[float]] = found.tolist()
    return rows


def test_moves_end_at_the_ball_and_at_the_range() -> None:
    assert project({"a": [0.5, 9.5]}, [[100], [-100]], 0.5, scale="sd") == [[2.75], [7.25]]
    assert project({"a": [0.5, 9.5]}, [[100], [-100]], 9) == [[9.5], [0.5]]
    assert project({"a": [0.5, 9.5]}, [[1], [9]], 9) == [[1], [9]]


def test_integers_stay_whole_and_within_the_ball() -> None:
    assert project({"a": [0, 10]}, [[2.6], [7.3]], 0.5) == [[2], [8]]  # scale 5, so at most 2.5 away
    assert project({"a": [0, 10]}, [[0.9], [9.1]], 0.1) == [[0], [10]]


def test_a_grid_goes_out_from_the_clean_value() -> None:
    told = {"overrides": {"a": {"step": 0.25}}}
    assert project({"a": [0.1, 5.1]}, [[0.5], [5.0]], 1, **told) == [[0.6], [5.1]]


def test_missing_and_infinite_cells_stay() -> None:
    data = {"a": [np.nan, np.inf, 1.5, 2.5], "b": [1.5, 2.5, 3.5, 4.5]}
    found = np.array(project(data, [[1, 2]] * 2 + [[np.nan, 2], [np.inf, 2]], 50))
    assert np.isnan(found[0, 0])
    assert found[1, 0] == np.inf
    assert found[2, 0] == 1.5
    assert found[3, 0] == 2.5


def test_a_clean_value_beyond_a_declared_range_moves_inward_only() -> None:
    told = {"overrides": {"a": {"high": 5}}}
    assert project({"a": [0.5, 9.5]}, [[9.9], [10.0]], 1, **told) == [[5], [9.5]]
    assert project({"a": [0.5, 9.5]}, [[9.9], [6.0]], 1, **told) == [[5], [6]]


def test_epsilon_must_be_positive() -> None:
    schema = infer(Frame.of(np.array([[1.5], [2.5]]), "t"), where="t")
    for wrong in (0, -1, float("nan")):
        with pytest.raises(ValueError, match="not above 0"):
            Ball(schema, wrong)


def test_a_sum_is_repaired_by_its_last_column_first() -> None:
    data = {"a": [1, 5, 9], "b": [2, 4, 8], "c": [3, 9, 17]}
    found = project(data, [[2, 2, 3], [5, 4, 3], [9, 8, 17]], 9, relations=["a + b == c"])
    assert found[0] == [2, 2, 4]
    assert all(a + b == c for a, b, c in found)
    assert found[2] == [9, 8, 17]


def test_what_can_not_be_repaired_is_as_it_was() -> None:
    data = {"a": [1, 5], "b": [2, 4], "top": [3, 9]}
    told = {"relations": ["a + b == top"], "overrides": {"top": {"immutable": True}, "b": {"immutable": True}}}
    fixed = {"top": np.array([3.0, 9.0]), "b": np.array([2.0, 4.0])}
    assert project(data, [[4], [1]], 9, fixed, **told) == [[1], [5]]


def test_fixed_columns_must_be_given() -> None:
    schema = infer(
        Frame.of(pd.DataFrame({"a": [1, 2], "b": [3, 3]}), "t"),
        relations=["a < b"],
        overrides={"b": {"immutable": True}},
        where="t",
    )
    assert Ball(schema, 1).fixed == ("b",)
    with pytest.raises(UsageError, match="needs the column 'b'"):
        Ball(schema, 1).project(np.array([[1.0]]), np.array([[2.0]]))


def test_strict_relations_of_whole_numbers_keep_one_between() -> None:
    found = project({"a": [1, 7], "b": [5, 9]}, [[5, 1], [9, 8]], 9, relations=["a < b"])
    assert all(a < b for a, b in found)
    assert all(float(cell).is_integer() for row in found for cell in row)


def test_a_row_that_breaks_a_relation_from_the_start_does_not_move_there() -> None:
    data = {"a": [1.5, 9.5], "b": [2.5, 3.5], "c": [0.5, 1.5]}
    found = project(data, [[2, 3, 1], [4, 4, 1]], 9, relations=["a <= b"])
    assert found == [[2, 3, 1], [9.5, 3.5, 1]]


def test_relations_that_share_a_column_are_repaired_together() -> None:
    draws = np.random.default_rng(0)
    low = draws.normal(0, 1, 400)
    data = {"a": low, "b": low + draws.uniform(0, 2, 400), "c": low + draws.uniform(2, 3, 400)}
    moved = np.column_stack(list(data.values())) + draws.normal(0, 3, (400, 3))
    found = np.array(project(data, moved, 1, relations=["a <= b", "b <= c", "c - a <= 4"]))
    assert (found[:, 0] <= found[:, 1]).all()
    assert (found[:, 1] <= found[:, 2]).all()
    assert (found[:, 2] - found[:, 0] <= 4).all()
    assert (found != np.column_stack(list(data.values()))).any(axis=1).mean() > 0.9


@pytest.mark.parametrize(
    ("text", "weights", "sign", "bound"),
    [
        ("a <= b", {"a": 1, "b": -1}, "<=", 0),
        ("a > 2 * b - 3", {"a": -1, "b": 2}, "<", 3),
        ("a + b = `c d`", {"a": 1, "b": 1, "c d": -1}, "==", 0),
        ("-a + 1.5e1 >= 0", {"a": 1}, "<=", 15),
        ("a + a <= 4", {"a": 2}, "<=", 4),
    ],
)
def test_relations_are_read(text: str, weights: dict[str, float], sign: str, bound: float) -> None:
    found = parse(text, ["a", "b", "c d"], "t")
    assert (dict(found.weights), found.sign, found.bound) == (weights, sign, bound)


@pytest.mark.parametrize(
    "text", ["", "a", "a <=", "a <= b <= a", "a b <= 1", "2 a <= 1", "a * 2 <= 1", "a <= (b)", "+"]
)
def test_other_texts_are_refused(text: str) -> None:
    with pytest.raises(UsageError, match="can't be read"):
        parse(text, ["a", "b"], "t")
