"""What every attack takes and gives back."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Protocol

if TYPE_CHECKING:
    from gate.suites.perturbation.attack.objective import Objective
    from gate.suites.perturbation.attack.space import Space

BUDGET = 300
"""The most queries a row; on average a row takes about 90. See `benchmarks/sweep_attack.py` for what they find."""


@dataclass(frozen=True, slots=True, eq=False)
class Found:
    """A lower bound of the worst case: rows that are not flipped may have a flip that was missed.

    Attributes:
        attack, epsilon: which attack, in which ball.
        flipped: (n,) bool.
        moved: (n, d) a flipping point of each flipped row, the clean row for others.
        smallest: (n,) the ε of that point, in units of scale; infinite where none was found, so that the row is
            censored at `epsilon`.
        queries: (n,) int64, how often the model was asked about each row.
        budget: the most that were allowed a row.
        attackable: (n,) bool; False where the clean answer is missing or on the cut-off.
        errors: the cause, by row, where the model failed on a moved input.
    """

    attack: str
    epsilon: float
    flipped: Any
    moved: Any
    smallest: Any
    queries: Any
    budget: int
    attackable: Any
    errors: Mapping[int, str] = field(default_factory=dict)


class Attack(Protocol):
    """Looks for a flip of each row inside the ball of ε."""

    def __call__(self, space: Space, objective: Objective, epsilon: float, *, seed: int, budget: int) -> Found: ...
