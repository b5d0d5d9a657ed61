"""How many right answers stay right under an attack."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from gate.stats.intervals import Interval, wilson
from gate.stats.refusal import TooLittle
from gate.suites.perturbation.measures.per_epsilon import flags_of, same_length


@dataclass(frozen=True, slots=True)
class Robust:
    """Counts over examples whose truth is known; a rate is None where its denominator is 0.

    Attributes:
        known: examples with a known truth.
        right: of them, right on clean input.
        broken: of the right ones, flipped by the attack.
        interval: Wilson's (1927) for the attack success rate; None without a right example.
    """

    known: int
    right: int
    broken: int
    interval: Interval | None

    @property
    def accuracy(self) -> float | None:
        """Right on clean input, of those with a known truth."""
        return self.right / self.known if self.known else None

    @property
    def robust_accuracy(self) -> float | None:
        """Right on clean input and stable, of those with a known truth (Madry et al. 2018, section 5)."""
        return (self.right - self.broken) / self.known if self.known else None

    @property
    def stability(self) -> float | None:
        """Robust accuracy over the examples that are right on clean input: 1 less the attack success rate."""
        return (self.right - self.broken) / self.right if self.right else None

    @property
    def attack_success_rate(self) -> float | None:
        """Flipped, of those that are right on clean input (Carlini and Wagner 2017)."""
        return self.broken / self.right if self.right else None


def robust(right: Any, flipped: Any, known: Any = None, *, confidence: float = 0.95, where: str = "sweep") -> Robust:
    """Count what an attack broke.

    Args:
        right: (n,) whether the clean answer is the truth.
        flipped: (n,) whether the attack changed the answer; a right answer that changes is wrong.
        known: (n,) whether the truth is known; all by default.

    Raises:
        UsageError: no example, other lengths, or no truth values.
    """
    import numpy as np

    marks = flags_of(right, "right", where), flags_of(flipped, "flipped", where)
    told = np.ones(len(marks[0]), dtype=bool) if known is None else flags_of(known, "known", where)
    same_length(where, right=len(marks[0]), flipped=len(marks[1]), known=len(told))
    clean = marks[0] & told
    rights, broken = int(clean.sum()), int((clean & marks[1]).sum())
    found = wilson(broken, rights, confidence)
    return Robust(int(told.sum()), rights, broken, None if isinstance(found, TooLittle) else found)
