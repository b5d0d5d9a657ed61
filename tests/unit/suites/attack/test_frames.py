"""The space of a frame: numbers move, categories, truth values and one-hot groups are swapped, the rest stays."""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd
import pytest

from gate.suites.perturbation.attack.frames import space_of
from gate.suites.perturbation.attack.objective import Objective
from gate.suites.perturbation.attack.worst_case import worst_case
from gate.suites.perturbation.models import as_model, ask
from gate.suites.perturbation.tabular.frame import Frame
from gate.suites.perturbation.tabular.schema import infer

ROWS = 60


def data() -> pd.DataFrame:
    random = np.random.default_rng(0)
    colour = random.integers(0, 3, ROWS)
    return pd.DataFrame(
        {
            "income": random.normal(50, 10, ROWS),
            "age": random.integers(18, 80, ROWS),
            "job": random.choice(["clerk", "cook", "nurse"], ROWS),
            "owner": random.random(ROWS) < 0.5,
            "colour_red": (colour == 0).astype(int),
            "colour_blue": (colour == 1).astype(int),
            "colour_green": (colour == 2).astype(int),
            "sex": random.choice(["f", "m"], ROWS),
        }
    )


def found_in(frame: pd.DataFrame, model: Any, swaps: int, epsilon: float = 0.3) -> tuple[Any, Any, Any]:
    read = Frame.of(frame, "test")
    space, assemble = space_of(read, infer(read, protected=["sex"], where="test"), swaps=swaps)
    asked = as_model(model)
    clean = ask(asked, frame, len(frame), "test", exact=True)
    found = worst_case(space, Objective(asked, assemble, clean), epsilon)
    return space, found, assemble(found.moved, np.arange(len(frame)))


def by_income_and_job(frame: Any) -> Any:
    score = (frame["income"] - 52) / 10 + (frame["job"] == "cook") * 0.4 + frame["owner"] * 0.2 + frame["colour_red"]
    p = (1 / (1 + np.exp(-score))).to_numpy()
    return np.column_stack([1 - p, p])


def test_without_swaps_only_numbers_move() -> None:
    space, found, moved = found_in(data(), by_income_and_job, 0)
    assert space.names == ("age", "income")
    assert 0 < found.flipped.sum() < ROWS
    pd.testing.assert_frame_equal(moved.drop(columns=["income", "age"]), data().drop(columns=["income", "age"]))
    assert (moved.dtypes == data().dtypes).all()


@pytest.mark.parametrize("swaps", [1, 2])
def test_swaps_stay_within_their_budget_and_types(swaps: int) -> None:
    clean = data()
    space, found, moved = found_in(clean, by_income_and_job, swaps)
    assert space.names[:2] == ("age", "income")
    assert len(space.names) == 5
    group = [name for name in clean if name.startswith("colour")]
    assert (moved[group].sum(axis=1) == 1).all()
    assert (moved["sex"] == clean["sex"]).all()
    changed = (moved[group] != clean[group]).any(axis=1).astype(int)
    changed += (moved["job"] != clean["job"]).astype(int) + (moved["owner"] != clean["owner"]).astype(int)
    assert changed.max() == swaps
    fell = found.flipped
    after = by_income_and_job(moved).argmax(axis=1)
    assert ((after != by_income_and_job(clean).argmax(axis=1)) == fell).all()
    _, fewer, _ = found_in(clean, by_income_and_job, swaps - 1)
    assert fell.sum() > fewer.flipped.sum()


def test_missing_cells_stay_missing() -> None:
    clean = data()
    clean["job"] = clean["job"].astype(object)
    clean.loc[:9, "job"] = None
    clean.loc[5:14, "income"] = np.nan
    _, _, moved = found_in(clean, lambda frame: by_income_and_job(frame.fillna({"income": 50.0})), 2)
    assert moved["job"][:10].isna().all()
    assert moved["income"][5:15].isna().all()


def test_an_array_of_numbers_goes_to_the_model_as_it_is() -> None:
    rows = np.random.default_rng(0).normal(size=(20, 3))
    read = Frame.of(rows, "test")
    space, assemble = space_of(read, infer(read, where="test"))
    moved = space.clean + 0.5
    assert assemble(moved, np.arange(20)) is moved
    single = Frame.of(rows.astype(np.float32), "test")
    _, other = space_of(single, infer(single, where="test"))
    assert other(moved, np.arange(20)).dtype == np.float32


def test_the_order_of_the_columns_changes_nothing_but_their_place() -> None:
    rows = np.random.default_rng(0).normal(size=(20, 12))  # by name 10 comes before 2
    read = Frame.of(rows, "test")
    space, assemble = space_of(read, infer(read, where="test"))
    assert space.names == tuple(sorted(map(str, range(12))))
    assert (assemble(space.clean, np.arange(20)) == rows).all()


def test_relations_hold_after_every_move() -> None:
    random = np.random.default_rng(1)
    frame = pd.DataFrame({"low": random.normal(size=40)})
    frame["high"] = frame["low"] + random.random(40) * 0.2
    read = Frame.of(frame, "test")
    space, assemble = space_of(read, infer(read, relations=["low <= high"], where="test"))
    seen: list[Any] = []

    def model(given: Any) -> Any:
        seen.append(given.copy())
        return (given["low"] > 0.1).map({True: "yes", False: "no"})

    clean = ask(model, frame, len(frame), "test")
    found = worst_case(space, Objective(as_model(model), assemble, clean), 0.5)
    assert found.flipped.sum() >= 5
    assert all((given["low"] <= given["high"]).all() for given in seen)
    assert not space.separable
