"""Witnesses: kept compactly, without raw values, and tried first on the next model."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from gate.errors import ReportError
from gate.suites.perturbation import witnesses
from gate.suites.perturbation.attack.objective import Objective
from gate.suites.perturbation.attack.space import Space, box
from gate.suites.perturbation.attack.worst_case import worst_case
from gate.suites.perturbation.models import as_model, ask
from gate.suites.perturbation.witnesses import Witness

RANDOM = np.random.default_rng(4)
ROWS = np.column_stack([RANDOM.normal(70_000, 9_000, 30), RANDOM.normal(0, 1, 30), RANDOM.integers(0, 3, 30)])
SCALE = np.array([9_000.0, 1.0, 0.0])
IDS = [f"id{number:02}" for number in range(30)]
KEY = b"key"


def space_of(rows: Any = ROWS, names: tuple[str, ...] = ("income", "debt", "job"), levels: int = 3) -> Space:
    free = np.full(3, np.inf)
    project = box(-free, free, np.where(SCALE > 0, SCALE, np.inf))
    return Space(names, rows, SCALE, project, IDS[: len(rows)], np.array([0, 0, levels]), swaps=1, separable=True)


def broken(rows: Any) -> Any:
    p = 1 / (1 + np.exp(-(4 * (rows[:, 0] - 70_000) / 9_000 - rows[:, 1] + (rows[:, 2] == 2) * 0.5)))
    return np.column_stack([1 - p, p])


def mended(rows: Any) -> Any:
    """Rounds so coarsely that a small move changes nothing."""
    return np.where(np.floor(rows[:, 0] / 70_000 + 0.5)[:, None] > 0, [0.1, 0.9], [0.9, 0.1])


def objective_of(model: Any, rows: Any = ROWS) -> Objective:
    asked = as_model(model)
    return Objective(asked, lambda moved, _: moved, ask(asked, rows, len(rows), "test", exact=True))


def found_ones(limit: int = 500) -> tuple[Witness, ...]:
    found = worst_case(space_of(), objective_of(broken), 0.4)
    assert found.flipped.sum() >= 8
    return witnesses.collect(found, space_of(), objective_of(broken), IDS, key=KEY, limit=limit)


def replayed(kept: tuple[Witness, ...], model: Any = broken, space: Space | None = None, ids: Any = None) -> Any:
    chosen = space or space_of()
    return witnesses.replay(kept, chosen, objective_of(model, chosen.clean), ids or IDS[: len(chosen.clean)], key=KEY)


def test_a_regression_that_was_fixed_and_comes_back_is_found_by_one_query_a_witness() -> None:
    kept = found_ones()
    fixed = replayed(kept, mended)
    assert (len(fixed.flipped), len(fixed.held), fixed.queries) == (0, len(kept), len(kept))
    again = replayed(witnesses.loads(witnesses.dumps(kept)), broken)
    assert again.flipped == kept
    assert again.queries == len(kept)
    rows = [IDS.index(witness.example) for witness in kept]
    assert (broken(again.points).argmax(axis=1) != broken(ROWS[rows]).argmax(axis=1)).all()


def test_no_raw_value_is_stored() -> None:
    text = witnesses.dumps(found_ones())
    for value in ROWS[:, 0]:
        assert str(int(value)) not in text
    assert all(abs(move) <= 0.4 + 1e-9 for witness in found_ones() for move in witness.moves.values())


def test_a_witness_says_what_it_was_before_and_after() -> None:
    for witness in found_ones():
        row = IDS.index(witness.example)
        assert witness.before == str(broken(ROWS)[row].argmax())
        assert witness.after != witness.before
    values = as_model(lambda rows: rows[:, 1], kind="values")
    clean = ask(values, ROWS, 30, "test", exact=True)
    objective = Objective(values, lambda moved, _: moved, clean, tolerance=0.2)
    found = worst_case(space_of(), objective, 0.4)
    kept = witnesses.collect(found, space_of(), objective, IDS, key=KEY)
    assert len(kept) == 30
    assert all(witness.before == "" and witness.after.endswith(" sd") for witness in kept)


def test_the_nearest_flips_are_kept_within_the_limit() -> None:
    few = found_ones(limit=3)
    found = worst_case(space_of(), objective_of(broken), 0.4)
    nearest = sorted(np.flatnonzero(found.flipped), key=lambda row: found.smallest[row])[:3]
    assert [witness.example for witness in few] == [IDS[row] for row in nearest]
    assert found_ones(limit=0) == ()


def test_a_stale_witness_is_said_and_not_dropped() -> None:
    kept = found_ones()
    first, row = kept[0], IDS.index(kept[0].example)
    changed = ROWS.copy()
    changed[row, 1] += 1e-9
    assert dict(_reasons(replayed(kept, space=space_of(changed))))[first.example] == "its row has changed"
    gone = witnesses.replay(kept, space_of(), objective_of(broken), ["other", *IDS[1:]], key=KEY)
    assert len(gone.flipped) + len(gone.held) + len(gone.stale) == len(kept)
    renamed = replayed(kept, space=space_of(names=("wage", "debt", "job")))
    assert "'income' is gone" in dict(_reasons(renamed))[first.example]
    assert not renamed.held
    swapped = replace(first, levels={"job": 2})
    assert "no such level" in _reasons(replayed((swapped,), space=space_of(levels=2)))[0][1]
    assert "holds levels now" in _reasons(replayed((replace(first, moves={"job": 0.1}),)))[0][1]
    assert _reasons(replayed((replace(first, example="nobody"),)))[0][1] == "its example is gone"


def test_fault_a_new_flip_of_the_same_row_does_not_evict_the_mended_one() -> None:
    (old,) = found_ones(limit=1)
    new = replace(old, moves={name: -move for name, move in old.moves.items()})
    kept = witnesses.merged([old], [new])
    assert len(kept) == 2 and old in kept and new in kept
    assert witnesses.merged([old], [replace(old, after="other")]) == (replace(old, after="other"),)


def _reasons(result: Any) -> list[tuple[str, str]]:
    return [(witness.example, reason) for witness, reason in result.stale]


def test_a_model_that_fails_on_a_witness_says_so() -> None:
    kept = found_ones()

    def model(rows: Any) -> Any:
        if not np.isin(rows[:, 0], ROWS[:, 0]).all():
            raise ValueError("unseen")
        return broken(rows)

    objective = objective_of(model)
    one = witnesses.replay((kept[0], replace(kept[1], moves={}, levels={})), space_of(), objective, IDS, key=KEY)
    assert _reasons(one) == [(kept[0].example, "the model failed on it")]
    assert len(one.held) == 1


def test_nothing_to_replay_asks_nothing() -> None:
    result = replayed(())
    assert (result.queries, result.flipped, result.points.shape) == (0, (), (0, 3))


def test_stored_and_new_ones_share_the_limit() -> None:
    def some(start: int, count: int, attack: str = "a") -> list[Witness]:
        return [
            Witness(f"{number:03}", attack, 0.1, {"x": 0.1}, {}, "0", "1", "r")
            for number in range(start, start + count)
        ]

    assert [found.example for found in witnesses.merged(some(0, 2), some(5, 2), 10)] == ["000", "001", "005", "006"]
    assert len(witnesses.merged(some(0, 20), some(50, 20), 10)) == 10
    assert sum(found.example < "050" for found in witnesses.merged(some(0, 20), some(50, 20), 10)) == 5
    assert sum(found.example < "050" for found in witnesses.merged(some(0, 20), some(50, 2), 10)) == 8
    assert len(witnesses.merged(some(0, 2), some(50, 20), 10)) == 10
    newer = [replace(some(0, 1)[0], after="2")]
    assert witnesses.merged(some(0, 1), newer, 10) == tuple(newer)
    assert len(witnesses.merged(some(0, 1), some(0, 1, "b"), 10)) == 2


FINITE = st.floats(-1e6, 1e6)
WITNESSES = st.builds(
    Witness,
    example=st.text(max_size=8),
    attack=st.text(max_size=8),
    epsilon=st.floats(1e-6, 1e3),
    moves=st.dictionaries(st.text(max_size=5), FINITE, max_size=4),
    levels=st.dictionaries(st.text(max_size=5), st.integers(0, 99), max_size=3),
    before=st.text(max_size=5),
    after=st.text(max_size=5),
    row=st.text(max_size=5),
)


@settings(max_examples=50, deadline=None)
@given(st.lists(WITNESSES, max_size=3))
def test_what_is_written_is_read_again(some: list[Witness]) -> None:
    text = witnesses.dumps(some)
    assert witnesses.loads(text) == tuple(some)
    assert witnesses.dumps(witnesses.loads(text)) == text


@pytest.mark.parametrize(
    "text",
    [
        "",
        "[",
        '{"version":2}\n',
        "[" * 100_000,
        '{"version":1}\n[]\n',
        '{"version":1}\n["a","b",0,{},{},"","",""]\n',
        '{"version":1}\n["a","b",NaN,{},{},"","",""]\n',
        '{"version":1}\n["a","b",0.1,{"x":Infinity},{},"","",""]\n',
        '{"version":1}\n["a","b",0.1,{},{"x":-1},"","",""]\n',
        '{"version":1}\n[1,"b",0.1,{},{},"","",""]\n',
        '{"version":1}\n["a","b",0.1,[],{},"","",""]\n',
    ],
)
def test_damage_is_told(text: str) -> None:
    with pytest.raises(ReportError):
        witnesses.loads(text, "file")


def test_a_row_is_known_again_only_under_its_key() -> None:
    row = np.array([1.0, np.nan, 0.0])
    assert witnesses.row_digest(row, KEY) == witnesses.row_digest(np.array([1.0, -np.nan, -0.0]), KEY)
    assert witnesses.row_digest(row, KEY) != witnesses.row_digest(row, b"other")
    assert witnesses.row_digest(row, KEY) != witnesses.row_digest(row + 1, KEY)
