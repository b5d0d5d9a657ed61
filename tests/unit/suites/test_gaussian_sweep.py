"""The Gaussian sweep against its formula, on arrays and frames, and what it refuses."""

from __future__ import annotations

import json
from typing import Any

import numpy as np
import pandas as pd
import pytest

from gate.errors import UsageError
from gate.suites.perturbation.gaussian import Swept, sweep
from gate.suites.perturbation.table import Table
from gate.suites.perturbation.tabular.draws import column_noise

ROWS = 40


def array() -> Any:
    return np.random.default_rng(1).normal(size=(ROWS, 3)) * [1, 100, 0.01] + [0, 5, 0]


def first_column(inputs: Any) -> Any:
    values = inputs.iloc[:, 0] if hasattr(inputs, "iloc") else inputs[:, 0]
    return 1 / (1 + np.exp(-4 * np.asarray(values, dtype=float)))


def truth_of(inputs: Any) -> list[str | None]:
    return [str(int(value > 0.5)) for value in first_column(inputs)]


def swept(inputs: Any, model: Any = first_column, **options: Any) -> Swept:
    chosen = {"truth": ["0", "1"] * (ROWS // 2), "epsilons": [0.1, 0.5], "labels": ["0", "1"]} | options
    return sweep(model, inputs, **chosen)


def seen(inputs: Any, **options: Any) -> list[Any]:
    """What a model is shown, the clean input first."""
    shown: list[Any] = []

    def model(given: Any) -> Any:
        shown.append(given.copy())
        return np.full(len(given), 0.5)

    swept(inputs, model, **options)
    return shown


def test_noise_is_epsilon_times_the_population_deviation() -> None:
    inputs = array()
    clean, noisy = seen(inputs, epsilons=[0.3], seed=7)
    assert (clean == inputs).all()
    for place in range(3):
        noise = column_noise(7, 0.3, str(place), ROWS)
        expected = inputs[:, place] + 0.3 * inputs[:, place].std() * noise
        np.testing.assert_allclose(noisy[:, place], expected, rtol=1e-12)


def test_noise_of_a_column_is_pinned() -> None:
    """A change of these numbers changes every user's baseline."""
    np.testing.assert_allclose(column_noise(0, 0.05, "income", 3), PINNED, rtol=1e-12)


PINNED = [1.3430209335818568, 0.774454055354693, 0.7988404097522482]


def test_flips_scores_and_delta_by_hand() -> None:
    inputs = array()
    found = swept(inputs, truth=truth_of(inputs), epsilons=[0.5], seed=3)
    noisy = inputs[:, 0] + 0.5 * inputs[:, 0].std() * column_noise(3, 0.5, "0", ROWS)
    before, after = first_column(inputs), first_column(noisy.reshape(-1, 1))
    flipped = (before > 0.5) != (after > 0.5)
    assert found.attacks[0].flipped == "".join("01"[int(each)] for each in flipped)
    assert "1" in found.attacks[0].flipped
    assert found.deltas == {0.5: pytest.approx(float(abs(before - after).max()))}
    assert found.expected == found.predicted
    assert set(found.attacks[0].moves) == {place for place, each in enumerate(flipped) if each}
    assert all(move.endswith(" sd") for move in found.attacks[0].moves.values())
    assert json.loads(found.design["epsilons"]) == [0.5]


def test_frames_are_perturbed_only_where_they_are_numeric() -> None:
    frame = pd.DataFrame(
        {
            "income": np.linspace(0, 1, ROWS),
            "count": np.arange(ROWS),
            "single": np.linspace(0, 1, ROWS, dtype="float32"),
            "gaps": pd.array([1, None] * (ROWS // 2), dtype="Int64"),
            "more": pd.array([1, 2, None, 4] * (ROWS // 4), dtype="Float64"),
            "age": np.arange(ROWS),
            "flag": [True, False] * (ROWS // 2),
            "text": ["a", "b"] * (ROWS // 2),
            "kind": pd.Categorical([1, 2] * (ROWS // 2)),
            "day": pd.date_range("2024-01-01", periods=ROWS),
            "same": [0.1] * ROWS,
        },
        index=[f"p{place}" for place in range(ROWS)],
    )
    before = frame.copy(deep=True)
    clean, noisy = seen(frame, protected=["age"], epsilons=[0.1])
    pd.testing.assert_frame_equal(frame, before)
    pd.testing.assert_frame_equal(clean, before)
    for name in ("age", "flag", "text", "kind", "day", "same", "gaps"):
        pd.testing.assert_series_equal(noisy[name], frame[name])
    for name in ("income", "count", "single", "more"):
        assert not noisy[name].equals(frame[name].astype(noisy[name].dtype)), name
    assert [str(noisy[name].dtype) for name in ("count", "single", "more")] == ["float64", "float32", "Float64"]
    assert noisy["more"].isna().equals(frame["more"].isna())
    assert swept(frame, protected=["age"]).row_names[:2] == ("p0", "p1")


def test_empty_and_endless_cells_stay() -> None:
    inputs = array()
    inputs[3, 0], inputs[4, 1] = np.nan, np.inf
    _, noisy = seen(inputs, epsilons=[0.1])
    assert np.isnan(noisy[3, 0])
    assert noisy[4, 1] == np.inf
    assert (noisy[5] != inputs[5]).all()


def test_huge_numbers_have_a_deviation() -> None:
    inputs = array() * [1e300, 1, 1e-300]
    _, noisy = seen(inputs, epsilons=[0.1])
    assert np.isfinite(noisy).all()
    assert (noisy != inputs).all()


def test_a_model_that_changes_its_input_changes_nothing_else() -> None:
    def greedy(given: Any) -> Any:
        answer = first_column(given)
        given *= 0
        return answer

    inputs = array()
    assert swept(inputs, greedy) == swept(inputs)


def test_single_precision_and_feature_names() -> None:
    inputs = array().astype("float32")
    _, noisy = seen(inputs, epsilons=[0.1], feature_names=["a", "b", "c"], protected=["b"])
    assert noisy.dtype == np.float32
    assert (noisy[:, 1] == inputs[:, 1]).all()


@pytest.mark.parametrize("shape", [(ROWS,), (ROWS, 1), (ROWS, 2)])
def test_shapes_of_probabilities(shape: tuple[int, ...]) -> None:
    def model(given: Any) -> Any:
        second = first_column(given)
        return np.column_stack([1 - second, second]) if shape[-1] == 2 else second.reshape(shape)

    assert swept(array(), model) == swept(array())


def test_a_probability_that_is_none_is_unscored() -> None:
    def model(given: Any) -> Any:
        answer = first_column(given)
        answer[2] = np.nan
        return answer

    found = swept(array(), model)
    assert {found.predicted[2], found.scores[2], *(attack.flipped[2] for attack in found.attacks)} == {"."}
    assert found.max_delta is not None
    assert swept(array(), lambda given: np.full(len(given), np.nan)).max_delta is None


def test_whole_numbers_are_sorted_by_value_and_gaps_filled() -> None:
    def model(given: Any) -> Any:
        return np.eye(12)[np.arange(len(given)) % 12]

    truth = [str(place % 11) for place in range(ROWS)]
    found = swept(array(), model, truth=truth, labels=None, numeric=True)
    assert found.labels == tuple(str(place) for place in range(12))
    assert found.predicted[10] == found.expected[10] == "a"


def test_what_the_model_raises_is_passed_on_with_a_note() -> None:
    def model(given: Any) -> Any:
        raise KeyError("column")

    with pytest.raises(KeyError) as raised:
        swept(array(), model, where="test_a: sweep 's'")
    assert raised.value.__notes__ == ["test_a: sweep 's': raised by predict_proba"]


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"epsilons": []}, "no epsilon"),
        ({"epsilons": [0.0]}, "not positive"),
        ({"epsilons": [float("nan")]}, "not positive"),
        ({"epsilons": [float("inf")]}, "not positive"),
        ({"epsilons": [0.1, 0.1]}, "stands twice"),
        ({"protected": ["00"]}, "no column '00'.*did you mean '0'"),
        ({"protected": ["0", "1", "2"]}, "nothing would be perturbed"),
        ({"truth": ["0"]}, "lengths differ"),
        ({"labels": ["0", "1", "2"]}, "2 columns for 3 classes"),
        ({"labels": ["0", "2"]}, "lacks the class '1'"),
        ({"feature_names": ["a"]}, "1 feature_names for 3 columns"),
        ({"feature_names": ["a", "a", "b"]}, "named 'a'"),
        ({"inputs": [1, 2]}, "1 dimensions"),
        ({"inputs": np.zeros((0, 2)), "truth": []}, "no rows"),
        ({"inputs": np.array([["a"]] * ROWS, dtype=object)}, "nothing would be perturbed"),
        ({"model": lambda given: [["a"]] * ROWS}, "no array of numbers"),
        ({"model": lambda given: np.zeros(3)}, "gave the shape"),
        ({"model": lambda given: np.full(ROWS, 2.0)}, "outside 0 to 1"),
        ({"model": lambda given: np.full(ROWS, np.inf)}, "outside 0 to 1"),
    ],
)
def test_refused(change: dict[str, Any], message: str) -> None:
    with pytest.raises(UsageError) as refused:
        swept(**({"inputs": array()} | change))
    text = str(refused.value).replace("\n", " ")
    assert pytest.importorskip("re").search(message, text), text
    assert refused.value.remedy


def test_columns_of_one_text_are_refused() -> None:
    frame = pd.DataFrame(array()[:, :2], columns=[1, "1"])
    with pytest.raises(UsageError, match="named '1'"):
        Table(frame, "w")


def test_close_epsilons_have_names_of_their_own() -> None:
    names = [attack.name for attack in swept(array(), epsilons=[0.1, 0.1000000001]).attacks]
    assert names == ["gaussian ε=0.1", "gaussian ε=0.1000000001"]
