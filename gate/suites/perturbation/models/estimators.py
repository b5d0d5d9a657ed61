"""Objects with `predict_proba` or `predict`: scikit-learn's estimators and pipelines, and what is made like them."""

from __future__ import annotations

import importlib
import sys
from typing import Any

from gate.suites.perturbation.models.model import Model
from gate.suites.perturbation.models.reading import label_text

_METHODS = ("predict_proba", "predict")


def recognised(candidate: Any) -> Model | None:
    """A model of an estimator, or of one of its bound methods; None for anything else."""
    owner = getattr(candidate, "__self__", None)
    method = getattr(candidate, "__name__", "") if owner is not None else ""
    if method in _METHODS:
        return _of_method(owner, method, candidate)
    if isinstance(candidate, type) or not hasattr(candidate, "predict"):
        return None
    if hasattr(candidate, "predict_proba") and _decides_by_probability(candidate):
        return _of_method(candidate, "predict_proba", candidate.predict_proba)
    return _of_method(candidate, "predict", candidate.predict)


def _of_method(owner: Any, method: str, call: Any) -> Model:
    labels = _classes(owner)
    base = Model(_name(owner), call, labels=labels, thread_safe=_is_thread_safe(owner))
    if method == "predict_proba":
        return Model(base.name, call, "probabilities", labels, _cutoff(owner), base.thread_safe)
    if labels:
        return Model(base.name, call, "labels", labels, thread_safe=base.thread_safe)
    return Model(base.name, call, "values" if _is_regressor(owner) else None, thread_safe=base.thread_safe)


def _name(owner: Any) -> str:
    steps = getattr(owner, "steps", None)
    if isinstance(steps, list) and steps:
        return f"{type(owner).__name__} of {type(steps[-1][1]).__name__}"
    return type(owner).__name__


def _classes(owner: Any) -> tuple[str, ...]:
    try:
        classes = getattr(owner, "classes_", None)
    except Exception:  # a property of an estimator that is not fitted raises what it likes
        return ()
    if getattr(classes, "ndim", 0) != 1:
        return ()
    return tuple(label_text(value) for value in classes.tolist())  # type: ignore[union-attr]


def _is_thread_safe(owner: Any) -> bool:
    """Whether prediction changes nothing inside: what scikit-learn and xgboost's estimators promise, of each part."""
    if not _is_known(owner):
        return False
    try:
        parts = owner.get_params(deep=True).values()
    except Exception:  # what can't be looked into is asked one batch after the other
        return False
    return all(_is_known(part) for part in parts if callable(part) or hasattr(part, "fit") or hasattr(part, "predict"))


def _is_known(part: Any) -> bool:
    kind = part if isinstance(part, type) or not hasattr(type(part), "fit") else type(part)
    return str(getattr(kind, "__module__", "")).split(".")[0] in ("sklearn", "xgboost", "numpy", "builtins")


def _is_regressor(owner: Any) -> bool:
    if getattr(owner, "_estimator_type", None) == "regressor":
        return True
    if "sklearn" not in sys.modules:
        return False
    base: Any = importlib.import_module("sklearn.base")
    try:
        return bool(base.is_regressor(owner))
    except (AttributeError, TypeError, ValueError):
        return False


def _decides_by_probability(owner: Any) -> bool:
    """False where a threshold on something else than the probability decides, as a tuned one on a raw score may."""
    threshold = getattr(owner, "best_threshold_", getattr(owner, "threshold", None))
    if threshold is None or type(owner).__module__ != "sklearn.model_selection._classification_threshold":
        return True
    inner = getattr(owner, "estimator_", owner.estimator)
    return owner.response_method != "decision_function" and hasattr(inner, "predict_proba")


def _cutoff(owner: Any) -> float:
    """The probability above which the second class is predicted; 0.5 unless the estimator holds another."""
    if type(owner).__module__ != "sklearn.model_selection._classification_threshold":
        return 0.5
    threshold = getattr(owner, "best_threshold_", getattr(owner, "threshold", 0.5))
    if not isinstance(threshold, int | float):
        return 0.5
    classes = _classes(owner)
    first = owner.pos_label is not None and classes and label_text(owner.pos_label) == classes[0]
    return float(1 - threshold if first else threshold)
