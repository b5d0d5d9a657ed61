"""Both arms take turns, and only whole, own trials confirm anything."""

from __future__ import annotations

from collections.abc import Sequence

import pytest

from gate.record.arms import Arm, Turn, run_arms
from gate.schema.fresh import Suspect

SUSPECTS = [Suspect("old.py::a", "new.py::a"), Suspect("t.py::b", "t.py::b")]


class Runs:
    def __init__(self, **instead: Turn) -> None:
        self.order: list[tuple[str, int, int]] = []
        self.instead = instead

    def __call__(self, arm: Arm, names: Sequence[str], count: int) -> Turn:
        self.order.append((arm, len(names), count))
        return self.instead.get(arm) or Turn(dict.fromkeys(names, ("1" if arm == "base" else "0") * count))


def test_arms_take_turns_that_change_their_order_until_all_trials_are_made() -> None:
    runs = Runs()
    fresh = run_arms(SUSPECTS, runs, lambda base, head: True, fresh=25, ratio=3, turn=10)
    assert [(arm, count) for arm, _, count in runs.order] == [
        ("base", 10),
        ("head", 30),
        ("head", 30),
        ("base", 10),
        ("base", 5),
        ("head", 15),
    ]
    assert fresh.trials == {"new.py::a": ("1" * 25, "0" * 75), "t.py::b": ("1" * 25, "0" * 75)}
    assert (fresh.void, fresh.calls) == ("", 200)


def test_a_suspect_that_is_answered_gets_no_further_trials() -> None:
    runs = Runs(base=Turn({"old.py::a": "11", "t.py::b": "01"}))
    fresh = run_arms(SUSPECTS, runs, lambda base, head: base != "11", fresh=4, ratio=1, turn=2)
    assert [(arm, many) for arm, many, _ in runs.order] == [("base", 2), ("head", 2), ("head", 1), ("base", 1)]
    assert fresh.trials == {"new.py::a": ("11", "00"), "t.py::b": ("0101", "0000")}


def test_trials_of_an_earlier_run_of_the_same_content_are_not_made_again() -> None:
    runs = Runs()
    earlier = {"new.py::a": ("1" * 4, "0" * 4), "t.py::b": ("11", "00")}
    fresh = run_arms(SUSPECTS, runs, lambda base, head: True, fresh=4, ratio=1, turn=10, earlier=earlier)
    assert runs.order == [("base", 1, 2), ("head", 1, 2)]
    assert fresh.trials == {"new.py::a": ("1111", "0000"), "t.py::b": ("1111", "0000")}
    assert fresh.calls == 4


@pytest.mark.parametrize(
    ("turn", "said"),
    [
        (Turn(reason="pytest crashed"), "the base's fresh trials could not be made: pytest crashed"),
        (Turn({"old.py::a": "11", "t.py::b": "1"}), "the base made no 2 trials of t.py::b"),
        (Turn({"t.py::b": "11"}), "the base made no 2 trials of old.py::a"),
    ],
)
def test_what_is_not_whole_or_not_its_own_is_void_and_its_cost_is_told(turn: Turn, said: str) -> None:
    fresh = run_arms(SUSPECTS, Runs(base=turn), lambda base, head: True, fresh=2, ratio=1, turn=10)
    assert said in fresh.void
    assert fresh.trials == {}
    assert fresh.calls == sum(map(len, turn.outcomes.values()))
