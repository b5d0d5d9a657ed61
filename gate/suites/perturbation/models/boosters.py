"""xgboost's `Booster`, whose objective says what its numbers are. Its estimators are recognised as scikit-learn's."""

from __future__ import annotations

import importlib
import json
from typing import Any

from gate.errors import UsageError
from gate.suites.perturbation.models.answers import Kind
from gate.suites.perturbation.models.model import Model

_KINDS: dict[str, Kind] = {
    "binary:logistic": "probabilities",
    "binary:logitraw": "probabilities",
    "multi:softprob": "probabilities",
    "multi:softmax": "labels",
    "binary:hinge": "labels",
}


def recognised(candidate: Any) -> Model | None:
    """A model of a trained booster; None for anything else."""
    kind = type(candidate)
    if kind.__name__ != "Booster" or not kind.__module__.startswith("xgboost"):
        return None
    objective = json.loads(candidate.save_config())["learner"]["objective"]["name"]
    if objective.startswith("rank:"):
        raise UsageError(
            f"a booster of the objective {objective} ranks, it predicts nothing that could flip",
            remedy="give a callable that turns its scores into labels or values",
        )

    def call(rows: Any) -> Any:
        import numpy as np

        xgboost: Any = importlib.import_module("xgboost")
        if isinstance(rows, np.ndarray) and candidate.feature_names is None:
            found = candidate.inplace_predict(rows, validate_features=False)
        else:
            names = candidate.feature_names if isinstance(rows, np.ndarray) else None
            found = candidate.predict(xgboost.DMatrix(rows, feature_names=names, enable_categorical=True))
        if objective == "binary:logitraw":
            return 1 / (1 + np.exp(-found.astype(np.float64)))
        if _KINDS.get(objective) == "labels":
            return found.astype(np.int64)
        return found

    return Model(f"xgboost Booster ({objective})", call, _KINDS.get(objective, "values"), thread_safe=True)
