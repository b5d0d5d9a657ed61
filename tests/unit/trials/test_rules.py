"""Rules that stop trials: fixed samples, floors, several at once, and which one a plan poses."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import product
from math import comb

import pytest

from gate.stats.intervals import upper_bound
from gate.trials.designs import Fixed, Joint, most_where_alike
from gate.trials.floor import Floor, FloorRule, SequentialFloor, floor_for
from gate.trials.loop import PASSED, Answer, DesignLike, Result, TrialResult, TrialsRun, run_trials
from gate.trials.plan import Ask, Plan
from gate.trials.question import FLOOR_LEVEL, pose

ASK = Ask(n0=50, s0=50, cap=60, share=0.004, delta=0.3, power=0.9)


@dataclass(frozen=True)
class Wishes:
    max_trials: int = 60
    min_rate: float | None = None
    delta: float = 0.3
    power: float = 0.9


def follow(rule: DesignLike, outcomes: str, cap: int, s0: int = 0) -> TrialsRun:
    waiting = iter(outcomes)
    return run_trials(lambda _: PASSED if next(waiting) == "1" else TrialResult(Result.FAILED), rule, cap=cap, s0=s0)


def chance(rule: DesignLike, rate: float, cap: int, wanted: Answer) -> float:
    """The chance of an answer at a true rate, over every path."""
    going, found = {(0, 0): 1.0}, 0.0
    for _ in range(cap):
        after: dict[tuple[int, int], float] = {}
        for (passes, fails), weight in going.items():
            for place, part in (((passes + 1, fails), rate), ((passes, fails + 1), 1 - rate)):
                answer = rule.answer(0, *place)
                found += weight * part * (answer == wanted)
                if answer == "more":
                    after[place] = after.get(place, 0.0) + weight * part
        going = after
    assert not going
    return found


@pytest.mark.parametrize("outcomes", ["111", "000", "101"])
def test_a_fixed_sample_decides_nothing(outcomes: str) -> None:
    run = follow(Fixed(3), outcomes + "1" * 9, 12)
    assert (run.outcomes, run.answer) == (outcomes, "undecided")


@pytest.mark.parametrize(
    ("rate", "cap", "level"), [(0.9, 10, 0.05), (0.9, 60, 0.004), (0.5, 20, 0.01), (0.99, 100, 0.05)]
)
def test_the_fixed_floor_keeps_its_level_exactly(rate: float, cap: int, level: float) -> None:
    floor = Floor(rate, cap, level)
    tail = sum(comb(cap, k) * rate**k * (1 - rate) ** (cap - k) for k in range(floor.most + 1))
    assert tail <= level
    assert chance(floor, rate, cap, "regression") == pytest.approx(tail)
    for passes in range(cap + 1):
        bound = upper_bound(passes, cap, level)
        assert isinstance(bound, float)
        assert (passes <= floor.most) is (bound < rate - 1e-12)


def test_the_fixed_floor_is_cut_short_without_a_change_of_its_answer() -> None:
    floor = Floor(0.7, 8, 0.1)
    for outcomes in map("".join, product("01", repeat=8)):
        run = follow(floor, outcomes, 8)
        assert (run.answer == "regression") is (outcomes.count("1") <= floor.most)
        assert outcomes.startswith(run.outcomes)


def test_floors_at_their_ends() -> None:
    assert follow(Floor(1.0, 60, 0.05), "110", 60).answer == "regression"
    assert follow(Floor(0.9, 1, 0.05), "0", 60).answer == "undecided"
    for wrong in ((0.0, 10, 0.05), (1.1, 10, 0.05), (0.5, 0, 0.05), (0.5, 10, 0.0)):
        with pytest.raises(ValueError, match="a floor lies in"):
            Floor(*wrong)


@pytest.mark.parametrize(("rate", "level", "cap"), [(0.9, 0.05, 60), (0.9, 0.05 / 24, 60), (0.5, 0.01, 60)])
def test_the_sequential_floor(rate: float, level: float, cap: int) -> None:
    floor = floor_for(rate, cap, level, delta=0.3, power=0.9)
    assert isinstance(floor, SequentialFloor)
    for above in (rate, (rate + 1) / 2, 1.0):
        assert chance(floor, above, cap, "regression") <= level
    assert chance(floor, rate - 0.3, cap, "regression") >= 0.9
    assert len(follow(floor, "1" * cap, cap).outcomes) <= 7
    assert follow(floor, "0" * cap, cap).answer == "regression"


@pytest.mark.parametrize("values", [{"min_rate": 1.0}, {"min_rate": 0.3}, {"level": 0.6}, {"power": 0.5}])
def test_where_no_sequential_floor_can_be_had(values: dict[str, float]) -> None:
    given = {"min_rate": 0.9, "level": 0.05, "power": 0.9, **values}
    floor = floor_for(given["min_rate"], 60, given["level"], delta=0.3, power=given["power"])
    assert isinstance(floor, Floor)


def test_a_cap_without_evidence_is_undecided_at_once() -> None:
    floor: FloorRule = floor_for(0.5, 3, 0.001, delta=0.3, power=0.9)
    assert follow(floor, "000", 3).answer == "undecided"


class Scripted:
    def __init__(self, *answers: Answer) -> None:
        self.answers = answers
        self.asked = 0

    def answer(self, s0: int, passes: int, fails: int) -> Answer:
        self.asked += 1
        return self.answers[min(passes + fails, len(self.answers)) - 1]


@pytest.mark.parametrize(
    ("one", "other", "answer", "count"),
    [
        (["holds"], ["more", "holds"], "holds", 2),
        (["more", "holds"], ["undecided"], "undecided", 2),
        (["holds"], ["more", "more", "regression"], "regression", 3),
        (["more", "regression"], ["more"], "regression", 2),
    ],
)
def test_rules_over_the_same_trials(one: list[Answer], other: list[Answer], answer: str, count: int) -> None:
    for rules in ((Scripted(*one), Scripted(*other)), (Scripted(*other), Scripted(*one))):
        run = follow(Joint(*rules), "1" * 10, 10)
        assert (run.answer, len(run.outcomes)) == (answer, count)


def test_a_rule_that_has_answered_is_not_asked_again() -> None:
    done = Scripted("holds", "regression")
    joint = Joint(done, Fixed(5))
    assert follow(joint, "1" * 5, 5).answer == "undecided"
    assert done.asked == 1
    assert joint.answers == ["holds", "undecided"]


def test_what_a_plan_poses() -> None:
    designs: dict[object, object] = {}
    assert pose(Plan(fixed=7), "a", Wishes(max_trials=3), designs).design == Fixed(7)
    assert pose(Plan(), "a", Wishes(), designs).design == Fixed(10)
    assert pose(Plan(), "a", Wishes(max_trials=4), designs).design == Fixed(4)
    assert pose(Plan(estimate=20), "a", Wishes(), designs).cap == 20
    posed = pose(Plan(asks={"a": ASK}), "a", Wishes(max_trials=3, min_rate=0.99), designs)
    assert (posed.cap, posed.s0, posed.floor) == (60, 50, None)
    assert posed.design is posed.main
    again = pose(Plan(asks={"a": ASK}), "a", Wishes(), designs)
    assert again.design is posed.design
    assert len(designs) == 1


def test_floors_of_a_plan() -> None:
    fixed = pose(Plan(fixed=20), "a", Wishes(min_rate=0.9), {})
    assert fixed.floor == Floor(0.9, 20, FLOOR_LEVEL)
    assert fixed.below(follow(fixed.design, "1" * 14 + "0" * 6, fixed.cap)) == 0.9
    assert fixed.below(follow(fixed.design, "1" * 18 + "0" * 2, fixed.cap)) is None
    estimate = pose(Plan(), "a", Wishes(min_rate=0.9), {})
    run = follow(estimate.design, "0" * 60, estimate.cap)
    assert (estimate.below(run), estimate.regressed(run)) == (0.9, False)
    assert len(run.outcomes) < 10
    assert len(follow(pose(Plan(), "a", Wishes(min_rate=0.9), {}).design, "1" * 60, 60).outcomes) == 10
    ask = Ask(n0=50, s0=20, cap=60, share=0.004, delta=0.3, power=0.9, min_rate=0.9)
    both = pose(Plan(asks={"a": ask}), "a", Wishes(), {})
    run = follow(both.design, "01" * 30, both.cap, s0=20)
    assert (both.below(run), both.regressed(run)) == (0.9, False)
    lower = pose(Plan(asks={"a": Ask(50, 50, 60, 0.004, 0.3, 0.9, min_rate=0.1)}), "a", Wishes(), {})
    run = follow(lower.design, "01" * 30, lower.cap, s0=50)
    assert (lower.below(run), lower.regressed(run)) == (None, True)


def test_trials_that_all_end_alike_are_counted_by_the_slower_answer() -> None:
    assert most_where_alike(Fixed(7), 0, 20) == 7
    assert most_where_alike(Fixed(7), 0, 5) == 5
    assert most_where_alike(Floor(0.9, 20, 0.05), 0, 20) == 16  # of 20 at 0.9, at most 15 may pass: 16 passes hold
