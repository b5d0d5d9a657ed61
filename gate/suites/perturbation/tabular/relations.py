"""Linear relations between columns, such as `a <= b` or `a + b == c`."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal

from gate.errors import UsageError
from gate.suites.perturbation.tabular.names import unknown

_COMPARE = re.compile(r"(<=|>=|==|<|>|=)")
_TERM = re.compile(
    r"\s*(?P<sign>[+-])?\s*"
    r"(?:(?P<weight>\d+(?:\.\d*)?(?:[eE][+-]?\d+)?|\.\d+)\s*(?P<times>\*)?\s*)?"
    r"(?:`(?P<quoted>[^`]+)`|(?P<bare>[^\W\d]\w*))?"
)
_EXACT = 1e-9
"""Share of the terms' sizes by which a sum of floats may miss an equality."""


@dataclass(frozen=True, slots=True)
class Relation:
    """Σ weight · column, compared with a bound.

    Attributes:
        text: as the user wrote it.
        weights: by column name, none of them 0, in the order of the text.
        sign: how the sum compares with the bound.
    """

    text: str
    weights: tuple[tuple[str, float], ...]
    sign: Literal["<=", "<", "=="]
    bound: float

    @property
    def names(self) -> tuple[str, ...]:
        """The columns that it binds."""
        return tuple(name for name, _ in self.weights)

    def excess(self, columns: Mapping[str, Any]) -> Any:
        """(k,) the sum less the bound; NaN where a cell is missing or infinite."""
        import numpy as np

        with np.errstate(invalid="ignore"):
            total = sum(weight * columns[name] for name, weight in self.weights) - self.bound
        return np.where(np.isfinite(total), total, np.nan)

    def holds(self, columns: Mapping[str, Any]) -> Any:
        """(k,) bool: where the columns, by name (k,), satisfy it; a row with a missing cell does."""
        import numpy as np

        excess = self.excess(columns)
        untold = np.isnan(excess)
        if self.sign == "<=":
            return untold | (excess <= 0)
        if self.sign == "<":
            return untold | (excess < 0)
        size = sum(np.abs(weight * columns[name]) for name, weight in self.weights) + abs(self.bound)
        return untold | (np.abs(excess) <= _EXACT * size)


def parse(text: str, names: Sequence[str], where: str) -> Relation:
    """Read `a + b == c`, `2 * a <= 3.5`, or `` `a b` < c `` with back quotes around a name that is no identifier.

    Raises:
        UsageError: not one comparison of two sums, an unknown column, or no column at all.
    """
    parts = _COMPARE.split(text)
    if len(parts) != 3:
        raise _unreadable(text, where)
    left, sign, right = parts
    weights: dict[str, float] = {}
    bound = 0.0
    for side, side_sign in ((left, 1.0), (right, -1.0)):
        for name, weight in _terms(side, text, where):
            if name is None:
                bound -= side_sign * weight
            elif name not in names:
                raise unknown("column", name, names, where)
            else:
                weights[name] = weights.get(name, 0.0) + side_sign * weight
    turned = -1.0 if sign in (">", ">=") else 1.0
    kept = tuple((name, turned * weight) for name, weight in weights.items() if weight)
    if not kept:
        raise UsageError(f"the relation {text!r:.80} binds no column", where=where, remedy="name a column in it")
    signs: dict[str, Any] = {"<=": "<=", ">=": "<=", "<": "<", ">": "<", "==": "==", "=": "=="}
    return Relation(text, kept, signs[sign], turned * bound + 0.0)


def _terms(side: str, text: str, where: str) -> list[tuple[str | None, float]]:
    found: list[tuple[str | None, float]] = []
    rest = side.strip()
    while rest:
        match = _TERM.match(rest)
        if match is None or not match.group(0).strip():
            raise _unreadable(text, where)
        name = match["quoted"] or match["bare"]
        if (name is None and match["weight"] is None) or (found and match["sign"] is None):
            raise _unreadable(text, where)
        if (match["times"] is None) != (name is None or match["weight"] is None):
            raise _unreadable(text, where)
        found.append((name, float(match["weight"] or 1) * (-1.0 if match["sign"] == "-" else 1.0)))
        rest = rest[match.end() :].strip()
    if not found:
        raise _unreadable(text, where)
    return found


def _unreadable(text: str, where: str) -> UsageError:
    return UsageError(
        f"the relation {text!r:.80} can't be read",
        where=where,
        remedy="write one comparison of sums, such as `a <= b` or `a + 2 * b == c`",
    )


def bound_together(relations: Sequence[Relation]) -> list[tuple[tuple[Relation, ...], tuple[str, ...]]]:
    """The relations in groups that share no column, with the columns of each."""
    groups: list[tuple[tuple[Relation, ...], tuple[str, ...]]] = []
    for relation in relations:
        touched = [group for group in groups if set(group[1]) & set(relation.names)]
        joined = (*(each for group in touched for each in group[0]), relation)
        columns = dict.fromkeys(name for each in joined for name in each.names)
        groups = [group for group in groups if group not in touched] + [(joined, tuple(columns))]
    return groups
