"""HopSkipJump (Chen, Jordan and Wainwright 2020) of the Adversarial Robustness Toolbox, as an attack like any other.

It asks for labels only and takes thousands of queries a row; it is here to be compared with, and for models on which
the worst-case search has no signal.
"""

from __future__ import annotations

import contextlib
import importlib
import warnings
from typing import Any

import numpy as np

from gate.errors import UsageError
from gate.suites.perturbation.attack.keyed import row_keys, uniform
from gate.suites.perturbation.attack.objective import Objective
from gate.suites.perturbation.attack.protocol import Found
from gate.suites.perturbation.attack.space import Space

NAME = "hop-skip-jump"
BUDGET = 1000
_ROUNDS, _FIRST, _LARGEST, _STARTS = 10, 50, 100, 50
_REACH = 10.0


class _SpentError(Exception):
    """The queries of a row are used up."""


def hop_skip_jump(space: Space, objective: Objective, epsilon: float, *, seed: int = 0, budget: int = BUDGET) -> Found:
    """Look for a flip of every attackable row with ART's attack, in units of scale.

    It starts from a point of the whole range that flips and comes nearer; what it finds counts where it ends inside the
    ball. The classifier that it sees has two classes, flipped or not.

    Raises:
        UsageError: the library is not installed, or columns are swapped.
    """
    if space.swapped.any():
        raise UsageError("HopSkipJump moves numbers only", remedy="leave swaps to the attack `worst-case`")
    tools = _library()
    before = objective.queries.copy()
    moved = space.clean.copy()
    flipped = np.zeros(len(moved), dtype=bool)
    smallest = np.full(len(moved), np.inf)
    seeds = row_keys(seed, NAME, epsilon, space.keys)
    kept = np.random.get_state()
    try:
        for row in np.flatnonzero(objective.attackable).tolist():
            np.random.seed(int(seeds[row] & np.uint64(0xFFFFFFFF)))
            point = _one(tools, space, objective, epsilon, row, budget, seeds[row])
            if point is not None:
                moved[row], flipped[row] = point, True
                smallest[row] = space.size(np.array([row]), point[None, :])[0]
    finally:
        np.random.set_state(kept)
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


def _library() -> tuple[Any, Any]:
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # it warns of each deep-learning library that it does not find
            attacks: Any = importlib.import_module("art.attacks.evasion")
            estimators: Any = importlib.import_module("art.estimators.classification")
    except ImportError as error:
        raise UsageError(
            "HopSkipJump needs the Adversarial Robustness Toolbox",
            remedy="install adversarial-robustness-toolbox",
        ) from error
    return attacks.HopSkipJump, estimators.BlackBoxClassifier


def _one(
    tools: tuple[Any, Any], space: Space, objective: Objective, epsilon: float, row: int, budget: int, key: Any
) -> Any | None:
    """(d,) the nearest point found that flips the row inside the ball, None without one."""
    attack_of, classifier_of = tools
    clean, scale = space.clean[row], np.where(space.scale > 0, space.scale, 1.0)
    wide, only = max(_REACH, epsilon), np.array([row])
    start = objective.queries[row]
    found: list[tuple[float, Any]] = []

    def brought(move: Any, rows: Any) -> Any:
        wanted = np.where(np.isnan(clean), clean, clean + move * scale)
        return space.inside(rows, wanted, wide)

    def predict(points: Any) -> Any:
        room = int(budget - (objective.queries[row] - start))
        if room < len(points):
            raise _SpentError  # the library would halve its step for ever if it were told "not flipped" instead
        rows = np.full(len(points), row)
        inside = brought(np.asarray(points, dtype=np.float64).reshape(len(points), -1), rows)
        _, fell = objective.ask(inside, rows)
        found.extend(zip(space.size(rows[fell], inside[fell]).tolist(), inside[fell], strict=True))
        return np.eye(2, dtype=np.float32)[fell.astype(np.int64)]

    ends = [(brought(np.full((1, len(clean)), side), only)[0] - clean) / scale for side in (-wide, wide)]
    low, high = (np.nan_to_num(end, nan=0.0).astype(np.float32) for end in ends)
    draws = uniform(key[None], 0, min(_STARTS, budget) * len(clean)).reshape(-1, len(clean))
    start_at = (low + (high - low) * draws).astype(np.float32)
    fell = predict(start_at)[:, 1] > 0
    if not fell.any():
        return None
    # the library would look for a start of its own with a generator that can't be seeded
    nearest = start_at[fell][np.abs(start_at[fell]).max(axis=1).argmin()][None]
    classifier = classifier_of(predict, (len(clean),), 2, clip_values=(low, high))
    attack = attack_of(
        classifier, norm=np.inf, max_iter=_ROUNDS, max_eval=_LARGEST, init_eval=_FIRST, init_size=_FIRST, verbose=False
    )
    with contextlib.suppress(_SpentError):
        attack.generate(
            np.zeros((1, len(clean)), dtype=np.float32), y=np.array([[1.0, 0.0]], dtype=np.float32), x_adv_init=nearest
        )
    size, point = min(found, key=lambda pair: pair[0], default=(np.inf, None))
    return point if size <= epsilon * (1 + 1e-9) else None
