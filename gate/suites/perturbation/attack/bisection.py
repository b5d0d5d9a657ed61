"""The smallest ε on the way from a row to a point that flips it."""

from __future__ import annotations

from typing import Any

import numpy as np

from gate.suites.perturbation.attack.state import State

SECTIONS = 8
PRECISION = 0.02
MOST_ROUNDS = 4


def shrink(state: State) -> None:
    """Move every point that fell as near to its clean row as it still flips.

    The way goes through smaller and smaller balls: each column keeps its move as far as the ball allows, so that a
    corner stays a corner. It is cut in eight, seven points are asked about at once, and the part below the first that
    flips is cut again, until the place is known to 2 %, at most four times. The point that is kept flips.
    """
    fell = np.flatnonzero(state.fell)
    low, high = np.zeros(fell.size), np.ones(fell.size)
    far = state.best[fell]
    inner = np.arange(1, SECTIONS) / SECTIONS
    for _ in range(MOST_ROUNDS):
        open_ = np.flatnonzero(high - low > PRECISION * high)
        if not open_.size:
            return
        shares = low[open_, None] + (high - low)[open_, None] * inner
        points = _between(state, fell[open_], far[open_], shares)
        count, each, width = points.shape
        rows = np.repeat(state.rows[fell[open_]], each)
        _, flips = state.objective.ask(points.reshape(-1, width), rows)
        flips = flips.reshape(count, each)
        first = np.where(flips.any(axis=1), flips.argmax(axis=1), each)
        every = np.arange(count)
        bounds = np.column_stack([low[open_], shares, high[open_]])
        at = open_[first < each]
        state.best[fell[at]] = points[every, np.minimum(first, each - 1)][first < each]
        low[open_], high[open_] = bounds[every, first], bounds[every, first + 1]


def _between(state: State, places: Any, far: Any, shares: Any) -> Any:
    """(m, c, d) the points `far` brought into balls of these shares of ε; a swap stays made."""
    space = state.space
    clean = state.clean[places][:, None, :]
    reach = shares[:, :, None] * state.epsilon * space.scale
    points = np.where(space.swapped, far[:, None, :], clean + np.clip(far[:, None, :] - clean, -reach, reach))
    count, each, width = points.shape
    rows = np.repeat(state.rows[places], each)
    return space.inside(rows, points.reshape(-1, width), state.epsilon).reshape(count, each, width)
