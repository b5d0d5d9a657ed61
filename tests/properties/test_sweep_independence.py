"""The noise of a column depends on (seed, ε, name) alone: not on other columns, other ε, or any order."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

from gate.suites.perturbation.tabular.frame import Frame
from gate.suites.perturbation.tabular.schema import infer
from tests.support.tabular_frames import perturbed

ROWS = 30
NAMES = ["age", "income", "Größe", "a b", "0"]
EPSILONS = st.lists(st.floats(1e-6, 10), min_size=1, max_size=4, unique=True)
SEEDS = st.integers(0, 2**63)


def shown(names: list[str], epsilons: list[float], seed: int) -> dict[float, dict[str, list[float]]]:
    """By ε and column, what the model sees."""
    base = np.random.default_rng(0).normal(size=(ROWS, len(NAMES)))
    frame = Frame.of(base[:, [NAMES.index(name) for name in names]], "test", names)
    schema = infer(frame, where="test")
    wide = replace(schema, columns=tuple(replace(each, low=-np.inf, high=np.inf) for each in schema.columns))
    calls: dict[float, Any] = {}
    for epsilon in epsilons:
        calls[epsilon] = perturbed(frame, wide, "gaussian", epsilon, seed=seed, where="test")
    return {epsilon: dict(zip(names, call.T.tolist(), strict=True)) for epsilon, call in calls.items()}


@settings(deadline=None)
@given(st.permutations(NAMES), EPSILONS, SEEDS)
def test_order_of_columns(names: list[str], epsilons: list[float], seed: int) -> None:
    assert shown(names, epsilons, seed) == shown(NAMES, epsilons, seed)


@settings(deadline=None)
@given(st.lists(st.sampled_from(NAMES), min_size=1, unique=True), EPSILONS, SEEDS)
def test_other_columns(names: list[str], epsilons: list[float], seed: int) -> None:
    whole = shown(NAMES, epsilons, seed)
    assert shown(names, epsilons, seed) == {e: {name: whole[e][name] for name in names} for e in whole}


@settings(deadline=None)
@given(EPSILONS, SEEDS, st.data())
def test_other_epsilons_and_their_order(epsilons: list[float], seed: int, data: st.DataObject) -> None:
    some = data.draw(st.permutations(epsilons))[: data.draw(st.integers(1, len(epsilons)))]
    whole = shown(NAMES, epsilons, seed)
    assert shown(NAMES, some, seed) == {epsilon: whole[epsilon] for epsilon in some}


@settings(deadline=None)
@given(EPSILONS, SEEDS)
def test_seeds_epsilons_and_names_differ(epsilons: list[float], seed: int) -> None:
    mine, other = shown(NAMES, epsilons, seed), shown(NAMES, epsilons, seed + 1)
    columns = [tuple(column) for side in (mine, other) for table in side.values() for column in table.values()]
    assert len(set(columns)) == len(columns)
