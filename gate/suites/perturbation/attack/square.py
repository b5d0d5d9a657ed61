"""Random search over blocks of columns, from the best point so far (square search, Andriushchenko and others 2020)."""

from __future__ import annotations

from typing import Any

import numpy as np

from gate.suites.perturbation.attack.keyed import uniform
from gate.suites.perturbation.attack.state import NOISE, State

AT_ONCE = 32
HOPEFUL = 0.5
"""Share of the way to a flip that the sign step must have gone for the search to go on.

Of the flips that a search of 8,000 queries a row found in six models, the sign step had gone half of the way or more,
or nowhere at all: on a plateau, where no single move changes the answer.
"""
SURE = 7.0
"""Log odds beyond which a row counts as no surer: a forest's step from 1 to 0.99 is no progress worth a search."""
PATIENCE, NEAR = 1, 0.4
"""Rounds after which a row is given up that has more than this share of the way to a flip before it.

Of the 2,080 flips that a search without it finds in ten models, one is missed, for a fifth fewer queries.
"""
CLOSE, CERTAIN = 1.0, 27.6
"""Log odds of a row that is close to a flip, and of one whose probability is 1 but for rounding.

On a plateau the answers don't tell how near a flip is; such rows are searched to the end, the latter since a single
tree is certain of all.
"""
_FIRST_SHARE, _LAST_SHARE = 0.4, 0.1
_DOWN, _UP, _BACK = 0.35, 0.7, 0.75
"""A draw below `_DOWN` moves a column to the lower rim, below `_UP` to the upper one, below `_BACK` to the clean value,
and the rest to anywhere between."""


def hopeless(state: State, start: Any) -> Any:
    """(k,) bool: rows that came nearer to a flip, but not near enough for a search to be worth its queries.

    Args:
        start: (k,) distance of the clean rows.
    """
    return (start - state.distance > NOISE) & (_left(state, start) > 1 - HOPEFUL)


def _left(state: State, start: Any) -> Any:
    """(k,) share of the way to a flip that lies before each row."""
    sure = np.minimum(start, SURE)
    return np.where(sure > 0, state.distance / np.where(sure > 0, sure, 1.0), 0.0)


def _given_up(state: State, start: Any) -> Any:
    """(k,) bool: rows that are not near a flip after some rounds; of those on a plateau only the ones far from one."""
    silent = (start - state.distance <= NOISE) & ((start < CLOSE) | (start >= CERTAIN))
    return (_left(state, start) > NEAR) & ~silent


def search(state: State, keys: Any, queries: int, still: Any, start: Any = None) -> None:
    """Ask about up to `queries` points of each row that has not fallen and is not in `still`, 32 at once.

    A point differs from the best one in a random block of columns, which shrinks as the search goes on. Most of its
    columns go to the rim of the ball, some to anywhere between and some back to the clean value: the leaf of a tree
    that flips a row may lie inside the ball. Of the blocks that gained, all together are the first point of the next
    round.

    Args:
        keys: (k,) of the rows' random draws.
        still: (k,) bool, rows that need no search.
        start: (k,) distance of the clean rows; with it, rows that don't come near a flip are given up.
    """
    width = state.clean.shape[1]
    rounds = max(0, queries // AT_ONCE)
    together = state.best.copy()
    for turn in range(rounds):
        if start is not None and turn >= PATIENCE:
            still = still | _given_up(state, start)
        left = np.flatnonzero(~state.fell & ~still)
        if not left.size:
            return
        share = _FIRST_SHARE + (_LAST_SHARE - _FIRST_SHARE) * turn / max(1, rounds - 1)
        draws = uniform(keys[left], turn * AT_ONCE * width * 2, AT_ONCE * width * 2)
        which, where = draws.reshape(left.size, 2, AT_ONCE, width).transpose(1, 0, 2, 3)
        base, near = state.best[left], state.distance[left]
        points = _proposed(state, left, base, which, where, share)
        points[:, 0] = together[left]
        far, _ = state.ask(left, points)
        together[left] = _together(state, left, points, base, near[:, None] - far.min(axis=2))


def _proposed(state: State, left: Any, base: Any, which: Any, where: Any, share: float) -> Any:
    """(m, c, d) points: columns whose draw in `which` is below `share`, and the lowest one, move as `where` says."""
    space, clean = state.space, state.clean[left][:, None, :]
    block = (which < share) | (which == which.min(axis=2, keepdims=True))
    rim = (where < _UP) - 2.0 * (where < _DOWN)
    side = np.where(where < _BACK, rim, (where - _BACK) / (1 - _BACK) * 2 - 1)
    to = clean + side * (state.epsilon * space.scale)
    if space.swapped.any():
        to = np.where(space.swapped, np.floor(where * space.levels), to)
    points = np.where(block, to, base[:, None, :])
    count, each, width = points.shape
    rows = np.repeat(state.rows[left], each)
    return space.inside(rows, points.reshape(-1, width), state.epsilon).reshape(count, each, width)


def _together(state: State, left: Any, points: Any, base: Any, gain: Any) -> Any:
    """(m, d) the base with all changes that gained; where two change one column, the one that gained more."""
    merged, every = base.copy(), np.arange(len(left))
    gained = np.flatnonzero((gain > NOISE).any(axis=0))
    for at in np.argsort(gain[:, gained], axis=1, kind="stable").T:
        point, own = points[every, gained[at]], gain[every, gained[at]]
        merged = np.where((own > NOISE)[:, None] & (point != base), point, merged)
    return state.space.inside(state.rows[left], merged, state.epsilon)
