"""How far a row is from a flip, and whether it flipped, asked of the model."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from gate.suites.perturbation.models import (
    TIE_WIDTH,
    Answers,
    Model,
    NoiseFloor,
    aligned,
    ask,
    borderline,
    changes,
    flipped,
    spread_of,
)

Assemble = Callable[[Any, Any], Any]
"""(moved (m, d), rows (m,)) -> the m rows as the model takes them."""

LEAST = 1e-12
"""Probabilities below are all alike: a sum in another order moves the rest of a sure answer by 1e-16."""
MOST_TARGETS = 8


class Objective:
    """What an attack asks.

    Args:
        model: whose answers are to change.
        assemble: brings moved rows into the model's own kind.
        clean: its answers to the n rows as they are.
        tolerance: for values, how many spreads are still the same.
        spread: for values, the target's standard deviation; by default that of the clean answers.
        floor: what the model does by itself: no flip is one that it may have made without any move.

    Attributes:
        queries: (n,) int64, how often each row was asked about.
        errors: by row the cause, where the model failed on a moved input.
    """

    def __init__(  # noqa: PLR0913  what a question is made of
        self,
        model: Model,
        assemble: Assemble,
        clean: Answers,
        *,
        tolerance: float | None = None,
        spread: float | None = None,
        tie: float = TIE_WIDTH,
        floor: NoiseFloor | None = None,
        threads: int = 1,
        where: str = "attack",
    ) -> None:
        self._model, self._assemble, self._clean = model, assemble, clean
        self._tolerance, self._threads, self._where = tolerance, threads, where
        self._floor = None if floor is None or floor.deterministic else floor
        self._tie = tie if self._floor is None else max(tie, self._floor.size)
        self._copies = True
        self._spread = spread
        if clean.kind == "values":
            self._spread = spread_of(clean) if spread is None else spread
        self.queries = np.zeros(clean.rows, dtype=np.int64)
        self.errors: dict[int, str] = {}

    @property
    def blind(self) -> bool:
        """Whether answers are labels, which do not say how near a flip is."""
        return self._clean.kind == "labels"

    @property
    def attackable(self) -> Any:
        """(n,) bool: rows with an answer that is not on the cut-off already."""
        return self._clean.answered & ~borderline(self._clean, tie=self._tie)

    def ask(self, moved: Any, rows: Any) -> tuple[Any, Any]:
        """Ask about m moved rows.

        Args:
            moved: (m, d) points.
            rows: (m,) which clean row each belongs to.

        Returns:
            (m, targets) distance to go to each way of flipping, in log odds or in spreads, infinite where the model
            failed; and (m,) bool, whether the row flipped beyond the tie width.
        """
        before, after = self.answers(moved, rows)
        fell = self.flips(before, after)
        distance = self._distance(before, after, fell)
        distance[~after.answered] = np.inf
        return distance, fell

    def answers(self, moved: Any, rows: Any) -> tuple[Answers, Answers]:
        """The answers to the m clean rows, which are known, and to the moved ones, with the same classes."""
        answers = ask(
            self._model,
            self._assemble(moved, rows),
            len(rows),
            self._where,
            threads=self._threads,
            exact=True,
            copies=self._copies,
        )
        self._copies = self._copies and answers.mutated
        self.queries += np.bincount(rows, minlength=len(self.queries))
        for place, cause in answers.failed.items():
            self.errors.setdefault(int(rows[place]), cause)
        return aligned(self._clean.take(rows), answers, self._where)

    def flips(self, before: Answers, after: Answers) -> Any:
        """(m,) bool: another class beyond the tie width, or a value beyond the tolerance."""
        found = flipped(before, after, self._tolerance, tie=self._tie, spread=self._spread, where=self._where)
        if self._floor is not None:
            found &= ~self._floor.within(changes(before, after, self._spread, self._where))
        return found

    def told(self, before: Answers, after: Answers) -> list[tuple[str, str]]:
        """The classes before and after; for values nothing and the change in spreads, which is no raw value."""
        if before.kind == "values":
            moved = (after.content - before.content) / self._spread
            return [("", f"{change:+.3g} sd") for change in moved.tolist()]
        names = [*before.labels, ""]
        pairs = zip(before.predicted().tolist(), after.predicted().tolist(), strict=True)
        return [(names[was], names[now]) for was, now in pairs]

    def _distance(self, before: Answers, after: Answers, fell: Any) -> Any:
        if before.kind == "labels":
            return np.where(fell, -1.0, 1.0)[:, None]
        if before.kind == "values":
            moved = (after.content - before.content) / self._spread
            allowed = float(self._tolerance or 0.0)
            return np.column_stack([allowed - moved, allowed + moved])
        if len(before.labels) == 2:
            cutoff = _odds(np.array(before.cutoff))
            side = np.where(before.predicted() == 1, 1.0, -1.0)
            return ((_odds(after.content[:, 1]) - cutoff) * side)[:, None]
        return self._to_classes(before, after)

    def _to_classes(self, before: Answers, after: Answers) -> Any:
        """(m, targets) log p(own class) − log p(other), for the classes that are likeliest on the clean row."""
        own = before.predicted()
        every = np.arange(len(own))
        order = np.argsort(-before.content, axis=1, kind="stable")
        others = order[order != own[:, None]].reshape(len(own), -1)[:, :MOST_TARGETS]
        logs = np.log(np.maximum(np.round(after.content, 12), LEAST))
        return logs[every, own][:, None] - np.take_along_axis(logs, others, axis=1)


def _odds(probability: Any) -> Any:
    """Log odds, the same for all that is nearer than 1e-12 to 0 or 1."""
    kept = np.clip(np.round(probability, 12), LEAST, 1 - LEAST)
    return np.log(kept / (1 - kept))
