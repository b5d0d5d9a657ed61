"""Which examples flipped between two models: classes, or numbers with a tolerance."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from gate.errors import UndecidedError, UsageError
from gate.suites.perturbation.flips.rates import FlipRates

TIE = 1e-6
"""Distance of two probabilities that other hardware or another thread count makes of one."""


@dataclass(frozen=True, slots=True)
class Marks:
    """(n,) truth values an example; a flip is in exactly one of `negative` and `positive`, or in neither.

    Attributes:
        known: its truth is known.
        right_before: the first model's answer is right.
        negative, positive: right before and wrong after, and the reverse.
        changed: another answer, the truth known or not.
        borderline: another answer, but a tie on both sides: no flip and no change.
    """

    known: Any
    right_before: Any
    negative: Any
    positive: Any
    changed: Any
    borderline: Any

    def rates(self, rows: Any = None) -> FlipRates:
        """Counts over all examples, or over those that an (n,) mask chooses."""
        import numpy as np

        chosen = np.ones(len(self.known), dtype=bool) if rows is None else rows

        def count(marks: Any) -> int:
            return int((marks & chosen).sum())

        return FlipRates(
            both_right=count(self.right_before & ~self.negative),
            negative=count(self.negative),
            positive=count(self.positive),
            both_wrong=count(self.known & ~self.right_before & ~self.positive),
            changed=count(self.changed),
            total=int(chosen.sum()),
            borderline=count(self.borderline),
        )


def class_flips(
    before: Sequence[object],
    after: Sequence[object],
    truth: Sequence[object],
    *,
    margins: tuple[Any, Any] | None = None,
    tie: float = TIE,
    where: str = "flips",
) -> Marks:
    """Flips of classes.

    A class that only one model knows is a class like any other: an answer of it is another answer.

    Args:
        before, after: n answers of each model; None for no answer, which is wrong.
        truth: n true classes; None where unknown.
        margins: for each model (n,) probability of its answer less that of the runner-up. Where an answer changed and
            both are at most `tie`, it is borderline: it counts as the first model's.

    Raises:
        UsageError: other lengths, no example, or a tie width that is negative or no number.
    """
    import numpy as np

    _same_length(where, before=len(before), after=len(after), truth=len(truth))
    if not 0 <= tie < 1:
        raise UsageError(f"tie width {tie!r} lies outside 0 to 1", where=where, remedy="give one such as 1e-6")
    known = _flags(each is not None for each in truth)
    changed = _flags(was != now for was, now in zip(before, after, strict=True))
    borderline = np.zeros(len(truth), dtype=bool)
    if margins is not None:
        was_tied, is_tied = (np.asarray(each, dtype=float) <= tie for each in margins)
        _same_length(where, before=len(before), margins_before=len(was_tied), margins_after=len(is_tied))
        borderline = changed & was_tied & is_tied
    right_before = known & _flags(was == told for was, told in zip(before, truth, strict=True))
    right_after = known & _flags(now == told for now, told in zip(after, truth, strict=True))
    right_after = np.where(borderline, right_before, right_after)
    return Marks(
        known, right_before, right_before & ~right_after, right_after & ~right_before, changed & ~borderline, borderline
    )


def value_flips(before: Any, after: Any, truth: Any, tolerance: float, *, where: str = "flips") -> Marks:
    """Flips of numbers: an answer is right within the tolerance, and a flip is a change beyond it.

    A right answer that becomes wrong by a change within the tolerance is no flip: two models that differ by less than
    the tolerance never flip each other.

    Args:
        before, after: (n,) answers of each model.
        truth: (n,) true values, NaN where unknown.
        tolerance: the largest difference that does not matter, above 0, in the unit of the values.

    Raises:
        UsageError: other lengths, no example, or a tolerance that is not above 0.
        UndecidedError: an answer that is NaN or infinite.
    """
    import numpy as np

    was, now, told = (np.asarray(each, dtype=float) for each in (before, after, truth))
    _same_length(where, before=len(was), after=len(now), truth=len(told))
    if not 0 < tolerance < float("inf"):
        remedy = "give the largest difference that does not matter"
        raise UsageError(f"tolerance {tolerance!r} is not positive and finite", where=where, remedy=remedy)
    if not (np.isfinite(was).all() and np.isfinite(now).all()):
        raise UndecidedError("an answer is NaN or infinite", where=where, remedy="mend the model's answers")
    known = ~np.isnan(told)
    changed = np.abs(now - was) > tolerance
    right_before = known & (np.abs(was - told) <= tolerance)
    right_after = np.where(changed, known & (np.abs(now - told) <= tolerance), right_before)
    none = np.zeros(len(was), dtype=bool)
    return Marks(known, right_before, right_before & ~right_after, right_after & ~right_before, changed, none)


def _flags(values: Any) -> Any:
    import numpy as np

    return np.fromiter((bool(value) for value in values), dtype=bool)


def _same_length(where: str, **lengths: int) -> None:
    if len(set(lengths.values())) > 1:
        told = ", ".join(f"{count:,} {name}" for name, count in lengths.items())
        raise UsageError(f"lengths differ: {told}", where=where, remedy="align the examples by their keys first")
    if not min(lengths.values()):
        raise UsageError("there is no example", where=where, remedy="give at least one")
