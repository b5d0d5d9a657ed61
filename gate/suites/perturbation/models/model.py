"""A model as one value: something to call, and what is known of its answers."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from gate.suites.perturbation.models.answers import Kind


@dataclass(frozen=True, slots=True)
class Model:
    """How a model is asked.

    Attributes:
        name: what it is, for messages and reports: `LogisticRegression`, `ONNX file credit.onnx`.
        call: rows of the user's own kind -> what the model answers.
        kind: what it answers; None where its first answer tells.
        labels: its classes in the order of the probabilities; empty where unknown.
        cutoff: with two classes, the probability above which it decides for the second.
        thread_safe: whether several threads may ask it at once.
        batch: the most rows that one call takes; 0 for no limit of its own.
    """

    name: str
    call: Callable[[Any], Any]
    kind: Kind | None = None
    labels: tuple[str, ...] = ()
    cutoff: float = 0.5
    thread_safe: bool = False
    batch: int = 0
