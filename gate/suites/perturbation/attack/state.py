"""What is known of some rows during a search: their best points so far, and which of them fell."""

from __future__ import annotations

from typing import Any

import numpy as np

from gate.suites.perturbation.attack.objective import Objective
from gate.suites.perturbation.attack.space import Space

NOISE = 1e-9
"""A smaller gain is none: it may come from the order of a sum, which depends on the other rows of a batch."""


class State:
    """k rows under attack.

    Attributes:
        rows: (k,) their places among all n.
        best: (k, d) points nearest to a flip.
        distance: (k,) how far these are from one; see `Objective.ask`.
        fell: (k,) bool, whether `best` flips.
    """

    def __init__(self, space: Space, objective: Objective, rows: Any, epsilon: float) -> None:
        self.space, self.objective, self.rows, self.epsilon = space, objective, rows, epsilon
        self.clean = space.clean[rows]
        self.best = self.clean.copy()
        self.distance = np.full(len(rows), np.inf)
        self.fell = np.zeros(len(rows), dtype=bool)

    def ask(self, places: Any, points: Any) -> tuple[Any, Any]:
        """Ask about c points of each of the rows at `places`, and keep the best of them.

        Args:
            places: (m,) of the rows among the k.
            points: (m, c, d) points inside the ball.

        Returns:
            (m, c, targets) distances, and (m, c) bool which fell.
        """
        count, each, width = points.shape
        rows = np.repeat(self.rows[places], each)
        far, fell = self.objective.ask(points.reshape(count * each, width), rows)
        far, fell = far.reshape(count, each, -1), fell.reshape(count, each)
        self._keep(places, points, far.min(axis=2), fell)
        return far, fell

    def _keep(self, places: Any, points: Any, near: Any, fell: Any) -> None:
        """The point that fell farthest; without any the nearest, on a plateau the later, so that a search can drift."""
        near = np.round(near, 9)
        any_fell = fell.any(axis=1)
        chosen = np.where(fell | ~any_fell[:, None], near, np.inf).argmin(axis=1)
        every = np.arange(len(places))
        gain = self.distance[places] - near[every, chosen]
        better = np.where(self.fell[places], any_fell & (gain > NOISE), any_fell | (gain >= -NOISE))
        at = places[better]
        self.best[at] = points[every, chosen][better]
        self.distance[at] = near[every, chosen][better]
        self.fell[at] = any_fell[better]
