"""Moved rows are brought back to the relations between their columns, inside the bounds of each cell."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from gate.suites.perturbation.tabular.relations import Relation, bound_together

_PASSES = 8
_STRICT = 1e-3
"""Share of a row's own distance from a strict bound that a repaired row keeps."""


@dataclass(frozen=True, slots=True)
class Room:
    """Where the cells of one column may lie; arrays of k rows.

    Attributes:
        clean: the values before.
        low, high: admissible bounds, with the clean value between them.
        step: the grid around the clean value; 0 without any.
    """

    clean: Any
    low: Any
    high: Any
    step: float

    def nearest(self, wanted: Any, towards: Any = None) -> Any:
        """The admissible value nearest to what is wanted; with `towards`, (k,) signs, one not short of it."""
        import numpy as np

        if not self.step:
            return np.clip(wanted, self.low, self.high)
        steps = (wanted - self.clean) / self.step
        rounded = np.rint(steps)
        if towards is not None:
            near = np.isclose(steps, rounded, rtol=0, atol=1e-9)
            rounded = np.where(near, rounded, np.where(towards > 0, np.ceil(steps), np.floor(steps)))
        least = np.ceil((self.low - self.clean) / self.step - 1e-9)
        most = np.floor((self.high - self.clean) / self.step + 1e-9)
        return self.clean + np.clip(rounded, least, most) * self.step


def repaired(relations: Sequence[Relation], rooms: Mapping[str, Room], moved: Mapping[str, Any]) -> dict[str, Any]:
    """The moved columns, with every relation that held before holding again.

    The columns of a relation are adjusted from its last to its first, each as far as its room allows. Where that is not
    enough, or where the clean row itself breaks a relation, the columns that the relation binds keep their clean
    values in that row.

    Args:
        rooms: of every column that a relation names.
        moved: by name (k,) values within their rooms; a column without any is at its clean values.
    """
    import numpy as np

    done = dict(moved)
    for group, names in bound_together(relations):
        clean = {name: rooms[name].clean for name in names}
        now = {name: np.array(moved.get(name, clean[name])) for name in names}
        for _ in range(_PASSES):
            broken = [(relation, ~relation.holds(now)) for relation in group]
            if not any(rows.any() for _, rows in broken):
                break
            for relation, rows in broken:
                if rows.any():
                    _push(relation, rooms, now, clean)
        sound = np.logical_and.reduce([relation.holds(now) & relation.holds(clean) for relation in group])
        for name in names:
            if name in moved:
                done[name] = np.where(sound, now[name], clean[name])
    return done


def _push(relation: Relation, rooms: Mapping[str, Room], now: dict[str, Any], clean: Mapping[str, Any]) -> None:
    """Move the columns of the rows that break a relation, the last first, until it holds."""
    import numpy as np

    gap = -relation.excess(clean) * _STRICT if relation.sign == "<" else 0.0
    for name, weight in reversed(relation.weights):
        rows = ~relation.holds(now)
        if not rows.any():
            return
        others = sum(other * now[each] for each, other in relation.weights if each != name)
        wanted = (relation.bound - gap - others) / weight
        if relation.sign == "==":
            found = rooms[name].nearest(wanted)
        else:
            away = np.full(wanted.shape, -np.sign(weight))
            size = sum(np.abs(other * now[each]) for each, other in relation.weights)
            exact = len(relation.weights) == 2
            found = rooms[name].nearest(wanted if exact else wanted + away * size * 2.0**-50, away)
        usable = rows & np.isfinite(found)
        now[name] = np.where(usable, found, now[name])
