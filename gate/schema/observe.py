"""What a suite may ask of whoever runs it. Suites and recorders meet here and never import each other."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
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


@dataclass(frozen=True, slots=True)
class Sent:
    """One request that left a test, through a client library of this process or through the proxy.

    Attributes:
        digest: equal for requests that are the same but for what does not count in them.
        text: every text of its body, one after the other; it may be as long as the request, and is never written down.
        answer: digest of the texts that came back, without ids and times; empty where no whole answer came.
    """

    digest: str
    text: str
    answer: str = ""


class Observer(Protocol):
    """What a suite may ask about the calls of a test, whoever records or replays them."""

    def sent(self, case: str, trial: int) -> tuple[Sent, ...]:
        """Requests of one trial so far, in their order; empty where nothing was observed."""

    def trials(self, case: str) -> tuple[int, ...]:
        """Numbers of the trials of a case that sent anything, sorted."""

    def forget(self, case: str) -> None:
        """Let go of what a case sent."""
