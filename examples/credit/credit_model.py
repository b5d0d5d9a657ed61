"""The model: which loan is paid back? A pipeline from the columns as they are, numbers and words, to two classes."""

from __future__ import annotations

from pathlib import Path

import pandas as pd
from sklearn.compose import make_column_transformer
from sklearn.linear_model import LogisticRegression
from sklearn.pipeline import Pipeline, make_pipeline
from sklearn.preprocessing import OneHotEncoder, StandardScaler

DATA = Path(__file__).parent / "data"
NUMBERS = ["age", "credit_amount", "duration", "job"]
WORDS = ["housing", "saving_accounts", "checking_account", "purpose"]
FLAGS = ["sex_female", "sex_male"]


def build_model() -> Pipeline:
    """An untrained model."""
    encoder = make_column_transformer(
        (StandardScaler(), NUMBERS),
        (OneHotEncoder(handle_unknown="ignore"), WORDS),
        ("passthrough", FLAGS),
    )
    return make_pipeline(encoder, LogisticRegression(C=0.3))


def train() -> Pipeline:
    """A model that has learned from the 600 loans in `data/train.csv`; the other 400 are held out."""
    loans = pd.read_csv(DATA / "train.csv")
    return build_model().fit(loans.drop(columns=["loan", "risk"]), loans["risk"])


pipeline = train()
