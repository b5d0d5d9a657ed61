"""Random search over blocks of columns, from the best point so far (square search, Andriushchenko and others 2020)."""

from __future__ import annotations

from typing import Any

import numpy as np

from gate.suites.perturbation.attack.keyed import uniform
from gate.suites.perturbation.attack.state import State

AT_ONCE = 8
_FIRST_SHARE, _LAST_SHARE = 0.4, 0.1


def search(state: State, keys: Any, queries: int, still: Any) -> None:
    """Ask about `queries` points of each row that has not fallen and is not in `still`, eight at once.

    A point differs from the best one in a random block of columns, which shrinks as the search goes on. Most of its
    columns go to a corner of the ball, some to anywhere between and some back to the clean value: the leaf of a tree
    that flips a row may lie inside the ball and not at its rim.

    Args:
        keys: (k,) of the rows' random draws.
        still: (k,) bool, rows that need no search.
    """
    width = state.clean.shape[1]
    rounds = max(0, queries // AT_ONCE)
    for turn in range(rounds):
        left = np.flatnonzero(~state.fell & ~still)
        if not left.size:
            return
        share = _FIRST_SHARE + (_LAST_SHARE - _FIRST_SHARE) * turn / max(1, rounds - 1)
        draws = uniform(keys[left], turn * AT_ONCE * width * 2, AT_ONCE * width * 2)
        which, where = draws.reshape(left.size, 2, AT_ONCE, width).transpose(1, 0, 2, 3)
        state.ask(left, proposals(state, left, which, where, share))


def proposals(state: State, left: Any, which: Any, where: Any, share: float) -> Any:
    """(m, c, d) points: columns whose draw in `which` is below `share`, and the lowest one, move to `where`."""
    space, clean = state.space, state.clean[left][:, None, :]
    block = (which < share) | (which == which.min(axis=2, keepdims=True))
    radius = state.epsilon * space.scale
    # the draw decides the kind of the move, and, stretched, its place
    side = np.where(where < 0.4, -1.0, np.where(where < 0.8, 1.0, 0.0))
    side = np.where(where > 0.9, (where - 0.95) * 20, side)
    to = clean + side * radius
    if space.swapped.any():
        levels = np.floor(where * space.levels)
        to = np.where(space.swapped, levels, to)
    points = np.where(block, to, state.best[left][:, None, :])
    count, each, width = points.shape
    rows = np.repeat(state.rows[left], each)
    return space.inside(rows, points.reshape(-1, width), state.epsilon).reshape(count, each, width)
