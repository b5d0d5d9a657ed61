"""Whether rows that are alike are answered alike: a Lipschitz-like score in blocks of rows.

Memory is (block × n), never (n × n). Time grows with the square of the rows, so a seeded sample is taken above a limit
and said.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from gate.errors import UsageError

NEIGHBOURS = 5
ROWS = 2_000
BLOCK = 256
_SAME = 1e-9


@dataclass(frozen=True, slots=True)
class Consistency:
    """How alike near rows are answered.

    Attributes:
        steepest: the largest |f(a) − f(b)|∞ / |a − b|₂ over all pairs of different rows, per unit of scale: a lower
            bound of the model's Lipschitz constant (Dwork et al. 2012, section 2). 0 without a pair.
        agreement: 1 less the mean of |f(a) − mean of f over a's nearest rows|∞ (Zemel et al. 2013, section 4.2).
        contradictions: pairs that are equal in all columns given and answered differently; they have no slope.
        rows: how many rows were compared.
        of_rows: how many there are; more than `rows` where a sample was taken.
    """

    steepest: float
    agreement: float
    contradictions: int
    rows: int
    of_rows: int


def sampled(total: int, seed: int, rows: int = ROWS) -> Any:
    """Places of the rows that are compared, ascending: all of them, above `rows` a sample without replacement."""
    import numpy as np

    if total <= rows:
        return np.arange(total)
    return np.sort(np.random.default_rng(seed).permutation(total)[: max(2, rows)])


def consistency(
    numbers: Any,
    answers: Any,
    codes: Any = None,
    *,
    neighbours: int = NEIGHBOURS,
    rows: int = ROWS,
    seed: int = 0,
    block: int = BLOCK,
    where: str = "consistency",
) -> Consistency:
    """Compare every row with every other one, a block at a time.

    Args:
        numbers: (n, d) columns in units of scale, without those that must not matter (protected ones).
        codes: (n, m) columns that are equal or not, such as categories: a difference counts as one unit of scale, as
            in the heterogeneous Euclidean-overlap metric (Wilson and Martinez 1997, section 2.3).
        answers: (n,) or (n, k) probabilities, or values in units of their spread.
        neighbours: nearest other rows that a row is compared with for `agreement`; fewer where there are fewer rows.
        rows: largest number of rows compared; above it a sample without replacement.
        seed: of the sample.
        block: rows at a time; the result does not depend on it.

    Raises:
        UsageError: fewer than two rows, other lengths, or NaN.
    """
    import numpy as np

    x, f, c = _checked(numbers, answers, codes, where)
    total = len(x)
    if total > rows:
        chosen = sampled(total, seed, rows)
        x, f, c = x[chosen], f[chosen], c[chosen]
    count, near = len(x), min(neighbours, len(x) - 1)
    steepest, contradictions, apart = 0.0, 0, np.empty(count)
    for start in range(0, count, block):
        here = slice(start, min(start + block, count))
        distance = _distances(x[here], x, c[here], c)
        change = _changes(f[here], f)
        own = np.arange(here.start, here.stop)
        distance[own - start, own] = np.inf
        equal = distance <= _SAME
        contradictions += int((equal & (change > _SAME)).sum())
        slope = np.where(equal, 0.0, change / np.where(equal, 1.0, distance))
        steepest = max(steepest, float(slope.max()))
        nearest = np.argsort(distance, axis=1, kind="stable")[:, :near]
        apart[here] = np.abs(f[here] - f[nearest].mean(axis=1)).max(axis=1)
    return Consistency(steepest, 1 - float(apart.mean()), contradictions // 2, count, total)


def _distances(some: Any, all_rows: Any, some_codes: Any, all_codes: Any) -> Any:
    """(b, n) Euclidean distances, column by column, so that a pair has the same bits in every block."""
    import numpy as np

    squares = np.zeros((len(some), len(all_rows)))
    for column in range(all_rows.shape[1]):
        squares += np.square(some[:, column, None] - all_rows[None, :, column])
    for column in range(all_codes.shape[1]):
        squares += some_codes[:, column, None] != all_codes[None, :, column]
    return np.sqrt(squares)


def _changes(some: Any, all_rows: Any) -> Any:
    """(b, n) largest change of any answer."""
    import numpy as np

    largest = np.zeros((len(some), len(all_rows)))
    for column in range(all_rows.shape[1]):
        np.maximum(largest, np.abs(some[:, column, None] - all_rows[None, :, column]), out=largest)
    return largest


def _checked(numbers: Any, answers: Any, codes: Any, where: str) -> tuple[Any, Any, Any]:
    import numpy as np

    x, f = np.asarray(numbers, dtype=float), np.asarray(answers, dtype=float)
    f = f[:, None] if f.ndim == 1 else f
    c = np.zeros((len(f), 0), dtype=np.int64) if codes is None else np.asarray(codes)
    if x.ndim != 2 or f.ndim != 2 or len(x) != len(f) or len(x) < 2 or c.ndim != 2 or len(c) != len(x):
        remedy = "give (n, d) numbers and n answers, n at least 2"
        raise UsageError(f"shapes {np.shape(numbers)} and {np.shape(answers)} do not fit", where=where, remedy=remedy)
    if not (np.isfinite(x).all() and np.isfinite(f).all()):
        remedy = "leave out rows with empty cells and rows without an answer"
        raise UsageError("a cell or an answer is NaN or infinite", where=where, remedy=remedy)
    return x, f, c
