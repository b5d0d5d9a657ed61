"""What the model must do. The `robustness` fixture also tells the gate what was measured, example by example."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest
from model import BENIGN, MALIGNANT, Split, build_model, load_split, train
from sklearn.datasets import load_breast_cancer
from sklearn.metrics import recall_score
from sklearn.model_selection import cross_val_predict
from sklearn.pipeline import Pipeline

CLASSES = {MALIGNANT: "malignant", BENIGN: "benign"}


def patients(table: pd.DataFrame) -> list[str]:
    return [f"patient-{number}" for number in table.index]


@pytest.fixture(scope="module")
def split() -> Split:
    return load_split()


@pytest.fixture(scope="module")
def model(split: Split) -> Pipeline:
    return train(split)


def test_accuracy(model: Pipeline, split: Split, robustness) -> None:
    accuracy = model.score(split.x_test, split.y_test)
    robustness.metric("accuracy", accuracy, threshold=0.93)
    assert accuracy >= 0.93


def test_malignant_tumours_are_found(model: Pipeline, split: Split, robustness) -> None:
    recall = recall_score(split.y_test, model.predict(split.x_test), pos_label=MALIGNANT)
    robustness.metric("recall of malignant", recall, threshold=0.90)
    assert recall >= 0.90


def test_every_patient(robustness) -> None:
    """Each patient is judged by a model that has not seen them. The gate compares one by one, so no assertion."""
    data = load_breast_cancer(as_frame=True)
    predicted = cross_val_predict(build_model(), data.data, data.target, cv=5)
    robustness.predictions(
        "all patients",
        ids=patients(data.data),
        expected=[CLASSES[label] for label in data.target],
        predicted=[CLASSES[label] for label in predicted],
    )


def test_noisy_measurements(model: Pipeline, split: Split, robustness) -> None:
    """Noise of 5 and 20 % of each column's spread, but none on the column that comes from another laboratory."""
    robustness.sweep(
        model.predict_proba,
        split.x_test,
        split.y_test.map(CLASSES),
        labels=[CLASSES[label] for label in model.classes_],
        ids=patients(split.x_test),
        name="noisy",
        epsilons=(0.05, 0.2),
        protected=("mean fractal dimension",),
        seed=0,
    )


@pytest.mark.parametrize("column", ["mean radius", "mean area", "worst area", "worst perimeter"])
def test_the_unit_of_a_column_does_not_matter(model: Pipeline, split: Split, column: str) -> None:
    """A model that learns from millimetres must say what one that learns from micrometres says."""
    scaled = Split(
        split.x_train.assign(**{column: split.x_train[column] * 1000}),
        split.x_test.assign(**{column: split.x_test[column] * 1000}),
        split.y_train,
        split.y_test,
    )
    changed = np.sum(train(scaled).predict(scaled.x_test) != model.predict(split.x_test))
    assert changed == 0, f"{changed} of {len(split.x_test)} predictions depend on the unit of `{column}`"


def test_probabilities_sum_to_one(model: Pipeline, split: Split) -> None:
    assert np.allclose(model.predict_proba(split.x_test).sum(axis=1), 1)


def test_the_order_of_rows_does_not_matter(model: Pipeline, split: Split) -> None:
    assert np.array_equal(model.predict(split.x_test[::-1]), model.predict(split.x_test)[::-1])


def test_an_empty_table_is_refused(model: Pipeline, split: Split) -> None:
    with pytest.raises(ValueError, match="minimum of 1"):
        model.predict(split.x_test.iloc[:0])
