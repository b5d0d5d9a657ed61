"""The sign step: move each column alone, then all at once to the side that brings a flip nearer."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from gate.suites.perturbation.attack.keyed import uniform
from gate.suites.perturbation.attack.state import State

MOST_LEVELS, MOST_SIZES = 8, 4
SINGLE_MOVES = 60
"""Queries a row that several sizes of a move may take."""
_LINEAR = 1e-6


@dataclass(frozen=True, slots=True, eq=False)
class Moves:
    """q moves of single columns, the same for every row.

    Attributes:
        column: (q,) which column.
        side: (q,) how far a number goes as a share of ε, up or down.
        offset: (q,) how many levels further a swapped column goes; 0 for a number.
    """

    column: Any
    side: Any
    offset: Any


def single_moves(levels: Any, scale: Any) -> Moves:
    """Both sides of each number, and up to eight other levels of each swapped column.

    Few numbers are moved by up to four sizes, since a tree may answer to a middling move alone.
    """
    numbers = int(np.count_nonzero((levels == 0) & (scale > 0)))
    sizes = max(1, min(MOST_SIZES, SINGLE_MOVES // max(1, 2 * numbers)))
    shares = [sign * size / sizes for size in range(sizes, 0, -1) for sign in (1.0, -1.0)]
    found: list[tuple[int, float, int]] = []
    for place, (count, unit) in enumerate(zip(levels.tolist(), scale.tolist(), strict=True)):
        if count:
            others = np.unique(np.linspace(1, count - 1, min(count - 1, MOST_LEVELS)).astype(int))
            found.extend((place, 0.0, other) for other in others.tolist())
        elif unit > 0:
            found.extend((place, share, 0) for share in shares)
    column, side, offset = zip(*found, strict=True) if found else ((), (), ())
    return Moves(np.array(column, dtype=np.int64), np.array(side, dtype=float), np.array(offset, dtype=np.int64))


def shifted(state: State, places: Any, moves: Moves) -> Any:
    """(m, q, d) the rows with one column moved each."""
    space, clean = state.space, state.clean[places]
    count, width = len(moves.column), clean.shape[1]
    points = np.repeat(clean[:, None, :], count, axis=1)
    at = clean[:, moves.column]
    levels = np.maximum(space.levels[moves.column], 1)
    moved = np.where(
        moves.offset > 0, np.mod(at + moves.offset, levels), at + moves.side * state.epsilon * space.scale[moves.column]
    )
    points[:, np.arange(count), moves.column] = moved
    if space.separable:
        _set_sides(state, places, points, moves)
        return points
    rows = np.repeat(state.rows[places], count)
    return space.inside(rows, points.reshape(-1, width), state.epsilon).reshape(len(places), count, width)


def _set_sides(state: State, places: Any, points: Any, moves: Moves) -> None:
    """Where each number may go, from one projection a size and side instead of one a move."""
    space, clean = state.space, state.clean[places]
    radius = state.epsilon * space.scale
    for share in np.unique(moves.side[moves.offset == 0]):
        chosen = np.flatnonzero((moves.side == share) & (moves.offset == 0))
        ends = space.inside(state.rows[places], np.where(space.swapped, clean, clean + share * radius), state.epsilon)
        points[:, chosen, moves.column[chosen]] = ends[:, moves.column[chosen]]


def sign_step(state: State, base: Any, keys: Any, most: int) -> tuple[int, Any]:
    """Ask about single moves of every row, then about the corners that they point to.

    A model's answers to moves of the size of the ball are compared, not to tiny ones, since a tree does not answer to
    tiny ones at all. With more moves than `most`, columns are moved in groups with random signs (simultaneous
    perturbation, Spall 1992), and a group whose move went the wrong way is turned round.

    Args:
        base: (k, targets) distances of the clean rows.
        keys: (k,) of the rows' random draws.
        most: queries a row that single moves may take.

    Returns:
        Queries a row, and (k,) bool: rows on which the model is linear in the whole ball, where the corner is the
        worst case.
    """
    places = np.arange(len(state.rows))
    linear = np.zeros(len(places), dtype=bool)
    moves = single_moves(state.space.levels, state.space.scale)
    if not len(moves.column):
        return 0, linear
    if len(moves.column) > most:
        return _grouped(state, base, keys, most), linear
    points = shifted(state, places, moves)
    far, _ = state.ask(places, points)
    gain = np.nan_to_num(base[:, None, :] - far, nan=0.0, posinf=0.0, neginf=0.0)
    corners, expected = _corners(state, points, moves, gain, base)
    reached, _ = state.ask(places, corners)
    if not state.space.swapped.any():
        off = np.abs(reached - expected).max(axis=(1, 2))
        size = np.abs(base[:, None, :] - expected).max(axis=(1, 2))
        straight = [_linear(state, points, moves, gain[:, :, way]) for way in range(gain.shape[2])]
        linear = np.logical_and.reduce(straight) & (off <= _LINEAR * size)
    return len(moves.column) + corners.shape[1], linear


def _corners(state: State, points: Any, moves: Moves, gain: Any, base: Any) -> tuple[Any, Any]:
    """(k, c, d) the corners, one a target, nearest expected first; (k, c, targets) the distances expected there."""
    count, _, width = points.shape
    targets = gain.shape[2]
    corners = np.repeat(state.clean[:, None, :], targets, axis=1)
    total = np.zeros((count, targets, targets))
    every = np.arange(count)
    starts = np.flatnonzero(np.r_[True, np.diff(moves.column) > 0])
    stops = np.r_[starts[1:], len(moves.column)]
    for target in range(targets):
        swaps = _allowed_swaps(state, moves, gain[:, :, target])
        for start, stop in zip(starts, stops, strict=True):
            own = gain[:, start:stop, target]
            best = own.argmax(axis=1)
            taken = own[every, best] > 0
            if moves.offset[start] > 0:
                taken &= swaps[:, moves.column[start]]
            at = points[every, start + best, moves.column[start]]
            corners[:, target, moves.column[start]] = np.where(taken, at, state.clean[:, moves.column[start]])
            total[:, target, :] += np.where(taken[:, None], gain[every, start + best, :], 0.0)
    rows = np.repeat(state.rows, targets)
    corners = state.space.inside(rows, corners.reshape(-1, width), state.epsilon).reshape(count, targets, width)
    expected = base[:, None, :] - total
    own_target = expected[:, np.arange(targets), np.arange(targets)]
    order = np.argsort(own_target, axis=1, kind="stable")[:, :2]
    return np.take_along_axis(corners, order[:, :, None], axis=1), np.take_along_axis(
        expected, order[:, :, None], axis=1
    )


def _allowed_swaps(state: State, moves: Moves, gain: Any) -> Any:
    """(k, d) bool: the columns whose swaps gain most, as many as the budget allows."""
    count, width = state.clean.shape
    best = np.full((count, width), -np.inf)
    for place in np.flatnonzero(moves.offset > 0):
        column = moves.column[place]
        best[:, column] = np.maximum(best[:, column], gain[:, place])
    rank = np.argsort(np.argsort(-best, axis=1, kind="stable"), axis=1, kind="stable")
    return (rank < state.space.swaps) & (best > 0)


def _linear(state: State, points: Any, moves: Moves, gain: Any) -> Any:
    """(k,) bool: all moves of each column have the same slope, and some slope is not 0.

    Args:
        points: (k, q, d) their single moves.
        gain: (k, q) what each move gained.
    """
    step = points[:, np.arange(len(moves.column)), moves.column] - state.clean[:, moves.column]
    slope = gain / np.where(step == 0, np.inf, step) * (state.epsilon * state.space.scale[moves.column])
    full, others = np.flatnonzero(moves.side == 1.0), np.flatnonzero(moves.side != 1.0)
    up = np.zeros(len(state.space.scale), dtype=np.int64)
    up[moves.column[full]] = full
    up = up[moves.column[others]]
    both = (step[:, others] != 0) & (step[:, up] != 0)
    largest = np.abs(slope).max(axis=1)
    apart = np.where(both, np.abs(slope[:, up] - slope[:, others]), 0.0).max(axis=1)
    return (largest > 0) & (apart <= _LINEAR * largest) & both.any(axis=1)


def _grouped(state: State, base: Any, keys: Any, most: int) -> int:
    """Random signs for groups of columns; ask for each group, then for all with the signs that gained."""
    space, width = state.space, state.clean.shape[1]
    moving = np.flatnonzero((space.scale > 0) & ~space.swapped)
    groups = max(1, min(most, len(moving)))
    draws = uniform(keys, 0, 2 * len(moving))
    order = np.argsort(draws[:, : len(moving)], axis=1, kind="stable")
    signs = np.where(draws[:, len(moving) :] < 0.5, -1.0, 1.0)
    member = np.empty_like(order)
    np.put_along_axis(member, order, np.broadcast_to(np.arange(len(moving)) % groups, order.shape), axis=1)
    radius = state.epsilon * space.scale[moving]
    turned = np.zeros((len(state.rows), groups))
    places = np.arange(len(state.rows))
    for group in range(groups):
        points = state.clean.copy()
        points[:, moving] += np.where(member == group, signs * radius, 0.0)
        points = space.inside(state.rows, points, state.epsilon)
        far, _ = state.ask(places, points[:, None, :])
        gain = np.nan_to_num((base - far[:, 0, :]), nan=0.0, posinf=0.0, neginf=0.0)
        best = np.abs(gain).argmax(axis=1)
        turned[:, group] = np.sign(gain[places, best])
    corner = state.clean.copy()
    corner[:, moving] += np.take_along_axis(turned, member, axis=1) * signs * radius
    corner = space.inside(state.rows, corner, state.epsilon)
    left = np.flatnonzero(~state.fell)
    if left.size:
        state.ask(left, corner[left].reshape(left.size, 1, width))
    return groups + 1
