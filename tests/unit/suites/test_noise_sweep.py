"""Gaussian noise of a sweep against its formula, and what it leaves alone."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from gate.suites.perturbation.models import as_model, ask
from gate.suites.perturbation.noise_sweep import Noisy, gaussian
from gate.suites.perturbation.recorded import short
from gate.suites.perturbation.tabular.draws import column_noise
from gate.suites.perturbation.tabular.frame import Frame
from gate.suites.perturbation.tabular.schema import infer

ROWS = 40
PINNED = [-1.7774472894937383, 1.099568690846951, -0.845078697863602]


def array() -> Any:
    return np.random.default_rng(1).normal(size=(ROWS, 3)) * [1, 100, 0.01] + [0, 5, 0]


def first_column(inputs: Any) -> Any:
    second = 1 / (1 + np.exp(-4 * np.asarray(inputs, dtype=float)[:, 0]))
    return np.column_stack([1 - second, second])


def noisy(inputs: Any, epsilon: float, seed: int, model: Any = first_column, **options: Any) -> Noisy:
    frame = Frame.of(inputs, "test")
    asked = as_model(model, kind="probabilities", labels=["no", "yes"])
    clean = ask(asked, frame.native(), frame.rows, "test")
    return gaussian(asked, frame, infer(frame, where="test", **options), clean, epsilon, seed=seed)


def seen(inputs: Any, epsilon: float, seed: int, **options: Any) -> Any:
    """What the model is shown under noise."""
    shown: list[Any] = []

    def model(given: Any) -> Any:
        shown.append(given.copy())
        return np.full((len(given), 2), 0.5)

    noisy(inputs, epsilon, seed, model, **options)
    return shown[-1]


def test_noise_is_epsilon_times_the_population_deviation_within_the_observed_range() -> None:
    inputs = array()
    shown = seen(inputs, 0.3, 7)
    for place in range(3):
        column = inputs[:, place]
        expected = column + 0.3 * column.std() * column_noise(7, 0.3, str(place), ROWS)
        np.testing.assert_allclose(shown[:, place], expected.clip(column.min(), column.max()), rtol=1e-12)


def test_noise_of_a_column_is_pinned() -> None:
    """A change of these numbers changes every user's baseline."""
    np.testing.assert_allclose(column_noise(0, 0.05, "income", 3), PINNED, rtol=1e-12)


def test_flips_and_the_largest_change_by_hand() -> None:
    inputs = array()
    found = noisy(inputs, 0.5, 3)
    column = inputs[:, 0]
    moved = (column + 0.5 * column.std() * column_noise(3, 0.5, "0", ROWS)).clip(column.min(), column.max())
    before, after = first_column(inputs)[:, 1], first_column(moved[:, None])[:, 1]
    flipped = (before > 0.5) != (after > 0.5)
    assert flipped.any()
    assert (found.flipped == flipped).all()
    assert found.typical_maximum == pytest.approx(abs(before - after).max())
    assert set(found.moves) == set(found.raw) == set(np.flatnonzero(flipped).tolist())
    assert all(move.endswith(" sd") for move in found.moves.values())
    assert all(" → " in move for move in found.raw.values())


def test_empty_cells_stay_and_protected_columns_do() -> None:
    inputs = array()
    inputs[3, 0] = np.nan
    shown = seen(inputs, 0.1, 0, protected=["1"])
    assert np.isnan(shown[3, 0])
    assert (shown[:, 1] == inputs[:, 1]).all()
    assert (shown[5, [0, 2]] != inputs[5, [0, 2]]).all()


def test_a_model_that_changes_its_input_changes_nothing_else() -> None:
    def greedy(given: Any) -> Any:
        answer = first_column(given)
        given *= 0
        return answer

    inputs = array()
    mine, other = noisy(inputs, 0.5, 1, greedy), noisy(array(), 0.5, 1)
    assert (mine.answers.content == other.answers.content).all()
    assert (inputs == array()).all()


def test_close_epsilons_have_names_of_their_own() -> None:
    assert [short(each) for each in (0.1, 0.1000000001, 1e-6)] == ["0.1", "0.1000000001", "1e-06"]
