"""What a sweep is given and gives back, between the fixture and the suite that measures."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from gate.errors import UsageError
from gate.record.plugin import values
from gate.schema.report import Predictions


@dataclass(frozen=True, slots=True)
class SweepResult:
    """What a sweep recorded, for the test's own assertions.

    Attributes:
        predictions: what stands in the report.
        deltas: for each ε the largest change of any class's probability; None where the model gave no number.
    """

    predictions: Predictions
    deltas: Mapping[float, float | None]

    @property
    def max_delta(self) -> float | None:
        """The largest change over all ε; None without any."""
        return max((delta for delta in self.deltas.values() if delta is not None), default=None)

    @property
    def accuracy(self) -> float | None:
        """Share of the examples with a known class that are right without noise; None without any."""
        return self._share(None)

    def robust_accuracy(self, epsilon: float) -> float | None:
        """Share of the examples with a known class that are right and that the noise of ε does not flip."""
        return self._share(self.predictions.attacks[sorted(self.deltas).index(epsilon)].flipped)

    def _share(self, flipped: str | None) -> float | None:
        expected, predicted = self.predictions.expected, self.predictions.predicted
        marks = flipped if flipped is not None else "0" * len(expected)
        known = [
            truth == answer and mark == "0"
            for truth, answer, mark in zip(expected, predicted, marks, strict=True)
            if truth != "."
        ]
        return sum(known) / len(known) if known else None


@dataclass(frozen=True, slots=True)
class Given:
    """The truth as texts, and the classes in the order of the probabilities, None where only `y` can tell it."""

    truth: list[str | None]
    labels: list[str] | None
    numeric: bool


def inputs_of(predict_proba: Any, y: Any, labels: Any, where: str) -> Given:
    """Read `y` and `labels` together, so that 1 in one and "1" in the other is an error.

    Raises:
        UsageError: classes of several types, or a class of `labels` that stands twice.
    """
    truth = values.series(y, where)
    own: Any = getattr(getattr(predict_proba, "__self__", None), "classes_", None)
    if labels is None and getattr(own, "ndim", 0) == 1:
        try:
            values.classes(where, truth, values.series(own, where))
            labels = own
        except UsageError:
            labels = None  # the model was fitted on coded classes: the order of y's own must do
    if labels is None:
        (told,), _, numeric = values.classes(where, truth)
        return Given(told, None, numeric)
    (told, named), _, numeric = values.classes(where, truth, values.series(labels, where))
    given = [name for name in named if name is not None]
    repeated = values.twice(given)
    if repeated is not None or len(given) < len(named):
        what = "a missing value" if repeated is None else f"the class {repeated!r:.60} twice"
        raise UsageError(f"`labels` holds {what}", where=where, remedy="list every class once")
    return Given(told, given, numeric)
