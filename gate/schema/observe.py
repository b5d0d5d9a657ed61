"""What a suite may ask of whoever runs it. Suites and recorders meet here and never import each other."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Protocol

PredictProba = Callable[..., object]
"""(n, features) inputs -> (n, classes) probabilities, or (n,) probabilities of the second class."""


class Recorder(Protocol):
    """What the `robustness` fixture gives a suite to leave its measurements with."""

    def metric(self, name: str, value: object, *, better: str = "higher", threshold: object = None) -> None:
        """One number of this case."""

    def predictions(
        self,
        name: str,
        *,
        ids: Sequence[object],
        expected: Sequence[object],
        predicted: Sequence[object],
        attacks: Mapping[str, Sequence[object]] | None = None,
    ) -> None:
        """Predictions of this case over named examples."""
