"""One-hot groups: columns of 0 and 1 of which a row has at most one on, found by their names' prefix or declared."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from gate.errors import UsageError
from gate.suites.perturbation.tabular.frame import Frame
from gate.suites.perturbation.tabular.schema import Column

SEPARATORS = ("__", "_", "=", "[", ".", ":", "|", " ")


def grouped(frame: Frame, columns: Sequence[Column], declared: Mapping[str, str | None], where: str) -> list[Column]:
    """The columns, with those of a one-hot group marked as such.

    Raises:
        UsageError: a declared group of one column, of other cells than 0 and 1, or with two on in a row.
    """
    named: dict[str, list[Column]] = {}
    for column in columns:
        group = declared[column.name]
        if group is not None:
            named.setdefault(group, []).append(column)
    for group, members in named.items():
        _check(frame, group, members, where)
    taken = {column.name for members in named.values() for column in members}
    loose = [column for column in columns if column.kind in ("boolean", "integer", "one-hot")]
    for group, members in _by_prefix(frame, [column for column in loose if column.name not in taken]).items():
        named.setdefault(group, []).extend(members)
    found = {}
    for group, members in named.items():
        counts = _counts(frame, sorted(members, key=lambda column: column.name))
        levels = tuple(counts)
        common = max(counts, key=lambda level: counts[level], default=None)
        for column in members:
            found[column.name] = Column(
                column.name,
                "one-hot",
                0.0,
                1.0,
                levels=levels,
                group=group,
                neutral=common,
                immutable=column.immutable,
                nullable=column.nullable,
            )
    alone = next((column for column in columns if column.kind == "one-hot" and column.name not in found), None)
    if alone is not None:
        told = f"the column {alone.name!r:.60} is declared one-hot but belongs to no group"
        raise UsageError(told, where=where, remedy="declare its `group`, or the kind `boolean`")
    return [found.get(column.name, column) for column in columns]


def _check(frame: Frame, group: str, members: Sequence[Column], where: str) -> None:
    wrong = ""
    if len(members) < 2:
        wrong = "has one column"
    elif any(not frame.storage(column.name).numeric or not _binary(frame, column) for column in members):
        wrong = "has a cell other than 0 and 1"
    elif not _exclusive(frame, members):
        wrong = "has two columns on in one row"
    if wrong:
        told = f"the one-hot group {group!r:.60} {wrong}"
        raise UsageError(told, where=where, remedy="give it columns of 0 and 1 of which a row has at most one on")


def _by_prefix(frame: Frame, columns: Sequence[Column]) -> dict[str, list[Column]]:
    """Columns of 0 and 1 that share a prefix, in groups of which a row has at most one on.

    A group that has one on in every row is taken before one that may have none, and a larger group before its parts.
    """
    prefixes: dict[str, list[Column]] = {}
    for column in columns:
        if (column.low, column.high) in ((0, 1), (0, 0), (1, 1)):
            for prefix in prefixes_of(column.name):
                prefixes.setdefault(prefix, []).append(column)
    shared = sorted((prefix for prefix in prefixes if len(prefixes[prefix]) > 1), key=lambda each: (len(each), each))
    found: dict[str, list[Column]] = {}
    taken: set[str] = set()
    for complete in (True, False):
        for prefix in shared:
            members = [column for column in prefixes[prefix] if column.name not in taken]
            if len(members) > 1 and _exclusive(frame, members, complete=complete):
                found[prefix] = members
                taken |= {column.name for column in members}
    return found


def prefixes_of(name: str) -> list[str]:
    """What may be the attribute in the name of its indicator: `sex_male` -> `sex`."""
    found = []
    for place in range(1, len(name) - 1):
        for separator in SEPARATORS:
            if name.startswith(separator, place) and len(name) > place + len(separator):
                found.append(name[:place])
                break
    return found


def _binary(frame: Frame, column: Column) -> bool:
    import numpy as np

    numbers = frame.values(column.name)
    return bool((np.isnan(numbers) | (numbers == 0) | (numbers == 1)).all())


def _exclusive(frame: Frame, members: Sequence[Column], *, complete: bool = False) -> bool:
    """Whether the columns hold 0 and 1 and each row at most one 1, or exactly one when `complete`."""
    import numpy as np

    if not all(_binary(frame, column) for column in members):
        return False
    total: Any = sum(frame.values(column.name) for column in members)
    told = total[~np.isnan(total)]
    return bool((told <= 1).all() and told.any() and (not complete or (told == 1).all()))


def _counts(frame: Frame, members: Sequence[Column]) -> dict[str, int]:
    """Rows by the name of the column that is on, "" first where none is; levels of no row are left out."""
    cells = {column.name: frame.values(column.name) for column in members}
    total: Any = sum(cells.values())
    counts = {"": int((total == 0).sum())} | {name: int((numbers == 1).sum()) for name, numbers in cells.items()}
    return {level: count for level, count in counts.items() if count}
