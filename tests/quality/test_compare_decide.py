"""Error rates of the decision, summed exactly over every possible pair of samples: nothing here is simulated."""

from __future__ import annotations

from functools import cache
from math import comb

import pytest

from gate.schema.report import Session, Trials
from gate.stats.decide import decide

ALPHA, DELTA, POWER = 0.05, 0.30, 0.90
RATES = [0.02, 0.1, 0.3, 0.5, 0.7, 0.8, 0.9, 0.95, 0.98, 0.995]
DESIGNS = [(5, 1), (5, 5), (10, 3), (20, 10), (50, 10), (30, 30)]


def sample(passes: int, count: int) -> Trials:
    return Trials((Session("s", "1" * passes + "0" * (count - passes)),))


@cache
def answers(before: int, after: int, cases: int) -> dict[tuple[int, int], str]:
    return {
        (x, y): decide(sample(x, before), sample(y, after), ALPHA / cases, delta=DELTA, power=POWER).verdict
        for x in range(before + 1)
        for y in range(after + 1)
    }


def chance(answer: str, before: int, after: int, cases: int, rate: float, now: float) -> float:
    def weight(passes: int, count: int, q: float) -> float:
        return comb(count, passes) * q**passes * (1 - q) ** (count - passes)

    found = answers(before, after, cases)
    return sum(weight(x, before, rate) * weight(y, after, now) for (x, y), said in found.items() if said == answer)


@pytest.mark.parametrize("cases", [1, 4, 20])
@pytest.mark.parametrize("design", DESIGNS)
def test_noise_fails_an_unchanged_pull_request_at_most_alpha(design: tuple[int, int], cases: int) -> None:
    worst = max(chance("regression", *design, cases, rate, rate) for rate in RATES)
    assert 1 - (1 - worst) ** cases <= ALPHA


@pytest.mark.parametrize("design", DESIGNS)
def test_a_drop_of_delta_is_called_harmless_at_most_as_often_as_promised(design: tuple[int, int]) -> None:
    pairs = [(rate, rate - drop) for rate in (*RATES, 1.0) for drop in (DELTA, 0.5) if rate >= drop]
    assert max(chance("holds", *design, 1, *pair) for pair in pairs) <= 1 - POWER + 1e-12


def test_the_decision_finds_what_it_can() -> None:
    assert chance("regression", 50, 10, 1, 0.98, 0.5) > 0.9
    assert chance("regression", 30, 30, 4, 0.95, 0.55) > 0.9
    assert chance("holds", 30, 30, 1, 0.995, 0.995) > 0.9


def test_one_trial_decides_nothing_that_it_can_not_know() -> None:
    assert set(answers(5, 1, 20).values()) == {"undecided"}
