"""The worst-case search: what it must find, what it must never do, and that a row's result is its own."""

from __future__ import annotations

import sys
from typing import Any

import numpy as np
import pytest

from gate.errors import UsageError
from gate.suites.perturbation.attack.art import hop_skip_jump
from gate.suites.perturbation.attack.keyed import row_keys, uniform
from gate.suites.perturbation.attack.objective import Objective
from gate.suites.perturbation.attack.protocol import Found
from gate.suites.perturbation.attack.registry import attack_of
from gate.suites.perturbation.attack.space import Space, box
from gate.suites.perturbation.attack.worst_case import worst_case
from gate.suites.perturbation.models import as_model, ask

ROWS = np.random.default_rng(3).normal(size=(40, 6)) * [1, 10, 0.1, 1, 1, 1]
SCALE = ROWS.std(axis=0)
WEIGHTS = np.array([1.0, -0.2, 8.0, 0.5, 0.0, -1.0])
FREE = np.full(6, np.inf)


def linear(rows: Any) -> Any:
    p = 1 / (1 + np.exp(-(rows @ WEIGHTS)))
    return np.column_stack([1 - p, p])


def stumps(rows: Any) -> Any:
    """The mean of steps at odd places: flat nearly everywhere."""
    votes = (rows[:, 0] > 0.1).astype(float) + (rows[:, 1] > 2) + (rows[:, 2] > 0.05) + (rows[:, 3] > -0.2)
    p = (votes + 0.3) / 5
    return np.column_stack([1 - p, p])


def space_of(rows: Any = ROWS, project: Any = None, **options: Any) -> Space:
    chosen = box(-FREE, FREE, SCALE) if project is None else project
    options = {"keys": range(len(rows)), "scale": SCALE} | options
    names = tuple("abcdef"[: rows.shape[1]])
    return Space(names, rows, project=chosen, **options)


def objective_of(model: Any, rows: Any = ROWS, assemble: Any = None, **options: Any) -> Objective:
    found = as_model(model)
    together = assemble or (lambda moved, _: moved)
    clean = ask(found, together(rows, np.arange(len(rows))), len(rows), "test", exact=True)
    return Objective(found, together, clean, **options)


def attacked(model: Any, epsilon: float = 0.5, rows: Any = ROWS, space: Space | None = None, **options: Any) -> Found:
    return worst_case(space or space_of(rows), objective_of(model, rows), epsilon, **options)


def exact_epsilon() -> Any:
    return np.abs(ROWS @ WEIGHTS) / (np.abs(WEIGHTS) * SCALE).sum()


@pytest.mark.parametrize("epsilon", [0.05, 0.3, 2.0])
def test_a_linear_model_falls_exactly_where_the_formula_says(epsilon: float) -> None:
    found = attacked(linear, epsilon)
    assert (found.flipped == (exact_epsilon() < epsilon * (1 - 1e-6))).all()
    fell = found.flipped
    ratio = found.smallest[fell] / exact_epsilon()[fell]
    assert (ratio >= 1 - 1e-9).all()
    assert (ratio <= 1.03).mean() >= 0.95
    assert np.isinf(found.smallest[~fell]).all()


@pytest.mark.parametrize("model", [linear, stumps])
def test_what_is_said_to_flip_does_flip_inside_the_ball(model: Any) -> None:
    found = attacked(model, 0.4)
    assert 0 < found.flipped.sum() < len(ROWS)
    fell = found.flipped
    assert (model(found.moved[fell]).argmax(axis=1) != model(ROWS[fell]).argmax(axis=1)).all()
    assert (np.abs(found.moved - ROWS) <= 0.4 * SCALE * (1 + 1e-12)).all()
    np.testing.assert_allclose(found.smallest[fell], (np.abs(found.moved - ROWS) / SCALE).max(axis=1)[fell])
    assert (found.moved[~fell] == ROWS[~fell]).all()


def test_flat_models_are_searched_too() -> None:
    exhaustive = np.zeros(len(ROWS), dtype=bool)
    was = stumps(ROWS).argmax(axis=1)
    for corner in np.ndindex(*(3,) * 4):
        moved = ROWS.copy()
        moved[:, :4] += (np.array(corner) - 1) * 0.6 * SCALE[:4]
        exhaustive |= stumps(moved).argmax(axis=1) != was
    found = attacked(stumps, 0.6)
    assert (found.flipped & exhaustive).sum() >= 0.97 * exhaustive.sum()
    assert exhaustive.sum() >= 10


def test_range_step_and_missing_cells_are_kept() -> None:
    rows = ROWS.copy()
    rows[:, 1] = np.round(rows[:, 1])
    rows[0, 3] = np.nan
    low, high = np.nanmin(rows, axis=0), np.nanmax(rows, axis=0)
    space = space_of(rows, box(low, high, SCALE, step=np.array([0, 1.0, 0, 0, 0, 0])))

    def model(given: Any) -> Any:
        return linear(np.nan_to_num(given))

    found = attacked(model, 0.5, rows, space)
    assert found.flipped.sum() >= 5
    assert np.isnan(found.moved[0, 3])
    moved = np.nan_to_num(found.moved)
    assert (moved[:, 1] == np.round(moved[:, 1])).all()
    assert (moved >= np.nan_to_num(low) - 1e-12).all() or (moved[1:] >= low - 1e-12).all()
    assert (moved[1:] <= high + 1e-12).all()


def test_a_relation_holds_in_every_point_that_the_model_is_asked_about() -> None:
    """The third column is to stay the sum of the first two; the projection repairs it after every move."""
    rows = ROWS[:, :3].copy()
    rows[:, 2] = rows[:, 0] + rows[:, 1]
    scale = rows.std(axis=0)
    inner = box(-FREE[:3], FREE[:3], scale)

    def project(clean: Any, moved: Any, epsilon: float, which: Any) -> Any:
        found = inner(clean, moved, epsilon, which)
        found[:, 2] = found[:, 0] + found[:, 1]
        off = np.abs(found[:, 2] - clean[:, 2]) > epsilon * scale[2]
        return np.where(off[:, None], clean, found)

    seen: list[Any] = []

    def model(given: Any) -> Any:
        seen.append(given.copy())
        p = 1 / (1 + np.exp(-given[:, 0] - 0.1 * given[:, 2]))
        return np.column_stack([1 - p, p])

    found = attacked(model, 0.5, rows, space_of(rows, project, scale=scale))
    every = np.concatenate(seen)
    np.testing.assert_allclose(every[:, 2], every[:, 0] + every[:, 1], atol=1e-9)
    assert found.flipped.sum() >= 3


@pytest.mark.parametrize("model", [linear, stumps])
def test_a_rows_result_is_its_own(model: Any) -> None:
    """Over shuffled and left-out rows, over parts of any size, and over other attacks before it."""
    whole = attacked(model, 0.4)
    order = np.random.default_rng(0).permutation(len(ROWS))[:29]
    part = worst_case(space_of(ROWS[order], keys=order.tolist()), objective_of(model, ROWS[order]), 0.4, memory=1)
    assert part.moved.tobytes() == whole.moved[order].tobytes()
    assert part.smallest.tobytes() == whole.smallest[order].tobytes()
    assert (part.queries == whole.queries[order]).all()
    objective = objective_of(model)
    worst_case(space_of(), objective, 0.1)
    assert worst_case(space_of(), objective, 0.4).moved.tobytes() == whole.moved.tobytes()


def test_another_seed_searches_elsewhere() -> None:
    def model(rows: Any) -> Any:
        return linear(rows).argmax(axis=1)

    first, second = attacked(model, 0.4, seed=0), attacked(model, 0.4, seed=1)
    assert (first.flipped == second.flipped).mean() > 0.8
    assert first.moved.tobytes() != second.moved.tobytes()
    assert attacked(model, 0.4, seed=0).moved.tobytes() == first.moved.tobytes()


def test_queries_are_counted_and_bounded() -> None:
    counts = np.zeros(len(ROWS), dtype=int)

    def assemble(moved: Any, rows: Any) -> Any:
        np.add.at(counts, rows, 1)
        return moved

    objective = objective_of(stumps, assemble=assemble)
    counts[:] = 0
    found = worst_case(space_of(), objective, 0.3, budget=100)
    assert (found.queries == counts).all()
    assert (found.queries <= 100 + 28).all()
    assert found.budget == 100
    assert found.queries.max() > 60


def test_a_linear_model_needs_no_search() -> None:
    assert attacked(linear, 0.05).queries.max() <= 8 * 6 + 2 + 28


def test_label_only_models_are_searched_without_a_signal() -> None:
    found = attacked(lambda rows: np.where(rows @ WEIGHTS > 0, "yes", "no"), 0.5)
    possible = exact_epsilon() < 0.5
    assert not (found.flipped & ~possible).any()
    assert (found.flipped & (exact_epsilon() < 0.25)).sum() >= 0.8 * (exact_epsilon() < 0.25).sum()


def test_a_regression_flips_in_either_direction_beyond_its_tolerance() -> None:
    values = as_model(lambda rows: rows @ WEIGHTS, kind="values")
    reach = (np.abs(WEIGHTS) * SCALE).sum()
    spread = float((ROWS @ WEIGHTS).std())
    needed = 0.5 * spread / reach
    objective = objective_of(values, tolerance=0.5)
    found = worst_case(space_of(), objective, needed * 1.5)
    assert found.flipped.all()
    assert (found.smallest >= needed * (1 - 1e-6)).all()
    assert (found.smallest <= needed * 1.05).all()
    assert not worst_case(space_of(), objective, needed * 0.99).flipped.any()


def test_more_than_two_classes_are_each_aimed_at() -> None:
    weights = np.random.default_rng(1).normal(size=(6, 4)) / SCALE[:, None]

    def model(rows: Any) -> Any:
        scores = np.exp(rows @ weights / 3)
        return scores / scores.sum(axis=1, keepdims=True)

    scores = ROWS @ weights / 3
    own = scores.argmax(axis=1)
    gap = scores[np.arange(len(ROWS)), own][:, None] - scores
    steep = np.abs(weights[:, own].T[:, :, None] - weights[None, :, :]) * SCALE[None, :, None] / 3
    with np.errstate(invalid="ignore"):
        needed = gap / steep.sum(axis=1)
    needed[np.arange(len(ROWS)), own] = np.inf
    exact = needed.min(axis=1)
    found = attacked(model, 0.3)
    assert not (found.flipped & (exact >= 0.3)).any()
    assert found.flipped.sum() >= 0.97 * (exact < 0.3).sum()


def test_rows_on_the_cut_off_are_not_attacked() -> None:
    rows = ROWS.copy()
    rows[0] = 0
    found = attacked(linear, 0.5, rows)
    assert not found.attackable[0]
    assert not found.flipped[0]
    assert found.queries[0] == 0


def test_a_model_that_fails_on_moved_rows_leaves_an_error_row() -> None:
    def model(rows: Any) -> Any:
        if (np.abs(rows - ROWS[7]).max(axis=1) < 0.3).any() and not (rows == ROWS[7]).all(axis=1).any():
            raise ValueError("too near")
        return linear(rows)

    found = attacked(model, 0.02, budget=40)
    assert set(found.errors) == {7}
    assert found.errors[7] == "ValueError: too near"


def test_categories_are_swapped_within_a_hamming_budget() -> None:
    """Three swapped columns of four levels; two of them must change to flip a row."""
    codes = np.random.default_rng(5).integers(0, 2, size=(30, 3)).astype(float)
    rows = np.column_stack([codes, np.zeros(30)])

    def model(given: Any) -> Any:
        p = 1 / (1 + np.exp(-((given[:, :3] == 3).sum(axis=1) * 2.0 - 3.0)))
        return np.column_stack([1 - p, p])

    def found_with(swaps: int) -> Found:
        space = Space(
            ("a", "b", "c", "d"),
            rows,
            np.zeros(4),
            box(np.full(4, -np.inf), np.full(4, np.inf), np.full(4, np.inf)),
            range(30),
            levels=np.array([4, 4, 4, 0]),
            swaps=swaps,
        )
        return worst_case(space, objective_of(model, rows), 0.1)

    one, two = found_with(1), found_with(2)
    assert not one.flipped.any()
    assert two.flipped.all()
    assert ((two.moved != rows).sum(axis=1) == 2).all()
    assert (two.smallest == 0).all()


def test_many_columns_are_moved_in_groups() -> None:
    random = np.random.default_rng(2)
    rows, weights = random.normal(size=(20, 400)), random.normal(size=400)

    def model(given: Any) -> Any:
        p = 1 / (1 + np.exp(-(given @ weights)))
        return np.column_stack([1 - p, p])

    space = Space(
        tuple(map(str, range(400))),
        rows,
        np.ones(400),
        box(*np.full((2, 400), [[-np.inf], [np.inf]]), np.ones(400)),
        range(20),
    )
    exact = np.abs(rows @ weights) / np.abs(weights).sum()
    found = worst_case(space, objective_of(model, rows), float(exact.max() * 6))
    assert found.flipped.mean() >= 0.9
    assert (found.queries <= 330).all()
    at_random = np.zeros(20, dtype=bool)
    random_signs = np.sign(random.normal(size=(300, 400)))
    for signs in random_signs:
        moved = rows + signs * exact.max() * 6
        at_random |= model(moved).argmax(axis=1) != model(rows).argmax(axis=1)
    assert found.flipped.sum() > at_random.sum()


def test_nothing_to_move_finds_nothing() -> None:
    space = space_of(scale=np.zeros(6), project=box(-FREE, FREE, np.zeros(6)))
    found = worst_case(space, objective_of(linear), 0.5)
    assert not found.flipped.any()
    assert not found.queries.any()
    empty = Space((), ROWS[:, :0], np.empty(0), box(*np.empty((3, 0))), range(len(ROWS)))
    assert not worst_case(empty, objective_of(linear), 0.5).flipped.any()


def test_sizes_that_do_not_fit_are_refused() -> None:
    with pytest.raises(UsageError, match="do not fit"):
        space_of(keys=[1])


def test_draws_belong_to_their_row_and_place() -> None:
    keys = row_keys(0, "a", 0.1, ["x", "y"])
    whole = uniform(keys, 0, 2000)
    assert (uniform(keys[1:], 500, 100) == whole[1:, 500:600]).all()
    assert ((whole >= 0) & (whole < 1)).all()
    assert abs(whole.mean() - 0.5) < 0.02
    assert abs(np.corrcoef(whole)[0, 1]) < 0.1
    others = [row_keys(1, "a", 0.1, ["x"]), row_keys(0, "b", 0.1, ["x"]), row_keys(0, "a", 0.2, ["x"])]
    assert len({int(keys[0]), *(int(other[0]) for other in others)}) == 4


def test_the_first_draw_is_pinned() -> None:
    """SplitMix64 of the state 0 begins with 0xE220A8397B1DCDAF."""
    assert uniform(np.zeros(1, dtype=np.uint64), 0, 1)[0, 0] == (0xE220A8397B1DCDAF >> 11) * 2.0**-53


def test_attacks_are_found_by_name() -> None:
    assert attack_of("worst-case") is worst_case
    with pytest.raises(UsageError, match="did you mean 'hop-skip-jump'"):
        attack_of("hopskipjump")


def test_hop_skip_jump_says_what_it_needs(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "art.attacks.evasion", None)
    with pytest.raises(UsageError, match="Adversarial Robustness Toolbox"):
        hop_skip_jump(space_of(ROWS[:6], keys=range(6)), objective_of(linear, ROWS[:6]), 1.0)


def test_hop_skip_jump_finds_flips() -> None:
    pytest.importorskip("art", reason="the Adversarial Robustness Toolbox is not installed")
    space, rows = space_of(ROWS[:6], keys=range(6)), ROWS[:6]
    state = np.random.get_state()[1].tolist()
    found = hop_skip_jump(space, objective_of(linear, rows), 1.0)
    assert found.flipped.any()
    assert np.random.get_state()[1].tolist() == state
    assert (hop_skip_jump(space, objective_of(linear, rows), 1.0).moved == found.moved).all()
    assert (found.queries <= 1000).all()
    assert not (found.flipped & (exact_epsilon()[:6] > 1.0)).any()


@pytest.mark.parametrize(("p", "given_up"), [(0.9, True), (0.6, False), (1.0, False)])
def test_a_row_far_from_a_flip_is_given_up_on_a_plateau(p: float, given_up: bool) -> None:
    """Unless it is close to one, or the model is certain of all that it says, as a single tree is."""
    rows = np.random.default_rng(0).normal(size=(5, 3))
    space = Space(("a", "b", "c"), rows, np.ones(3), box(*np.full((2, 3), [[-9.0], [9.0]]), np.ones(3)), range(5))

    def model(given: Any) -> Any:
        return np.tile([1 - p, p], (len(given), 1))

    found = worst_case(space, objective_of(model, rows), 0.1)
    assert not found.flipped.any()
    assert (found.queries < 100).all() == given_up
    assert (found.queries > 250).all() != given_up
