"""One-hot groups: columns of 0 and 1 of which a row has at most one on, found by their names' prefix or declared."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
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
    for group, members in _by_prefix([column for column in loose if column.name not in taken]).items():
        if _exclusive(frame, members):
            named.setdefault(group, []).extend(members)
    found = {}
    for group, members in named.items():
        levels = _levels(frame, members)
        for column in members:
            found[column.name] = replace(column, kind="one-hot", group=group, low=0.0, high=1.0, levels=levels)
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


def _by_prefix(columns: Sequence[Column]) -> dict[str, list[Column]]:
    """Columns by the longest prefix that two of them share."""
    prefixes: dict[str, list[Column]] = {}
    for column in columns:
        for prefix in prefixes_of(column.name):
            prefixes.setdefault(prefix, []).append(column)
    found: dict[str, list[Column]] = {}
    taken: set[str] = set()
    for prefix in sorted(prefixes, key=lambda each: (-len(each), each)):
        members = [column for column in prefixes[prefix] if column.name not in taken]
        if len(members) > 1:
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


def _exclusive(frame: Frame, members: Sequence[Column]) -> bool:
    """Whether the columns hold 0 and 1 and each row at most one 1."""
    import numpy as np

    if not all(_binary(frame, column) for column in members):
        return False
    total: Any = sum(np.nan_to_num(frame.values(column.name)) for column in members)
    return bool((total <= 1).all() and total.any())


def _levels(frame: Frame, members: Sequence[Column]) -> tuple[object, ...]:
    """Names of the columns that are on in some row; "" first where a row has none on."""
    import numpy as np

    cells = [frame.values(column.name) for column in members]
    total: Any = sum(cells)
    on = [column.name for column, numbers in zip(members, cells, strict=True) if (numbers == 1).any()]
    return (("",) if bool(np.any(total == 0)) else ()) + tuple(on)
