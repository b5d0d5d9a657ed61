"""What an operator asked for becomes what the columns may hold: type, range, grid and relations."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from gate.suites.perturbation.tabular.frame import Frame
from gate.suites.perturbation.tabular.relations import Relation, bound_together
from gate.suites.perturbation.tabular.repair import Room, repaired
from gate.suites.perturbation.tabular.schema import Column, Schema


def settled(frame: Frame, schema: Schema, moved: Mapping[str, Any]) -> dict[str, Any]:
    """The moved columns, each within its range and on its grid, with every relation that held holding again.

    Args:
        moved: by name (rows,) values, or a `Source`, which is bounded already and bound by no relation.
    """
    columns = {column.name: column for column in schema.columns}
    done = dict(moved)
    rooms: dict[str, Room] = {}
    for name, new in moved.items():
        if columns[name].kind in ("numeric", "integer") and not hasattr(new, "write"):
            rooms[name] = _room(columns[name], frame.values(name))
            done[name] = _bounded(columns[name], rooms[name], frame.values(name), new)
    bound = [relation for relation in schema.relations if set(relation.names) & set(done)]
    for group, names in bound_together(bound):
        _relate(frame, group, names, rooms, done)
    return done


def _relate(
    frame: Frame, group: tuple[Relation, ...], names: tuple[str, ...], rooms: Mapping[str, Room], done: dict[str, Any]
) -> None:
    """Repair the numbers of a group of relations; where that fails, every column of the group is as it was."""
    import numpy as np

    clean = {name: frame.values(name) for name in names}
    now = {name: done.get(name, clean[name]) for name in names}
    told = dict(rooms)
    for name in names:
        if name not in rooms:
            told[name] = Room(now[name], now[name], now[name], 0.0)
    moved = {name: done[name] for name in names if name in rooms}
    now |= repaired(group, {name: told[name] for name in names}, moved)
    sound = np.logical_and.reduce([relation.holds(now) & relation.holds(clean) for relation in group])
    for name in names:
        if name in done:
            done[name] = np.where(sound, now[name], clean[name])


def _room(column: Column, clean: Any) -> Room:
    import numpy as np

    finite = np.where(np.isinf(clean), np.nan, clean)
    return Room(finite, np.minimum(column.low, finite), np.maximum(column.high, finite), column.step)


def _bounded(column: Column, room: Room, clean: Any, moved: Any) -> Any:
    """(rows,) the nearest admissible values; a cell that is made missing stays so where the column allows it."""
    import numpy as np

    found = room.nearest(moved)
    found = np.where(np.isfinite(found), found, clean)
    return np.where(np.isnan(moved), np.nan, found) if column.nullable else found
