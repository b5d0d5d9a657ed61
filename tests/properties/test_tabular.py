"""Frames and perturbations: round trips, moves that stay inside, and independence of everything but the key."""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd
from hypothesis import given, settings
from hypothesis import strategies as st

from gate.suites.perturbation.tabular.ball import Ball
from gate.suites.perturbation.tabular.draws import generator
from gate.suites.perturbation.tabular.frame import Frame
from gate.suites.perturbation.tabular.operators import noise
from gate.suites.perturbation.tabular.schema import Schema, infer
from tests.support.tabular_frames import pandas_frame, perturbed

FLOATS = st.floats(allow_nan=True, allow_infinity=True)
SEEDS = st.integers(0, 2**63)
STRENGTHS: dict[str, st.SearchStrategy[float]] = {
    "gaussian": st.floats(1e-3, 5),
    "uniform": st.floats(1e-3, 5),
    "rounding": st.floats(1e-3, 5),
    "unit-error": st.sampled_from([10.0, 0.1, 1000.0]),
    "integer-step": st.integers(1, 9).map(float),
    "category-swap": st.integers(1, 4).map(float),
    "missing": st.floats(0.05, 1),
    "drop-out": st.floats(0.05, 1),
}
MOVES = st.sampled_from(list(STRENGTHS)).flatmap(lambda name: st.tuples(st.just(name), STRENGTHS[name]))
GIVEN = pandas_frame()


def schema_of(frame: Frame) -> Schema:
    return infer(
        frame,
        protected=["sex", "area"],
        overrides={"debt": {"immutable": True}},
        relations=["low <= high"],
        where="t",
    )


def perturb(given_frame: Any, move: tuple[str, float], seed: int) -> Any:
    frame = Frame.of(given_frame, "t")
    return perturbed(frame, schema_of(frame), *move, seed=seed, where="t")


@settings(deadline=None)
@given(st.lists(st.tuples(FLOATS, st.integers(-(2**63), 2**63 - 1), st.booleans()), min_size=1, max_size=9))
def test_a_round_trip_keeps_every_bit(rows: list[tuple[float, int, bool]]) -> None:
    given_frame = pd.DataFrame(
        {"f": [row[0] for row in rows], "n": [row[1] for row in rows], "b": [row[2] for row in rows]}
    )
    frame = Frame.of(given_frame, "t")
    made = frame.replaced({name: frame.values(name) for name in frame.names})
    for name in frame.names:
        assert made[name].to_numpy().tobytes() == given_frame[name].to_numpy().tobytes()
    array = np.array([[row[0], row[0]] for row in rows])
    held = Frame.of(array, "t")
    assert held.replaced({"0": held.values("0"), "1": held.values("1")}).tobytes() == array.tobytes()


@settings(deadline=None)
@given(
    st.lists(st.tuples(st.integers(-9, 9), st.integers(0, 9), st.floats(-9, 9)), min_size=2, max_size=12),
    st.floats(0.01, 9),
    SEEDS,
)
def test_projection_is_idempotent_and_within_every_bound(
    rows: list[tuple[int, int, float]], epsilon: float, seed: int
) -> None:
    data = pd.DataFrame({"a": [r[0] for r in rows], "b": [r[0] + r[1] for r in rows], "x": [r[2] for r in rows]})
    data["c"] = data["a"] + data["b"]
    frame = Frame.of(data, "t")
    ball = Ball(infer(frame, relations=["a <= b", "a + b == c"], where="t"), epsilon)
    clean = {name: frame.values(name) for name in frame.names}
    inside = [column.name for column in ball.columns]
    if not inside:
        return
    matrix = np.column_stack([clean[name] for name in inside])
    wanted = matrix + np.random.default_rng(seed).normal(0, 5, matrix.shape)
    found = ball.project(matrix, wanted, clean)
    np.testing.assert_array_equal(ball.project(matrix, found, clean), found)
    assert ball.holds(matrix, found, clean).all()
    assert (np.abs(found - matrix) <= ball.radius * (1 + 1e-9)).all()
    now = clean | dict(zip(inside, found.T, strict=True))
    assert (now["a"] <= now["b"]).all()
    assert (now["a"] + now["b"] == now["c"]).all()
    for column in ball.columns:
        assert column.low <= now[column.name].min()
        assert now[column.name].max() <= column.high
        if column.kind == "integer":
            assert (now[column.name] == np.rint(now[column.name])).all()


@settings(max_examples=40, deadline=None)
@given(MOVES, SEEDS)
def test_protected_and_immutable_columns_are_bit_identical(move: tuple[str, float], seed: int) -> None:
    found = perturb(GIVEN, move, seed)
    for name in ("sex", "area_north", "area_south", "area_west", "debt", "name", "since"):
        pd.testing.assert_series_equal(found[name], GIVEN[name], check_exact=True)
    assert (found.dtypes == GIVEN.dtypes).all()
    assert not (found["low"] > found["high"]).any()


@settings(max_examples=40, deadline=None)
@given(MOVES, SEEDS, st.permutations(list(GIVEN.columns)))
def test_the_order_of_columns_changes_nothing(move: tuple[str, float], seed: int, order: list[str]) -> None:
    pd.testing.assert_frame_equal(perturb(GIVEN[order], move, seed)[list(GIVEN.columns)], perturb(GIVEN, move, seed))


@settings(max_examples=40, deadline=None)
@given(SEEDS, st.floats(1e-3, 5), st.lists(st.integers(1, 25), min_size=1, max_size=5))
def test_batches_of_any_size_are_the_same_noise(seed: int, epsilon: float, sizes: list[int]) -> None:
    frame = Frame.of(GIVEN, "t")
    column = next(column for column in schema_of(frame).columns if column.name == "income")
    whole, parts = np.empty(frame.rows), np.empty(frame.rows)

    def source() -> noise.Noise:
        draws = generator(seed, epsilon, "income")
        return noise.Noise(frame.values("income"), column, epsilon, "gaussian", draws, bounded=True)

    source().write(whole)
    batches, start = source(), 0
    for size in [*sizes, frame.rows]:
        batches.write(parts[start : start + size])
        start += size
    assert whole.tobytes() == parts.tobytes()


@settings(max_examples=25, deadline=None)
@given(SEEDS, st.sampled_from(["gaussian", "uniform", "integer-step", "missing"]), st.data())
def test_other_columns_change_nothing(seed: int, name: str, data: st.DataObject) -> None:
    free = ["income", "age", "owner", "job"]
    kept = [*data.draw(st.lists(st.sampled_from(free), min_size=1, unique=True)), "age", "income"]
    some = GIVEN[list(dict.fromkeys(kept))]
    strength = data.draw(STRENGTHS[name])
    alone, whole = Frame.of(some, "t"), Frame.of(GIVEN[free], "t")
    found = perturbed(alone, infer(alone, where="t"), name, strength, seed=seed, where="t")
    beside = perturbed(whole, infer(whole, where="t"), name, strength, seed=seed, where="t")
    pd.testing.assert_frame_equal(found, beside[list(some.columns)])
