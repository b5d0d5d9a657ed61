"""What can be a model, and how it is recognised: one function a family, tried in this order."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Any

from gate.errors import UsageError
from gate.suites.perturbation.models import boosters, endpoint, estimators, onnx
from gate.suites.perturbation.models.answers import Kind
from gate.suites.perturbation.models.model import Model
from gate.suites.perturbation.models.reading import label_text


def _callable(candidate: Any) -> Model | None:
    """Any function from rows to probabilities, labels, values or scores by name, a text classifier too."""
    if isinstance(candidate, type) or not callable(candidate):
        return None
    if type(candidate).__name__ == "TextClassificationPipeline":  # by itself it tells the best label only
        return Model("text classifier", lambda texts: candidate(texts, top_k=None), "probabilities")
    return Model(str(getattr(candidate, "__name__", type(candidate).__name__)), candidate)


RECOGNISERS: tuple[Callable[[Any], Model | None], ...] = (
    boosters.recognised,
    onnx.recognised,
    endpoint.recognised,
    estimators.recognised,
    _callable,
)
"""A new family is one function here: an object -> a model, or None where it is not of that family."""


def as_model(
    candidate: Any,
    *,
    kind: Kind | None = None,
    labels: Sequence[object] | None = None,
    cutoff: float | None = None,
    thread_safe: bool | None = None,
    where: str = "",
) -> Model:
    """Recognise a model; what is given here wins over what was recognised.

    Args:
        candidate: a `Model`, an estimator or pipeline, one of their methods, an xgboost booster, the path of an ONNX
            file, an `Endpoint` or its address, or any callable from rows.
        kind: what it answers, where one number a row could be a probability or a value.
        labels: its classes, in the order of the probabilities.
        cutoff: with two classes, the probability above which it decides for the second; 0.5 by default.
        thread_safe: whether several threads may ask it at once; assumed of no callable.

    Raises:
        UsageError: nothing that can be asked, or an option that it can't have.
    """
    found = candidate if isinstance(candidate, Model) else _recognised(candidate, where)
    if kind is not None:
        found = replace(found, kind=kind)
    if labels is not None:
        names = tuple(label_text(label) for label in labels)
        if len(set(names)) < len(names):
            raise UsageError("a class stands twice in `labels`", where=where, remedy="list every class once")
        found = replace(found, labels=names)
    if cutoff is not None:
        if not 0 < cutoff < 1:
            raise UsageError(f"the cut-off {cutoff!r} is not between 0 and 1", where=where, remedy="give a probability")
        found = replace(found, cutoff=float(cutoff))
    return found if thread_safe is None else replace(found, thread_safe=thread_safe)


def _recognised(candidate: Any, where: str) -> Model:
    for recogniser in RECOGNISERS:
        found = recogniser(candidate)
        if found is not None:
            return found
    kind = "the class itself" if isinstance(candidate, type) else f"a {type(candidate).__name__}"
    raise UsageError(
        f"{kind} can't be asked for predictions",
        where=where,
        remedy="give a fitted estimator, a callable from rows, the path of an ONNX file, or the address of a server",
    )
