"""The reference's sweep under its names; each fault that was measured in it has a test that its behaviour fails.

`reference` below behaves as GlassAlpha 0.2.0 does, as far as these faults need it: one stream of draws over ε and
columns in their order, fractions in every column, protection by exact name, and comparisons that NaN slips through.
"""

from __future__ import annotations

import inspect
import math
from collections.abc import Sequence
from typing import Any

import pytest

np = pytest.importorskip("numpy")
pd = pytest.importorskip("pandas")

from gate.errors import UsageError  # noqa: E402
from gate.suites.perturbation.drop_in import (  # noqa: E402
    PerturbationError,
    PerturbationResult,
    epsilon_key,
    run_perturbation_sweep,
)
from gate.suites.perturbation.noise_sweep import draws_for  # noqa: E402


class Linear:
    """P(1) = logistic(x · weights), and what it was shown last."""

    classes_ = np.array([0, 1])

    def __init__(self, weights: dict[str, float]) -> None:
        self.weights = weights
        self.seen: list[Any] = []

    def predict_proba(self, rows: Any) -> Any:
        self.seen.append(rows.copy())
        score = sum(weight * np.asarray(rows[name], dtype=float) for name, weight in self.weights.items())
        one = 1 / (1 + np.exp(-score))
        return np.column_stack([1 - one, one])


def reference(
    model: Any, rows: Any, protected: Sequence[str], epsilons: Sequence[float], threshold: float, seed: int
) -> Any:
    stream = np.random.RandomState(seed)
    clean, deltas = model.predict_proba(rows)[:, 1], {}
    for epsilon in sorted(epsilons):
        moved = rows.copy()
        for name in rows.columns:
            if name not in protected and rows[name].std():
                moved[name] = rows[name] + stream.randn(len(rows)) * rows[name].std() * epsilon
        deltas[epsilon] = float(np.max(np.abs(model.predict_proba(moved)[:, 1] - clean)))
    score = max(deltas.values())
    return deltas, "PASS" if score < threshold else "FAIL" if score >= 1.5 * threshold else "WARNING"


@pytest.fixture(scope="module")
def rows() -> Any:
    random = np.random.default_rng(1)
    return pd.DataFrame(
        {
            "income": random.normal(3.0, 1.0, 120),
            "debt": random.normal(1.0, 0.5, 120),
            "age": random.integers(18, 80, 120),
            "sex_f": random.integers(0, 2, 120),
        }
    ).assign(sex_m=lambda frame: 1 - frame["sex_f"])


@pytest.fixture
def model() -> Linear:
    return Linear({"income": 1.0, "debt": -2.0, "age": 0.02, "sex_f": 0.5, "sex_m": -0.5})


def test_names_order_and_defaults_are_the_documented_ones() -> None:
    parameters = inspect.signature(run_perturbation_sweep).parameters
    assert list(parameters) == ["model", "X_test", "protected_features", "epsilon_values", "threshold", "seed"]
    defaults = {name: parameters[name].default for name in ("epsilon_values", "threshold", "seed")}
    assert defaults == {"epsilon_values": None, "threshold": 0.15, "seed": 42}


def test_the_result_has_the_documented_attributes_and_keys(model: Linear, rows: Any) -> None:
    result = run_perturbation_sweep(model, rows, ["sex"])
    assert isinstance(result, PerturbationResult)
    assert result.epsilon_values == [0.01, 0.05, 0.1]
    assert list(result.per_epsilon_deltas) == result.epsilon_values
    assert result.robustness_score == result.max_delta == max(result.per_epsilon_deltas.values())
    assert list(result.to_dict()) == [
        "robustness_score", "max_delta", "epsilon_values", "per_epsilon_deltas", "gate_status", "threshold",
        "n_samples", "n_features_perturbed",
    ]  # fmt: skip
    (analysis,) = result.to_json().values()
    assert list(result.to_json()) == ["stability_analysis"]
    assert list(analysis) == [
        "robustness_score", "gate_status", "threshold", "per_epsilon_deltas", "n_samples", "n_features",
        "n_protected", "seed",
    ]  # fmt: skip
    assert list(analysis["per_epsilon_deltas"]) == ["0.01", "0.05", "0.10"]
    assert (analysis["n_samples"], analysis["n_features"], analysis["n_protected"]) == (120, 5, 2)
    assert result.n_features_perturbed == 3


def test_few_rows_are_drawn_often_and_many_once() -> None:
    assert [draws_for(rows) for rows in (1, 800, 1_000, 13_333, 13_334, 300_000)] == [25, 25, 20, 2, 1, 1]


def test_epsilons_are_written_with_two_decimals_and_never_alike() -> None:
    assert [epsilon_key(each) for each in (0.1, 0.05, 0.001, 0.125, 1)] == ["0.10", "0.05", "0.001", "0.125", "1.00"]


def test_fault_the_list_of_epsilons_changes_no_shared_one(model: Linear, rows: Any) -> None:
    def ours(epsilons: list[float]) -> float:
        return run_perturbation_sweep(model, rows, ["sex"], epsilons).per_epsilon_deltas[0.1]

    assert ours([0.1]) == ours([0.01, 0.05, 0.1]) == ours([0.1, 0.05, 0.01])
    alone, _ = reference(model, rows, [], [0.1], 0.15, 42)
    listed, _ = reference(model, rows, [], [0.01, 0.05, 0.1], 0.15, 42)
    assert alone[0.1] != listed[0.1]


def test_fault_the_order_of_columns_changes_nothing(model: Linear, rows: Any) -> None:
    turned = rows[rows.columns[::-1]]
    assert run_perturbation_sweep(model, rows, ["sex"]) == run_perturbation_sweep(model, turned, ["sex"])
    assert reference(model, rows, [], [0.1], 0.15, 42) != reference(model, turned, [], [0.1], 0.15, 42)


def test_fault_the_seed_turns_the_verdict_less(model: Linear, rows: Any) -> None:
    """The threshold lies where the reference's verdict is a matter of luck."""
    few = rows[:60]
    scores = [run_perturbation_sweep(model, few, ["sex"], [0.1], seed=seed).robustness_score for seed in range(12)]
    lucky = [max(reference(model, few, ["sex_f", "sex_m"], [0.1], 0.1, seed)[0].values()) for seed in range(12)]
    assert np.std(scores) < 0.5 * np.std(lucky)
    threshold = float(np.mean(lucky))
    verdicts = {reference(model, few, ["sex_f", "sex_m"], [0.1], threshold, seed)[1] for seed in range(12)}
    assert len(verdicts) > 1
    assert len({run_perturbation_sweep(model, few, ["sex"], [0.1], max(scores) * 1.01, seed).gate_status
                for seed in range(12)}) == 1  # fmt: skip


def test_fault_one_hot_columns_of_a_protected_attribute_stay(model: Linear, rows: Any) -> None:
    run_perturbation_sweep(model, rows, ["sex"], [0.1])
    assert all(shown[["sex_f", "sex_m"]].equals(rows[["sex_f", "sex_m"]]) for shown in model.seen)
    model.seen.clear()
    reference(model, rows, ["sex"], [0.1], 0.15, 42)
    assert not model.seen[-1]["sex_f"].equals(rows["sex_f"])


def test_fault_whole_numbers_stay_whole_and_inside_their_range(model: Linear, rows: Any) -> None:
    run_perturbation_sweep(model, rows, ["sex"], [0.5])
    ages = model.seen[-1]["age"]
    assert ages.dtype == rows["age"].dtype
    assert not ages.equals(rows["age"])
    assert ages.between(rows["age"].min(), rows["age"].max()).all()
    model.seen.clear()
    reference(model, rows, [], [0.5], 0.15, 42)
    assert (model.seen[-1]["age"] % 1 != 0).any()


def test_fault_categories_stay_what_they_are(rows: Any) -> None:
    mixed = rows.assign(town=pd.Categorical(["a", "b"] * 60), coded=[0, 1] * 60)
    model = Linear({"income": 1.0, "coded": 1.0})
    run_perturbation_sweep(model, mixed, ["sex"], [0.1])
    assert all(shown["town"].equals(mixed["town"]) for shown in model.seen)
    assert set(model.seen[-1]["coded"].unique()) == {0, 1}


def test_fault_an_unknown_protected_name_is_an_error(model: Linear, rows: Any) -> None:
    with pytest.raises(PerturbationError, match="ages") as raised:
        run_perturbation_sweep(model, rows, ["ages"])
    assert "did you mean" in raised.value.remedy and "age" in raised.value.remedy
    reference(model, rows, ["ages"], [0.1], 0.15, 42)  # which perturbs `age` and says nothing


def test_fault_nan_is_an_error_and_no_status(rows: Any) -> None:
    class Broken(Linear):
        def predict_proba(self, rows: Any) -> Any:
            found = super().predict_proba(rows)
            found[3] = math.nan
            return found

    with pytest.raises(PerturbationError, match="no status"):
        run_perturbation_sweep(Broken({"income": 1.0}), rows, ["sex"])
    assert reference(Broken({"income": 1.0}), rows, [], [0.1], 0.15, 42)[1] == "WARNING"


@pytest.mark.parametrize("threshold", [0, -1.0, math.nan, math.inf])
def test_fault_a_threshold_that_decides_nothing_is_refused(model: Linear, rows: Any, threshold: float) -> None:
    with pytest.raises(ValueError, match="threshold"):
        run_perturbation_sweep(model, rows, ["sex"], [0.1], threshold)


@pytest.mark.parametrize("epsilons", [[], [0.0], [-0.1], [math.nan], [0.1, 0.1], ["0.1"], [math.inf]])
def test_epsilons_that_are_none_are_refused(model: Linear, rows: Any, epsilons: list[Any]) -> None:
    with pytest.raises(ValueError, match="epsilon"):
        run_perturbation_sweep(model, rows, ["sex"], epsilons)


@pytest.mark.parametrize(
    "bad", [pd.DataFrame({"a": []}), pd.DataFrame({"a": [1.0, 1.0]}), pd.DataFrame({"a": ["x", "y"]})]
)
def test_tables_that_nothing_can_be_moved_in_are_refused(bad: Any) -> None:
    with pytest.raises(PerturbationError):
        run_perturbation_sweep(Linear({}), bad, [])


@pytest.mark.parametrize(
    "given",
    [
        {"epsilon_values": 0.1},
        {"protected_features": None},
        {"seed": "x"},
        {"seed": 1.5},
        {"seed": None},
        {"seed": True},
    ],
)
def test_fault_arguments_of_another_type_are_refused_in_the_callers_own_error(rows: Any, given: Any) -> None:
    with pytest.raises(PerturbationError):
        run_perturbation_sweep(Linear({"income": 1.0}), rows, **{"protected_features": ["sex"], **given})


def test_a_seed_of_numpy_is_a_whole_number(model: Linear, rows: Any) -> None:
    told = run_perturbation_sweep(model, rows, ["sex"], [0.1], seed=np.int64(3))
    assert told == run_perturbation_sweep(model, rows, ["sex"], [0.1], seed=3)
    assert type(told.seed) is int


def test_errors_are_what_callers_of_the_reference_catch() -> None:
    assert issubclass(PerturbationError, ValueError)
    assert issubclass(PerturbationError, UsageError)


def test_the_input_is_never_changed(model: Linear, rows: Any) -> None:
    before = rows.copy()
    run_perturbation_sweep(model, rows, ["sex"])
    pd.testing.assert_frame_equal(rows, before)


class Steps:
    """A tree of one split far from all rows, or a constant."""

    classes_ = np.array([0, 1])

    def __init__(self, at: float, low: float = 0.2) -> None:
        self.at, self.low = at, low

    def predict_proba(self, rows: Any) -> Any:
        one = np.where(np.asarray(rows["x"]) > self.at, 0.8, self.low)
        return np.column_stack([1 - one, one])


@pytest.mark.parametrize(
    ("model", "values", "told"),
    [
        (Steps(50.0), np.r_[np.arange(40.0), np.arange(60.0, 100.0)] + 0.5, "steps"),
        (Steps(-1.0, 0.8), np.arange(80.0) + 0.5, "same answer"),
        (Steps(39.5), np.arange(80), "rounded"),
        (lambda frame: np.where(np.asarray(frame["x"]) > 50, "a", "b"), np.r_[0:40, 60:100] + 0.25, "classes"),
    ],
)
def test_a_score_of_zero_is_explained(model: Any, values: Any, told: str) -> None:
    result = run_perturbation_sweep(model, pd.DataFrame({"x": values}), [], [0.001])
    assert result.robustness_score == 0
    assert result.gate_status == "PASS"
    assert told in result.diagnosis


def test_fault_a_smooth_model_that_moves_little_answers_in_no_steps() -> None:
    rows = pd.DataFrame({"a": np.linspace(-1, 1, 100)})
    result = run_perturbation_sweep(Linear({"a": 1.0}), rows, [], [0.01])
    assert 0 < result.robustness_score < 0.005
    assert "steps" not in result.diagnosis and "smooth" in result.diagnosis


def test_a_model_that_ignores_what_moves_is_told(rows: Any) -> None:
    assert "hardly uses" in run_perturbation_sweep(Linear({"sex_f": 3.0}), rows, ["sex"], [0.1]).diagnosis


def test_a_score_above_zero_needs_no_explanation(model: Linear, rows: Any) -> None:
    assert run_perturbation_sweep(model, rows, ["sex"]).diagnosis == ""


def test_a_regression_is_measured_in_spreads_of_its_answers(rows: Any) -> None:
    class Values:
        _estimator_type = "regressor"

        def predict(self, frame: Any) -> Any:
            return 1000.0 * np.asarray(frame["income"], dtype=float)

    result = run_perturbation_sweep(Values(), rows, ["sex"], [0.1])
    assert 0.1 < result.robustness_score < 0.5  # a tenth of a spread times the largest of 120 normals


def test_fault_the_order_of_rows_changes_no_score() -> None:
    rows = pd.DataFrame(np.random.default_rng(0).normal(size=(40, 2)), columns=["a", "b"])
    model = Linear({"a": 1.0, "b": -1.0})
    there, back = (run_perturbation_sweep(model, given, []) for given in (rows, rows.sort_values("a")))
    assert back.per_epsilon_deltas == pytest.approx(there.per_epsilon_deltas, abs=1e-9)
