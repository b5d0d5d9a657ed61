"""Screening and confirmation together."""

from __future__ import annotations

from math import comb

import pytest

from gate.stats.arms import ArmsQuestion, arms_for, arms_operating
from gate.stats.design import Question, design_for
from gate.stats.operating import operating
from gate.stats.pooled import PooledQuestion
from gate.stats.two_arms import (
    Caches,
    TwoArms,
    suspect,
    two_arm_false_alarm,
    two_arm_operating,
)

CACHES = Caches()
PLAN = TwoArms(20, 3, alpha=0.1, cap=20, fresh=15)


def test_the_parts_are_asked_for_what_the_plan_says() -> None:
    assert PLAN.screening == Question(20, 20, 0.02, patient=True)
    assert PLAN.confirmation(2) == ArmsQuestion(15, 0.05)
    assert PLAN.pooling(40) == PooledQuestion(PLAN.screening, 15, 40, 0.1 / 3)


@pytest.mark.parametrize(
    ("outcomes", "is_suspect"),
    [("1" * 20, False), ("0" * 20, True), ("1110111001", False), ("110" * 10, True), ("1111111" + "0" * 13, False)],
)
def test_suspects(outcomes: str, is_suspect: bool) -> None:
    screen = design_for(PLAN.screening, CACHES.designs)
    assert suspect(screen, 20, outcomes) == is_suspect


def test_undecided_is_a_suspect() -> None:
    screen = design_for(PLAN.screening, CACHES.designs)
    outcomes = "1101101101" * 2
    assert screen.walk(17, outcomes).answer == "undecided"
    assert suspect(screen, 17, outcomes)


def test_without_a_baseline_everything_is_a_suspect() -> None:
    assert suspect(design_for(TwoArms(0, 1).screening, CACHES.designs), 0, "1")


@pytest.mark.parametrize(("q", "now"), [(0.9, 0.9), (0.9, 0.6), (1.0, 0.0)])
def test_one_case_among_three(q: float, now: float) -> None:
    found = two_arm_operating(PLAN, q, now, CACHES)
    first = operating(design_for(PLAN.screening, CACHES.designs), q, now)
    noise = 1 - operating(design_for(PLAN.screening, CACHES.designs), q, q).holds
    arms = [arms_operating(arms_for(PLAN.confirmation(k), CACHES.arms), q, now) for k in (1, 2, 3)]
    weights = [comb(2, k) * noise**k * (1 - noise) ** (2 - k) for k in range(3)]
    expected = sum(weight * each.regression for weight, each in zip(weights, arms, strict=True)) * (1 - first.holds)
    assert found.regression == pytest.approx(expected)
    assert found.regression + found.holds + found.undecided == pytest.approx(1.0)
    assert found.suspect == pytest.approx(1 - first.holds)
    fresh = sum(weight * (each.calls + each.base_calls) for weight, each in zip(weights, arms, strict=True))
    assert found.calls == pytest.approx(first.calls + fresh * (1 - first.holds))
    assert 0 <= found.base_calls < found.calls


def test_the_family_is_all_cases_at_once() -> None:
    q = 0.85
    noise = 1 - operating(design_for(PLAN.screening, CACHES.designs), q, q).holds
    expected = 0.0
    for suspects in (1, 2, 3):
        level = arms_operating(arms_for(PLAN.confirmation(suspects), CACHES.arms), q, q).regression
        weight = comb(3, suspects) * noise**suspects * (1 - noise) ** (3 - suspects)
        expected += weight * (1 - (1 - level) ** suspects)
    assert two_arm_false_alarm(PLAN, q, CACHES) == pytest.approx(expected)
    assert two_arm_operating(PLAN, q, q, CACHES).family_false_alarm == pytest.approx(expected)


@pytest.mark.parametrize("q", [1.0, 0.9, 0.6])
@pytest.mark.parametrize("session", [1.0, 0.8, 0.5, 0.2, 0.0])
def test_alpha_holds_whatever_the_baseline_was(q: float, session: float) -> None:
    assert two_arm_false_alarm(PLAN, q, CACHES, session) <= PLAN.alpha


def test_many_cases_leave_out_what_is_negligible() -> None:
    plan = TwoArms(50, 1500, fresh=5)
    found = two_arm_operating(plan, 1.0, 0.0, CACHES)
    assert found.family_false_alarm <= 1e-6
    assert len(CACHES.arms) < 30


@pytest.mark.parametrize(
    ("wrong", "says"),
    [
        ({"cases": 0}, "at least 1 case"),
        ({"alpha": 1.0}, "level lies strictly"),
        ({"fresh": 0}, "at least 1 trial each"),
    ],
)
def test_refuses_nonsense(wrong: dict[str, float], says: str) -> None:
    with pytest.raises(ValueError, match=says):
        TwoArms(**{"n0": 20, "cases": 3, **wrong})


def test_refuses_to_check_nobody() -> None:
    with pytest.raises(ValueError, match="only suspects"):
        PLAN.confirmation(0)
