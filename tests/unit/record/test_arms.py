"""Both arms take turns, and only whole, own trials confirm anything."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import pytest

import gate.record.arms
from gate.record.arms import FOREIGN, Arm, Turn, run_arms
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
    assert set(fresh.voids) | set(fresh.trials) == {"new.py::a", "t.py::b"}
    assert not any(each.lasting for each in fresh.voids.values())
    whole = {name for name, done in turn.outcomes.items() if len(done) == 2}
    assert len(fresh.trials) == len(whole)
    assert fresh.calls == sum(map(len, turn.outcomes.values())) + 2 * len(whole)


def test_a_suspect_that_an_arm_can_not_run_takes_no_other_with_it() -> None:
    runs = Runs(base=Turn({"t.py::b": "11"}))
    fresh = run_arms(SUSPECTS, runs, lambda base, head: True, fresh=4, ratio=1, turn=2)
    assert fresh.trials == {"t.py::b": ("1111", "0000")}
    assert fresh.voids["new.py::a"].reason == "the base made no 2 trials of old.py::a"
    assert runs.order == [("base", 2, 2), ("head", 1, 2), ("head", 1, 2), ("base", 1, 2)]


def test_a_run_that_fails_later_leaves_those_that_were_answered() -> None:
    class Failing(Runs):
        def __call__(self, arm: Arm, names: Sequence[str], count: int) -> Turn:
            return super().__call__(arm, names, count) if len(names) == 2 else Turn(reason="the time was up")

    fresh = run_arms(SUSPECTS, Failing(), lambda base, head: base != "11", fresh=9, ratio=1, turn=2)
    assert fresh.trials == dict.fromkeys(("new.py::a", "t.py::b"), ("11", "00"))
    earlier = {"t.py::b": ("1", "0")}
    one = run_arms(SUSPECTS, Failing(), lambda base, head: base == "", fresh=9, ratio=1, turn=2, earlier=earlier)
    assert (one.trials, list(one.voids)) == (earlier, ["new.py::a"])


def test_code_of_another_tree_makes_all_void_and_that_lasts() -> None:
    class Late(Runs):
        def __call__(self, arm: Arm, names: Sequence[str], count: int) -> Turn:
            turn = super().__call__(arm, names, count)
            return Turn(turn.outcomes, f"shop {FOREIGN}") if arm == "head" else turn

    earlier = {"t.py::b": ("11", "00")}
    fresh = run_arms(SUSPECTS, Late(), lambda base, head: True, fresh=2, ratio=1, turn=2, earlier=earlier)
    assert fresh.trials == {}
    assert {name: each.lasting for name, each in fresh.voids.items()} == {"new.py::a": True, "t.py::b": True}


def test_the_plugin_says_so_in_these_words() -> None:
    source = Path(gate.record.arms.__file__).with_name("plugin") / "arm.py"
    assert FOREIGN in source.read_text(encoding="utf-8")
