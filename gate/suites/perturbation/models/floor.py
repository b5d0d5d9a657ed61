"""What a model does by itself: whether the same rows get the same answers twice."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from gate.errors import UsageError
from gate.suites.perturbation.models import rows as pieces
from gate.suites.perturbation.models.answers import Answers, aligned, changes
from gate.suites.perturbation.models.asking import ask
from gate.suites.perturbation.models.model import Model

FLOOR_ROWS = 1000


@dataclass(frozen=True, slots=True)
class NoiseFloor:
    """How much answers to unchanged rows differ.

    Attributes:
        rows: how many rows were asked twice.
        largest: largest change between the two answers, in the unit of `changes`.
        mean: mean change.
        other_class: how many of the rows got another predicted class.
        in_company: largest change when each row was asked about in other company; more than `largest` in a model that
            looks at the whole batch.
        mutates: whether the model changed the rows that it was given.
    """

    rows: int
    largest: float
    mean: float
    other_class: int
    in_company: float
    mutates: bool

    @property
    def deterministic(self) -> bool:
        """Whether the same rows got the same answers, in whatever company."""
        return self.largest == 0 and self.in_company == 0

    @property
    def size(self) -> float:
        """The largest change that the model makes by itself, 0 for a deterministic one."""
        return max(self.largest, self.in_company)

    def inside(self, change: float) -> bool:
        """Whether a change is no larger than what the model does by itself, and so is no finding.

        Nothing is subtracted from a change beyond the floor. NaN is inside nothing: it is an error, never a pass.
        """
        return not self.deterministic and change <= self.size

    def within(self, changes: Any) -> Any:
        """(n,) which changes are no larger than what the model does by itself; none for a deterministic model."""
        import numpy as np

        if self.deterministic:
            return np.zeros(len(changes), dtype=bool)
        return changes <= self.size

    def told(self) -> str:
        """One sentence for a report; empty for a deterministic model."""
        if self.largest:
            return (
                f"the model is random or keeps state: asked twice about {self.rows:,} unchanged rows, its answers "
                f"differ by up to {self.largest:.3g} (mean {self.mean:.3g}); a change inside that is no finding"
            )
        if self.in_company:
            return (
                f"the model's answer to a row depends on the other rows of its batch, by up to {self.in_company:.3g}; "
                "a change inside that is no finding"
            )
        return ""


def noise_floor(model: Model, native_rows: Any, rows: int, where: str, *, spread: float | None = None) -> NoiseFloor:
    """Ask three times about the first rows, at most 1,000: twice alike, then in two halves.

    Args:
        spread: the target's standard deviation, for values.

    Raises:
        UsageError: what `ask` raises.
    """
    import numpy as np

    if rows < 1:
        raise UsageError("there are no rows to ask about", where=where, remedy="give at least one")
    count = min(rows, FLOOR_ROWS)
    shown = pieces.part(native_rows, 0, count)
    first, second = ask(model, shown, count, where), ask(model, shown, count, where)
    moved = _known(changes(first, second, spread, where))
    other = 0
    if first.kind != "values":
        one, two = aligned(first, second, where)
        other = int(np.count_nonzero(one.answered & two.answered & (one.predicted() != two.predicted())))
    return NoiseFloor(
        rows=count,
        largest=float(moved.max(initial=0.0)),
        mean=float(moved.mean()) if moved.size else 0.0,
        other_class=other,
        in_company=_in_company(model, shown, count, first, spread, where),
        mutates=first.mutated or second.mutated,
    )


def _in_company(model: Model, shown: Any, count: int, first: Answers, spread: float | None, where: str) -> float:
    import numpy as np

    if count < 2:
        return 0.0
    middle = count // 2
    halves = [(0, middle), (middle, count)]
    largest = 0.0
    for start, stop in halves:
        try:
            again = ask(model, pieces.part(shown, start, stop), stop - start, where)
        except UsageError:
            if all(row in first.failed for row in range(start, stop)):
                continue  # every row of this half is an error row already
            raise
        known = _known(changes(first.take(np.arange(start, stop)), again, spread, where))
        largest = max(largest, float(known.max(initial=0.0)))
    return largest


def _known(moved: Any) -> Any:
    import numpy as np

    return moved[~np.isnan(moved)]
