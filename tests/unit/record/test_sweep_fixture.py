"""The fixture's sweep: classes in the model's order, keyed rows, and a result to assert on."""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd
import pytest

from gate.errors import UsageError
from gate.record.plugin.measure import Robustness


class Options:
    def getoption(self, name: str, default: object = None) -> object:
        return default


class Model:
    """Its classes are in no order that `y` could tell."""

    classes_ = np.array(["no", "maybe", "yes"])

    def predict_proba(self, inputs: Any) -> Any:
        place = np.digitize(np.asarray(inputs)[:, 0], [-0.5, 0.5])
        return np.eye(3)[place] * 0.8 + 0.2 / 3


def sweep(model: Any = None, y: Any = None, **options: Any) -> tuple[Any, dict[str, Any]]:
    facets: dict[str, Any] = {}
    robustness = Robustness("t.py::t", facets, Options())  # type: ignore[arg-type]
    inputs = pd.DataFrame({"a": np.linspace(-1, 1, 60)}, index=[f"p{place}" for place in range(60)])
    chosen = np.array(["no"] * 15 + ["maybe"] * 30 + ["yes"] * 15) if y is None else y
    return robustness.sweep(model or Model().predict_proba, inputs, chosen, **({"epsilons": [0.5]} | options)), facets


def test_classes_are_the_models_own() -> None:
    result, facets = sweep(threshold=0.15)
    assert result.predictions.labels == ("no", "maybe", "yes")
    assert result.accuracy == 1
    assert result.robust_accuracy(0.5) == 1 - result.predictions.attacks[0].flipped.count("1") / 60 < 1
    assert result.max_delta == pytest.approx(0.8)
    (metric,) = facets["metrics"]
    assert (metric["name"], metric["better"], metric["threshold"]) == ("sweep/max_delta", "lower", 0.15)
    assert metric["value"] == result.max_delta
    assert type(metric["value"]) is float


def test_labels_win_and_missing_truth_is_unknown() -> None:
    model = Model()
    y = pd.Series(["a"] * 15 + ["b"] * 30 + ["c"] * 14 + [None])
    result, _ = sweep(model.predict_proba, y, labels=["a", "b", "c"], name="other")
    assert result.predictions.expected[-1] == "."
    assert result.accuracy == 1


def test_truth_of_another_type_than_labels_is_refused() -> None:
    with pytest.raises(UsageError, match="classes of two types"):
        sweep(y=[0] * 60, labels=["0", "1", "2"])


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"labels": ["no", "no", "yes"]}, "'no' twice"),
        ({"labels": ["no", None, "yes"]}, "a missing value"),
        ({"ids": [1] * 60}, "stands twice"),
        ({"ids": [1]}, "1 ids, 60 rows"),
        ({"protected": "b"}, "no column 'b'"),
        ({"seed": 0.5}, "a whole number"),
        ({"epsilons": ["a lot"]}, "expected a number"),
    ],
)
def test_refused(options: dict[str, Any], message: str) -> None:
    with pytest.raises(UsageError, match=message):
        sweep(**options)


def test_a_model_without_answer_has_an_unscored_delta() -> None:
    _, facets = sweep(lambda inputs: np.full((60, 3), np.nan))
    assert facets["metrics"][0]["value"] is None
    assert facets["metrics"][0]["unscored"] == "the model gave no probability"
