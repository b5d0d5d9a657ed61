"""The model: tells malignant from benign tumours by 30 measurements of cell nuclei."""

from __future__ import annotations

from dataclasses import dataclass

import pandas as pd
from sklearn.datasets import load_breast_cancer
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import train_test_split
from sklearn.pipeline import Pipeline, make_pipeline
from sklearn.preprocessing import StandardScaler

MALIGNANT, BENIGN = 0, 1


@dataclass(frozen=True)
class Split:
    """Rows to learn from and rows to judge by. The index of each frame is the number of the patient."""

    x_train: pd.DataFrame
    x_test: pd.DataFrame
    y_train: pd.Series
    y_test: pd.Series


def load_split() -> Split:
    """The data set that ships with scikit-learn, split in the same way each time: 341 rows and 228 rows."""
    data = load_breast_cancer(as_frame=True)
    return Split(*train_test_split(data.data, data.target, test_size=0.4, random_state=0, stratify=data.target))


def build_model() -> Pipeline:
    """An untrained model. Columns differ by a factor of 10,000 in size, so they are brought to one scale first."""
    return make_pipeline(StandardScaler(), LogisticRegression())


def train(split: Split) -> Pipeline:
    """A model that has learned the training rows."""
    return build_model().fit(split.x_train, split.y_train)
