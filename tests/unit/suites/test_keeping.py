"""Witnesses of one sweep while it runs: each is tried once, before any search, and counts at every larger ε."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np

from gate.suites.perturbation import worst_case
from gate.suites.perturbation.audit_config import SweepConfig
from gate.suites.perturbation.keeping import Keeper
from gate.suites.perturbation.models import as_model, ask
from gate.suites.perturbation.tabular.frame import Frame
from gate.suites.perturbation.tabular.schema import infer
from gate.suites.perturbation.witnesses import Witness
from gate.suites.perturbation.worst_case import Worst, keeping

ROWS = np.column_stack([np.linspace(-1, 1, 41) + 0.01, np.tile([0.3, 0.7, 0.5], 14)[:41]])
IDS = tuple(f"k{place}" for place in range(41))
CONFIG = SweepConfig("", epsilons=(0.05, 0.1, 0.2), budget=60)


def attacked(keeper: Keeper | None, cut: float = 0.0, rows: Any = ROWS) -> tuple[list[Worst], list[int]]:
    """What the search finds at each ε against a cut of the first column, and how many rows each call was about."""
    calls: list[int] = []

    def model(given: Any) -> Any:
        calls.append(len(given))
        second = 1 / (1 + np.exp(-10 * (given[:, 0] - cut)))
        return np.column_stack([1 - second, second])

    asked = as_model(model, kind="probabilities", labels=["no", "yes"])
    frame = Frame.of(rows, "test")
    schema = infer(frame, where="test")
    clean = ask(asked, frame.native(), frame.rows, "test")
    calls.clear()
    search = worst_case.search if keeper is None else keeping(keeper)
    found = [search(asked, frame, schema, clean, epsilon, CONFIG, None, lambda _: None) for epsilon in CONFIG.epsilons]
    return found, calls


def first() -> tuple[Witness, ...]:
    keeper = Keeper((), IDS, b"key")
    attacked(keeper)
    return keeper.close()


def test_what_flips_at_a_small_epsilon_leaves_one_witness_of_that_epsilon() -> None:
    found = first()
    assert len({witness.example for witness in found}) == len(found) > 3
    worst, _ = attacked(None)
    for epsilon, each in zip(CONFIG.epsilons, worst, strict=True):
        kept = {witness.example for witness in found if witness.epsilon <= epsilon}
        assert kept == {IDS[row] for row in np.flatnonzero(each.flipped).tolist()}


def test_each_is_tried_once_before_any_search_and_flips_at_larger_epsilons_too() -> None:
    stored = first()
    keeper = Keeper(stored, IDS, b"key")
    worst, calls = attacked(keeper)
    assert calls[0] == sum(witness.epsilon == 0.05 for witness in stored)
    assert (keeper.queries, keeper.flipped, keeper.held, keeper.stale) == (len(stored), len(stored), 0, {})
    plain, many = attacked(None)
    assert [each.flipped.tolist() for each in worst] == [each.flipped.tolist() for each in plain]
    assert sum(calls) < sum(many)
    assert keeper.close() == stored
    assert all("a stored witness" in told for each in worst for told in each.moves.values())
    assert all(each.smallest[each.flipped].max() <= each.epsilon * (1 + 1e-9) for each in worst)


def test_a_model_that_withstands_them_keeps_them() -> None:
    stored = first()
    keeper = Keeper(stored, IDS, b"key")
    worst, _ = attacked(keeper, cut=-5.0)
    assert not any(each.flipped.any() for each in worst)
    assert (keeper.flipped, keeper.held) == (0, len(stored))
    assert keeper.close() == stored


def test_what_can_not_be_tried_is_counted_by_its_reason_and_kept() -> None:
    stored = first()
    far = replace(stored[0], epsilon=3.0)
    gone = replace(stored[0], example="gone")
    other = replace(stored[0], moves={"column": 0.1})
    keeper = Keeper((far, gone, other, *stored[1:]), IDS, b"key")
    attacked(keeper)
    kept = keeper.close()
    assert keeper.stale == {
        "the column 'column' is gone, or is not moved any more": 1,
        "its ε is beyond those of the sweep": 1,
        "its example is gone": 1,
    }
    assert far in kept and gone in kept
    moved = Keeper(stored, IDS, b"key")
    attacked(moved, rows=ROWS * 1.001)
    assert moved.stale == {"its row has changed": len(stored)}
    rekeyed = Keeper(stored, IDS, b"another key")
    attacked(rekeyed)
    assert rekeyed.stale == {"its row has changed": len(stored)}


def test_a_limit_keeps_the_nearest() -> None:
    keeper = Keeper((), IDS, b"key", limit=2)
    attacked(keeper)
    reached = sorted(witness.epsilon for witness in first())
    assert sorted(witness.epsilon for witness in keeper.close()) == reached[:2]


def test_rows_in_parts_change_nothing(monkeypatch: Any) -> None:
    stored = first()
    whole = Keeper(stored[1:], IDS, b"key")
    expected, _ = attacked(whole)
    monkeypatch.setattr(worst_case, "ROWS_AT_ONCE", 7)
    parts = Keeper(stored[1:], IDS, b"key")
    found, _ = attacked(parts)
    assert [each.flipped.tolist() for each in found] == [each.flipped.tolist() for each in expected]
    assert [each.moves for each in found] == [each.moves for each in expected]
    assert parts.close() == whole.close()
