"""Stored witnesses are tried before a search, and what it finds becomes the next ones."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from gate.suites.perturbation import witnesses
from gate.suites.perturbation.witnesses import LIMIT, Witness

if TYPE_CHECKING:
    from gate.suites.perturbation.attack.objective import Objective
    from gate.suites.perturbation.attack.protocol import Found
    from gate.suites.perturbation.attack.space import Space


@dataclass(slots=True)
class Keeper:
    """The witnesses of one sweep while it runs, ε by ε in ascending order.

    A witness is tried once, at the smallest ε that reaches as far. One that flips flips at every larger ε too.

    Attributes:
        stored: what earlier runs found.
        ids: keyed ids of the n rows.
        key: of the digests of rows.
        limit: the most that are kept.
        flipped, held, queries: how many flipped again, how many the model withstands, how many rows were asked about.
        stale: by reason how many could not be tried.
        points: by row where a witness flips, in the columns' own units.
    """

    stored: tuple[Witness, ...]
    ids: Sequence[str]
    key: bytes
    limit: int = LIMIT
    flipped: int = 0
    held: int = 0
    queries: int = 0
    stale: dict[str, int] = field(default_factory=dict)
    points: dict[int, Any] = field(default_factory=dict)
    _tried: set[int] = field(default_factory=set)
    _new: list[Witness] = field(default_factory=list)

    def replay(self, space: Space, objective: Objective, epsilon: float, start: int) -> None:
        """Try what has not been tried of the rows from `start` on, which are those of the space."""
        ids = list(self.ids[start : start + len(space.clean)])
        here = set(ids)
        chosen = [
            place
            for place, witness in enumerate(self.stored)
            if place not in self._tried and witness.epsilon <= epsilon and witness.example in here
        ]
        if not chosen:
            return
        self._tried.update(chosen)
        found = witnesses.replay([self.stored[place] for place in chosen], space, objective, ids, key=self.key)
        self.flipped += len(found.flipped)
        self.held += len(found.held)
        self.queries += found.queries
        for _, reason in found.stale:
            self._say(reason)
        rows = {name: start + row for row, name in enumerate(ids)}
        for witness, point in zip(found.flipped, found.points, strict=True):
            self.points.setdefault(rows[witness.example], point)

    def collect(self, found: Found, space: Space, objective: Objective, rows: Any) -> None:
        """Keep what a search of the rows found, but for examples that have a witness already."""
        known = {witness.example for witness in self._new}
        names = [self.ids[row] for row in rows.tolist()]
        fresh = [name not in known for name in names]
        if any(fresh):
            self._new += witnesses.collect(
                _only(found, fresh), space, objective, names, key=self.key, limit=self.limit - len(self._new)
            )

    def close(self) -> tuple[Witness, ...]:
        """What to keep; says of the stored ones that were never tried why."""
        here = set(self.ids)
        for place, witness in enumerate(self.stored):
            if place not in self._tried:
                gone = witness.example not in here
                self._say("its example is gone" if gone else "its ε is beyond those of the sweep")
        return witnesses.merged(self.stored, self._new, self.limit)

    def _say(self, reason: str) -> None:
        self.stale[reason] = self.stale.get(reason, 0) + 1


def _only(found: Found, chosen: Sequence[bool]) -> Found:
    from dataclasses import replace

    import numpy as np

    return replace(found, flipped=found.flipped & np.array(chosen))
