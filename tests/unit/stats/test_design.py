"""What a design answers, and what it refuses."""

from __future__ import annotations

from math import isfinite

import pytest

from gate.stats.design import Design, Question, Walk, design_for

USUAL = Question(50, 60, 0.05 / 12)
CACHE: dict[Question, Design] = {}


def design(n0: int = 50, cap: int = 60, share: float = 0.05 / 12, **more: float) -> Design:
    return design_for(Question(n0, cap, share, **more), CACHE)


@pytest.mark.parametrize(
    ("s0", "outcomes", "walk"),
    [
        (50, "1" * 60, Walk("holds", 7, 7, 0)),
        (50, "0" * 60, Walk("regression", 2, 0, 2)),
        (48, "0" * 60, Walk("regression", 4, 0, 4)),
        (48, "110", Walk("more", 3, 2, 1)),
        (48, "", Walk("more", 0, 0, 0)),
        (40, "110" * 20, Walk("undecided", 49, 33, 16)),
        (45, "100" * 20, Walk("regression", 14, 5, 9)),
    ],
)
def test_walks(s0: int, outcomes: str, walk: Walk) -> None:
    assert design().walk(s0, outcomes) == walk


def test_a_walk_is_its_answers_one_by_one() -> None:
    for s0, outcomes in ((45, "1011101010"), (50, "1101"), (30, "01" * 30)):
        walk = design().walk(s0, outcomes)
        answers = [design().answer(s0, outcomes[:n].count("1"), outcomes[:n].count("0")) for n in range(walk.used + 1)]
        assert set(answers[:-1]) <= {"more"}
        assert answers[-1] == walk.answer


def test_outcomes_after_the_answer_are_ignored() -> None:
    assert design().walk(50, "1111111" + "0" * 50) == Walk("holds", 7, 7, 0)
    assert design().walk(50, "1111111x").answer == "holds"


def test_no_case_goes_on_beyond_the_cap() -> None:
    for s0 in range(51):
        for passes in range(61):
            assert design().answer(s0, passes, 60 - passes) != "more"


@pytest.mark.parametrize(("name", "value"), [("share", 0.0), ("share", 1.0), ("power", 0.0), ("power", 1.5)])
@pytest.mark.parametrize("extra", [{}, {"delta": 0.0}, {"delta": float("nan")}])
def test_refuses_what_is_no_chance(name: str, value: float, extra: dict[str, float]) -> None:
    wrong = {"share": 0.05, **extra, name: value}
    with pytest.raises(ValueError, match=r"lies strictly between 0 and 1"):
        Question(10, 10, **wrong)


@pytest.mark.parametrize(
    ("n0", "cap", "says"), [(-1, 10, "at least 0 trials"), (5, 0, "cap of at least 1"), (990, 11, "at most 1000")]
)
def test_refuses_impossible_sizes(n0: int, cap: int, says: str) -> None:
    with pytest.raises(ValueError, match=says):
        Question(n0, cap, 0.05)


@pytest.mark.parametrize("counts", [(51, 0, 0), (-1, 0, 0), (5, -1, 1), (5, 1, -1), (5, 60, 1)])
def test_refuses_counts_that_it_can_not_have(counts: tuple[int, int, int]) -> None:
    with pytest.raises(ValueError, match="no counts of a design"):
        design().answer(*counts)


def test_refuses_outcomes_that_are_none() -> None:
    with pytest.raises(ValueError, match="1 or 0, not 'x'"):
        design().walk(50, "1x")


def test_without_a_baseline_nothing_is_decided_and_nothing_called() -> None:
    empty = design(0)
    assert not empty.attainable
    assert empty.walk(0, "0" * 60) == Walk("undecided", 0, 0, 0)


def test_one_trial_shows_nothing_at_a_small_share() -> None:
    single = design(1)
    assert not single.attainable
    assert {single.walk(s0, outcome * 60).answer for s0 in (0, 1) for outcome in "01"} == {"undecided"}


def test_a_rate_below_delta_never_holds() -> None:
    for s0 in range(16):
        assert all(most == -1 for most in design().holds[s0])
        assert design().walk(s0, "1" * 60).answer == "undecided"
    assert design().walk(16, "1" * 60).answer != "regression"


@pytest.mark.parametrize("delta", [0.01, 0.99])
@pytest.mark.parametrize("n0", [0, 1, 2, 30])
@pytest.mark.parametrize("share", [1e-9, 0.999])
def test_odd_questions_get_a_design(n0: int, delta: float, share: float) -> None:
    odd = design(n0, 15, share, delta=delta)
    assert isfinite(odd.guard)
    assert odd.line > 0
    for s0 in range(n0 + 1):
        for outcomes in ("0" * 15, "1" * 15, "01" * 8):
            assert odd.walk(s0, outcomes).answer in ("regression", "holds", "undecided")


def test_attainable_is_the_best_case() -> None:
    assert design().attainable
    assert not design(10).attainable
    assert design(18, share=0.05).attainable
    assert not design(17, share=0.05, power=0.91).attainable


def test_the_cache_keeps_designs_by_question() -> None:
    cache: dict[Question, Design] = {}
    first = design_for(USUAL, cache)
    assert design_for(Question(50, 60, 0.05 / 12), cache) is first
    assert list(cache) == [USUAL]
    assert design_for(Question(50, 60, 0.05 / 11), cache) is not first


def test_a_patient_design_differs_only_where_a_regression_is_out_of_reach() -> None:
    patient = design_for(Question(50, 60, 0.02, patient=True), CACHE)
    usual = design_for(Question(50, 60, 0.02), CACHE)
    assert patient.regression == usual.regression
    assert patient.holds == usual.holds
    changed = 0
    for s0 in range(51):
        for n in range(60):
            for fails in range(n + 1):
                before, now = usual.answer(s0, n - fails, fails), patient.answer(s0, n - fails, fails)
                changed += before != now
                assert before == now or (before, now) == ("undecided", "more")
    assert changed > 0
