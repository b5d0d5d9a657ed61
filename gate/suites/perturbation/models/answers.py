"""What a model answered, as one value: probabilities, labels or numbers, one row an example.

A row without an answer is an error row: it has a cause, and it takes part in no measure.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Any, Literal

from gate.errors import UsageError

Kind = Literal["probabilities", "labels", "values"]

TIE_WIDTH = 1e-6
"""How near to the cut-off a probability decides nothing.

Another machine, library version or number of threads sums in another order. In double precision that moves a
probability by about 1e-15, in the single precision of boosted trees and of networks by up to some 1e-7.
"""


@dataclass(frozen=True, slots=True, eq=False)
class Answers:
    """Answers of one model to n rows.

    Attributes:
        kind: what `content` holds.
        content: (n, classes) float64 probabilities; (n,) int64 places in `labels`; or (n,) float64 values. A row that
            has no answer holds NaN, or -1 among labels.
        labels: the classes in the order of the probabilities or of the places; empty for values.
        failed: the cause, by row, for rows without an answer.
        cutoff: with two classes, the probability above which the second is predicted.
        mutated: whether the model changed the rows that it was given (a copy, so nothing came of it).

    Raises:
        UsageError: a shape that does not fit, or NaN in a row that is not in `failed`.
    """

    kind: Kind
    content: Any
    labels: tuple[str, ...] = ()
    failed: Mapping[int, str] = field(default_factory=dict)
    cutoff: float = 0.5
    mutated: bool = False

    def __post_init__(self) -> None:
        import numpy as np

        wide = self.kind == "probabilities"
        if self.content.ndim != 1 + wide or (wide and self.content.shape[1] != len(self.labels)):
            raise UsageError(
                f"{self.kind} of the shape {self.content.shape} do not fit {len(self.labels)} classes",
                remedy="give one column for each class, or one answer for each row",
            )
        if self.kind == "labels":
            empty = self.content < 0
        else:
            empty = np.isnan(self.content)
            if wide:
                empty = empty.any(axis=1) if empty.any() else empty[:, 0]
        lost = [row for row in np.flatnonzero(empty).tolist() if row not in self.failed]
        if lost:
            raise UsageError(
                f"the model gave no number for {len(lost):,} of {len(empty):,} rows, the first is row {lost[0]}",
                remedy="mend the model: what it does not answer can't be measured",
            )

    @property
    def rows(self) -> int:
        """How many examples were asked about."""
        return len(self.content)

    @property
    def answered(self) -> Any:
        """(n,) bool: which rows have an answer."""
        import numpy as np

        found = np.ones(self.rows, dtype=bool)
        found[list(self.failed)] = False
        return found

    def predicted(self) -> Any:
        """(n,) int64 places in `labels`, the first of equals; -1 for a row without an answer.

        Raises:
            UsageError: values have no classes.
        """
        import numpy as np

        if self.kind == "values":
            raise UsageError("a regression has no predicted class", remedy="compare its values with a tolerance")
        if self.kind == "labels":
            return self.content
        if len(self.labels) == 2:
            best = (self.content[:, 1] > self.cutoff).astype(np.int64)
        else:
            best = self.content.argmax(axis=1)
        best[list(self.failed)] = -1
        return best

    def take(self, rows: Any) -> Answers:
        """The answers to rows by place, repeats allowed."""
        failed = {}
        if self.failed:
            failed = {place: self.failed[row] for place, row in enumerate(rows.tolist()) if row in self.failed}
        return replace(self, content=self.content[rows], failed=failed)

    def span(self, start: int, stop: int) -> Answers:
        """The answers to rows `start` to `stop`."""
        failed = {row - start: cause for row, cause in self.failed.items() if start <= row < stop}
        return replace(self, content=self.content[start:stop], failed=failed)

    def rounded(self, digits: int = 9) -> Answers:
        """Rounded to `digits` decimals, values to as many significant digits.

        Two runs that differ in the size of batches or the number of threads only then agree in their bytes.
        """
        import numpy as np

        if self.kind == "labels":
            return self
        if self.kind == "probabilities":
            return replace(self, content=np.round(self.content, digits))
        size = np.abs(self.content)
        with np.errstate(divide="ignore", invalid="ignore"):
            power = np.where((size > 0) & np.isfinite(size), np.floor(np.log10(size)), 0.0)
        unit = 10.0 ** np.clip(power - digits + 1, -300, 300)
        return replace(self, content=np.round(self.content / unit) * unit)


def aligned(first: Answers, second: Answers, where: str = "") -> tuple[Answers, Answers]:
    """Both with the same kind and the same classes in the same order, paired by name.

    Probabilities beside labels are compared as labels. Two label-only models may each have seen classes that the
    other has not; then the classes are those of both.

    Raises:
        UsageError: other rows, values beside classes, or probabilities of different classes.
    """
    if first.rows != second.rows:
        raise UsageError(
            f"{first.rows:,} answers beside {second.rows:,}", where=where, remedy="ask both about the same rows"
        )
    if first.kind == second.kind and first.labels == second.labels:
        return first, second
    if "values" in (first.kind, second.kind):
        raise UsageError(
            f"{first.kind} can't be compared with {second.kind}", where=where, remedy="compare models of one kind"
        )
    if first.kind == second.kind == "probabilities":
        return first, _reordered(second, first.labels, where)
    names = first.labels + tuple(name for name in second.labels if name not in first.labels)
    return _as_labels(first, names), _as_labels(second, names)


def _reordered(answers: Answers, labels: tuple[str, ...], where: str) -> Answers:
    gone = [name for name in labels if name not in answers.labels]
    new = [name for name in answers.labels if name not in labels]
    if gone or new:
        told = "; ".join(
            f"{what} {', '.join(repr(name)[:40] for name in names[:5])}"
            for what, names in (("the second lacks", gone), ("the first lacks", new))
            if names
        )
        raise UsageError(f"the models have different classes: {told}", where=where, remedy="compare like with like")
    cutoff = answers.cutoff
    if len(labels) == 2 and labels != answers.labels:
        cutoff = 1 - cutoff
    content = answers.content[:, [answers.labels.index(name) for name in labels]]
    return replace(answers, content=content, labels=labels, cutoff=cutoff)


def _as_labels(answers: Answers, names: tuple[str, ...]) -> Answers:
    import numpy as np

    places = np.array([*(names.index(name) for name in answers.labels), -1], dtype=np.int64)
    return replace(answers, kind="labels", content=places[answers.predicted()], labels=names)


def changes(before: Answers, after: Answers, spread: float | None = None, where: str = "") -> Any:
    """(n,) float64: how far each answer moved; NaN where either has none.

    Args:
        spread: the target's standard deviation, in which changes of values are measured; by default that of `before`.

    Returns:
        Largest change of any class's probability (L-infinity), 0 or 1 for labels, |change| / spread for values.
    """
    import numpy as np

    first, second = aligned(before, after, where)
    if first.kind == "probabilities":
        return _largest_of_row(np.abs(second.content - first.content))
    if first.kind == "labels":
        known = first.answered & second.answered
        return np.where(known, (first.content != second.content).astype(float), np.nan)
    return np.abs(second.content - first.content) / (spread_of(first) if spread is None else _positive(spread, where))


def _largest_of_row(numbers: Any) -> Any:
    """(n,) largest of each row, NaN where one is; column by column, since a row has few."""
    import numpy as np

    largest = numbers[:, 0].copy()
    for column in range(1, numbers.shape[1]):
        np.maximum(largest, numbers[:, column], out=largest)
    return largest


def spread_of(answers: Answers) -> float:
    """Population standard deviation of the values; 1 where they are all equal, so that changes keep their unit."""
    import numpy as np

    known = answers.content[answers.answered]
    spread = float(np.std(known)) if known.size else 0.0
    return spread if spread > 0 and np.isfinite(spread) else 1.0


def flipped(
    before: Answers,
    after: Answers,
    tolerance: float | None = None,
    *,
    tie: float = TIE_WIDTH,
    spread: float | None = None,
    where: str = "",
) -> Any:
    """(n,) bool: another class is predicted, or a value moved by more than `tolerance` spreads.

    What is `borderline` on either side is no flip, and a row without an answer is none either: it is an error row.

    Raises:
        UsageError: values without a tolerance.
    """
    import numpy as np

    first, second = aligned(before, after, where)
    if first.kind == "values":
        moved = changes(first, second, spread, where)
        return np.nan_to_num(moved, nan=0.0) > _tolerance(tolerance, where) + tie
    known = first.answered & second.answered & ~borderline(before, tie=tie) & ~borderline(after, tie=tie)
    return known & (first.predicted() != second.predicted())


def borderline(answers: Answers, *, tie: float = TIE_WIDTH) -> Any:
    """(n,) bool: two classes within the tie width of the cut-off, so that other hardware may decide otherwise.

    With two classes |p − cutoff| ≤ tie; with more, half the distance of the two most likely ones is at most `tie`.
    Labels and values have no distance to a cut-off, so none of them is borderline.
    """
    import numpy as np

    if answers.kind != "probabilities" or len(answers.labels) < 2:
        return np.zeros(answers.rows, dtype=bool)
    if len(answers.labels) == 2:
        near = np.abs(answers.content[:, 1] - answers.cutoff) <= tie
    else:
        top = np.partition(answers.content, -2, axis=1)[:, -2:]
        near = (top[:, 1] - top[:, 0]) / 2 <= tie
    return near & answers.answered


def _tolerance(tolerance: float | None, where: str) -> float:
    if tolerance is None or not 0 <= tolerance < float("inf"):
        raise UsageError(
            f"a regression flips beyond a tolerance, which is {tolerance!r}",
            where=where,
            remedy="give the share of the target's spread that still counts as the same, for example 0.1",
        )
    return tolerance


def _positive(spread: float, where: str) -> float:
    if not 0 < spread < float("inf"):
        raise UsageError(f"the target's spread is {spread!r}", where=where, remedy="give a positive standard deviation")
    return spread
