"""What one ε did to the answers: how far they moved, and how many flipped."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from gate.errors import UndecidedError, UsageError
from gate.stats.intervals import Interval, wilson
from gate.stats.refusal import TooLittle

QUANTILES = (0.5, 0.9, 0.99)


@dataclass(frozen=True, slots=True)
class EpsilonMeasures:
    """One ε over `count` examples.

    Attributes:
        maximum, mean: of the change; the maximum is what the reference scores by.
        quantiles: of the change by level, linear between order statistics (Hyndman and Fan 1996, type 7). Unlike the
            maximum they do not grow with the number of rows.
        flips: examples whose answer flipped.
        interval: Wilson's (1927) for the true flip rate.
    """

    epsilon: float
    count: int
    maximum: float
    mean: float
    quantiles: Mapping[float, float]
    flips: int
    interval: Interval

    @property
    def flip_rate(self) -> float:
        """Flipped examples as a share of all."""
        return self.flips / self.count


def measure(
    epsilon: float,
    changes: Any,
    flipped: Any,
    *,
    quantiles: Sequence[float] = QUANTILES,
    confidence: float = 0.95,
    where: str = "sweep",
) -> EpsilonMeasures:
    """Sum up one ε.

    Args:
        changes: (n,) changes of the answers, 0 or more (L∞ of probabilities, or in the unit of the caller).
        flipped: (n,) truth values.
        quantiles: levels from 0 to 1.

    Raises:
        UsageError: no example, other lengths, or a level outside 0 to 1.
        UndecidedError: a change that is NaN, infinite or negative.
    """
    import numpy as np

    moved, marks = numbers_of(changes, "changes", where), flags_of(flipped, "flipped", where)
    same_length(where, changes=len(moved), flipped=len(marks))
    if not all(0 <= level <= 1 for level in quantiles):
        raise UsageError("a quantile's level lies outside 0 to 1", where=where, remedy="give levels such as 0.9")
    if (moved < 0).any():
        raise UndecidedError("a change is negative", where=where, remedy="give absolute changes")
    found = wilson(int(marks.sum()), len(marks), confidence)
    if isinstance(found, TooLittle):
        raise UsageError("there is no example", where=where, remedy="a sweep needs at least one example")
    return EpsilonMeasures(
        epsilon=float(epsilon),
        count=len(moved),
        maximum=float(moved.max()),
        mean=float(moved.mean()),
        quantiles={float(level): float(np.quantile(moved, level)) for level in quantiles},
        flips=int(marks.sum()),
        interval=found,
    )


def numbers_of(values: Any, name: str, where: str) -> Any:
    """(n,) float64 of finite numbers.

    Raises:
        UsageError: not one-dimensional, or no numbers.
        UndecidedError: NaN or infinite, which is no measurement.
    """
    import numpy as np

    try:
        found = np.asarray(values, dtype=float)
    except (TypeError, ValueError):
        raise UsageError(f"{name} are no numbers", where=where, remedy="give one number an example") from None
    if found.ndim != 1:
        raise UsageError(f"{name} have {found.ndim} dimensions", where=where, remedy="give one number an example")
    lost = int((~np.isfinite(found)).sum())
    if lost:
        raise UndecidedError(
            f"{lost:,} of {len(found):,} {name} are NaN or infinite",
            where=where,
            remedy="mend the model's answers for these rows, or leave the rows out",
        )
    return found


def flags_of(values: Any, name: str, where: str) -> Any:
    """(n,) truth values.

    Raises:
        UsageError: not one-dimensional, or other values than truth values, 0 and 1.
    """
    import numpy as np

    found = np.asarray(values)
    if found.ndim != 1 or (found.dtype != bool and not np.isin(found, (0, 1)).all()):
        raise UsageError(f"{name} are no truth values", where=where, remedy="give one truth value an example")
    return found.astype(bool)


def same_length(where: str, **lengths: int) -> None:
    """Refuse columns of different lengths, and empty ones."""
    if len(set(lengths.values())) > 1:
        told = ", ".join(f"{count:,} {name}" for name, count in lengths.items())
        raise UsageError(f"lengths differ: {told}", where=where, remedy="give one of each for every example")
    if not min(lengths.values()):
        raise UsageError("there is no example", where=where, remedy="a sweep needs at least one example")
