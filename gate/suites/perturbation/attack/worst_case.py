"""The worst case inside a ball: sign step, square search, then the smallest ε on the way to each flip."""

from __future__ import annotations

from typing import Any

import numpy as np

from gate.suites.perturbation.attack.bisection import shrink
from gate.suites.perturbation.attack.finite_difference import sign_step, single_moves
from gate.suites.perturbation.attack.keyed import row_keys
from gate.suites.perturbation.attack.objective import Objective
from gate.suites.perturbation.attack.protocol import BUDGET, Found
from gate.suites.perturbation.attack.space import Space
from gate.suites.perturbation.attack.square import AT_ONCE, hopeless, search
from gate.suites.perturbation.attack.state import State

NAME = "worst-case"
MEMORY = 64 * 2**20
_SHARE_OF_SIGNS = 0.6
_CELL = 4 * 8
"""Bytes of a cell of a point: itself, its projection, and what comes in between."""


def worst_case(
    space: Space, objective: Objective, epsilon: float, *, seed: int = 0, budget: int = BUDGET, memory: int = MEMORY
) -> Found:
    """Look for a flip of every attackable row, and for the smallest ε that flips it.

    The result for a row depends on the row, its key, ε, the seed and the budget, never on the other rows or ε.

    Args:
        epsilon: largest move of a column in units of its scale.
        budget: the most queries a row to find a flip; the bisection of a row that fell takes up to 28 more. Most rows
            take far fewer: those on which the sign step shows that the model is linear, or that a flip is far.
        memory: bytes of points in flight, which sets how many rows are attacked at once.
    """
    singles = len(single_moves(space.levels, space.scale).column)
    rows = np.flatnonzero(objective.attackable) if singles else np.array([], dtype=np.int64)
    before = objective.queries.copy()
    moved = space.clean.copy()
    flipped = np.zeros(len(moved), dtype=bool)
    smallest = np.full(len(moved), np.inf)
    keys = row_keys(seed, NAME, epsilon, space.keys)
    each = max(1, memory // (max(AT_ONCE, singles) * max(1, space.clean.shape[1]) * _CELL))
    for start in range(0, len(rows), each):
        part = rows[start : start + each]
        state = State(space, objective, part, epsilon)
        _attacked(state, keys[part], budget, singles)
        fell = np.flatnonzero(state.fell)
        moved[part[fell]] = state.best[fell]
        flipped[part[fell]] = True
        smallest[part[fell]] = space.size(part[fell], state.best[fell])
    return Found(
        attack=NAME,
        epsilon=epsilon,
        flipped=flipped,
        moved=moved,
        smallest=smallest,
        queries=objective.queries - before,
        budget=budget,
        attackable=objective.attackable,
        errors=dict(objective.errors),
    )


def _attacked(state: State, keys: Any, budget: int, singles: int) -> None:
    places = np.arange(len(state.rows))
    still = np.zeros(len(places), dtype=bool)
    used, start = 0, None
    if not state.objective.blind:
        base, _ = state.ask(places, state.clean[:, None, :])
        start, most = state.distance.copy(), int(budget * _SHARE_OF_SIGNS)
        used, linear = sign_step(state, base[:, 0, :], keys, most)
        still = linear | hopeless(state, start)
        if singles > most:
            start = None  # columns moved in groups, so a row far from a flip may have a long way to go yet
    search(state, keys, budget - used - 1, still, start)
    shrink(state)
