"""Operating characteristics against every sequence of outcomes written out."""

from __future__ import annotations

from itertools import product
from math import comb

import pytest

from gate.stats.design import Design, Question, design_for
from gate.stats.operating import at, family_false_alarm, operating, smallest_drop, smallest_drop_from

CACHE: dict[Question, Design] = {}
USUAL = design_for(Question(50, 60, 0.05 / 12), CACHE)


def by_hand(design: Design, s0: int, now: float) -> dict[str, float]:
    cap = design.question.cap
    found = {"regression": 0.0, "holds": 0.0, "undecided": 0.0, "calls": 0.0}
    for outcomes in product("01", repeat=cap):
        walk = design.walk(s0, "".join(outcomes))
        chance = now ** outcomes.count("1") * (1 - now) ** outcomes.count("0")
        found[walk.answer] += chance
        found["calls"] += chance * walk.used
    return found


@pytest.mark.parametrize("patient", [False, True])
@pytest.mark.parametrize("now", [0.0, 0.35, 0.8, 1.0])
def test_a_known_baseline(now: float, patient: bool) -> None:
    design = design_for(Question(6, 9, 0.2, patient=patient), CACHE)
    for s0 in range(7):
        found = at(design, s0, now)
        assert vars_of(found) == pytest.approx(by_hand(design, s0, now))


def vars_of(found: object) -> dict[str, float]:
    return {name: getattr(found, name) for name in ("regression", "holds", "undecided", "calls")}


@pytest.mark.parametrize(("q", "now"), [(1.0, 0.7), (0.6, 0.6), (0.0, 0.0)])
def test_the_baseline_s_noise_is_averaged(q: float, now: float) -> None:
    design = design_for(Question(6, 9, 0.2), CACHE)
    expected = dict.fromkeys(("regression", "holds", "undecided", "calls"), 0.0)
    for s0 in range(7):
        weight = comb(6, s0) * q**s0 * (1 - q) ** (6 - s0)
        for name, value in by_hand(design, s0, now).items():
            expected[name] += weight * value
    assert vars_of(operating(design, q, now)) == pytest.approx(expected)


def test_answers_add_up_to_one() -> None:
    for q, now in ((1.0, 1.0), (0.9, 0.6), (0.5, 0.0), (0.05, 0.9)):
        found = operating(USUAL, q, now)
        assert found.regression + found.holds + found.undecided == pytest.approx(1.0)
        assert 0 <= found.calls <= 60


def test_a_family_is_so_many_independent_cases() -> None:
    single = operating(USUAL, 0.9, 0.9).regression
    assert family_false_alarm(USUAL, 0.9, 1) == pytest.approx(single)
    assert family_false_alarm(USUAL, 0.9, 12) == pytest.approx(1 - (1 - single) ** 12)
    assert family_false_alarm(USUAL, 0.9, 0) == 0.0


def test_the_smallest_drop_is_the_first_that_is_found() -> None:
    for s0 in (50, 47, 40):
        drop = smallest_drop(USUAL, s0)
        assert drop is not None
        assert at(USUAL, s0, s0 / 50 - drop).regression >= 0.9
        assert at(USUAL, s0, s0 / 50 - drop + 0.001).regression < 0.9
    averaged = smallest_drop_from(USUAL, 0.9)
    assert averaged is not None
    assert operating(USUAL, 0.9, 0.9 - averaged).regression >= 0.9
    assert operating(USUAL, 0.9, 0.9 - averaged + 0.001).regression < 0.9


def test_no_drop_is_found_without_enough_data() -> None:
    assert smallest_drop(design_for(Question(0, 60, 0.05), CACHE), 0) is None
    assert smallest_drop(design_for(Question(1, 60, 0.004), CACHE), 1) is None
    assert smallest_drop(USUAL, 0) is None
    assert smallest_drop_from(USUAL, 0.0) is None


def test_a_drop_is_at_most_the_rate() -> None:
    drop = smallest_drop(design_for(Question(49, 60, 0.05), CACHE), 10)
    assert drop is None or drop <= 10 / 49


@pytest.mark.parametrize("rates", [(1.1, 0.5), (0.5, -0.1), (float("nan"), 0.5)])
def test_refuses_rates_that_are_none(rates: tuple[float, float]) -> None:
    with pytest.raises(ValueError, match="between 0 and 1"):
        operating(USUAL, *rates)


@pytest.mark.parametrize("s0", [-1, 51])
def test_refuses_baselines_that_are_none(s0: int) -> None:
    with pytest.raises(ValueError, match="baseline of 50 trials"):
        at(USUAL, s0, 0.5)
