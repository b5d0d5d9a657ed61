"""Flips by groups of examples, with the number of groups paid for."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from gate.errors import UsageError
from gate.stats.multiplicity import holm
from gate.suites.perturbation.flips.marks import Marks
from gate.suites.perturbation.flips.rates import FlipRates

SMALLEST = 5
MOST = 200


@dataclass(frozen=True, slots=True)
class Slice:
    """One group.

    Attributes:
        name: for example `region=north`.
        adjusted: Holm's (1979) adjusted level over all groups that were tested; compare it with the whole alpha.
            1 for a group that is too small to be tested.
        tested: whether it had enough examples.
    """

    name: str
    rates: FlipRates
    adjusted: float
    tested: bool


def slices(
    marks: Marks,
    columns: Mapping[str, Sequence[object]],
    predicates: Mapping[str, Callable[[int], bool] | Any] | None = None,
    *,
    smallest: int = SMALLEST,
    where: str = "flips",
) -> tuple[Slice, ...]:
    """Rates of every group, those that got worse most surely first, then by name.

    Args:
        marks: of n examples.
        columns: values by column, n each; every value of a column is a group, empty cells one of their own.
        predicates: further groups by name: (n,) truth values, or a function of the example's position.
        smallest: examples that a group needs to be tested; smaller ones are shown and not tested.

    Raises:
        UsageError: another length, or so many values that the column is no grouping.
    """
    count = len(marks.known)
    groups: dict[str, Any] = {}
    for name, values in columns.items():
        groups.update(_by_value(name, values, count, where))
    for name, chosen in (predicates or {}).items():
        groups[name] = _by_predicate(name, chosen, count, where)
    found = [(name, marks.rates(rows)) for name, rows in groups.items()]
    tested = [rates.total >= smallest for _, rates in found]
    adjusted = iter(holm([rates.level for (_, rates), test in zip(found, tested, strict=True) if test]))
    made = [
        Slice(name, rates, next(adjusted) if test else 1.0, test)
        for (name, rates), test in zip(found, tested, strict=True)
    ]
    return tuple(sorted(made, key=lambda each: (each.adjusted, each.name)))


def _by_value(name: str, values: Sequence[object], count: int, where: str) -> dict[str, Any]:
    import numpy as np

    if len(values) != count:
        remedy = "give one value an example"
        raise UsageError(f"{len(values):,} values of {name!r:.60} for {count:,} examples", where=where, remedy=remedy)
    texts = np.asarray(["(empty)" if _empty(value) else str(value) for value in values], dtype=object)
    distinct = sorted(set(texts.tolist()))
    if len(distinct) > MOST:
        raise UsageError(
            f"the column {name!r:.60} has {len(distinct):,} values, more than {MOST}",
            where=where,
            remedy="group it into ranges first, or give predicates",
        )
    return {f"{name}={value}": texts == value for value in distinct}


def _by_predicate(name: str, chosen: Any, count: int, where: str) -> Any:
    import numpy as np

    rows = np.asarray([bool(chosen(place)) for place in range(count)] if callable(chosen) else chosen)
    if rows.shape != (count,) or rows.dtype != bool:
        remedy = "give one truth value an example, or a function of its position"
        raise UsageError(f"the group {name!r:.60} is no ({count:,},) truth values", where=where, remedy=remedy)
    return rows


def _empty(value: object) -> bool:
    return value is None or value != value  # noqa: PLR0124  NaN, NaT
