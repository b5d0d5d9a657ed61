"""Pooling: both stages against an independent account, trial by trial."""

from __future__ import annotations

import numpy as np
import pytest

from gate.stats.design import Design, Question
from gate.stats.lattice import binomial
from gate.stats.pooled import Pooled, PooledQuestion, pooled_for, pooled_operating

DESIGNS: dict[Question, Design] = {}
CACHE: dict[PooledQuestion, Pooled] = {}
QUESTION = PooledQuestion(Question(6, 8, 0.1, patient=True), 5, 12, 0.08)


def pooled(question: PooledQuestion = QUESTION) -> Pooled:
    return pooled_for(question, CACHE, DESIGNS)


def walked(both: Pooled, q: float, now: float) -> dict[str, float]:
    found = dict.fromkeys(("regression", "holds", "undecided", "suspect", "base", "calls"), 0.0)
    n0, fresh = both.question.first.n0, both.question.fresh
    draws = binomial(fresh, q)
    alive = {("first", s0, 0, 0): weight for s0, weight in enumerate(binomial(n0, q))}
    while alive:
        following: dict[tuple[str, int, int, int], float] = {}
        for (stage, s, k, f), chance in alive.items():
            answer = (both.screen if stage == "first" else both.rule).answer(s, k, f)
            if answer == "more":
                for state, part in (((stage, s, k + 1, f), now), ((stage, s, k, f + 1), 1 - now)):
                    following[state] = following.get(state, 0.0) + chance * part
            elif stage == "first" and answer != "holds":
                found["suspect"] += chance
                found["base"] += chance * fresh
                for drawn, part in enumerate(draws):
                    state = ("second", s + drawn, k, f)
                    following[state] = following.get(state, 0.0) + chance * part
            else:
                found[answer] += chance
                found["calls"] += chance * (k + f)
        alive = following
    return found


@pytest.mark.parametrize(("q", "now"), [(1.0, 1.0), (0.9, 0.9), (0.8, 0.3), (0.5, 0.0), (0.0, 0.0)])
def test_operating_is_the_sum_over_all_sequences(q: float, now: float) -> None:
    found = pooled_operating(pooled(), q, now)
    assert [
        found.regression,
        found.holds,
        found.undecided,
        found.suspect,
        found.base_calls,
        found.calls,
    ] == pytest.approx(list(walked(pooled(), q, now).values()))


@pytest.mark.parametrize("share", [0.2, 0.02, 0.001])
@pytest.mark.parametrize(("n0", "fresh"), [(0, 10), (1, 1), (10, 20)])
def test_the_share_is_kept_over_both_stages(n0: int, fresh: int, share: float) -> None:
    both = pooled(PooledQuestion(Question(n0, 15, 0.02, patient=True), fresh, 20, share))
    worst = max(pooled_operating(both, rate, rate).regression for rate in np.sin(np.linspace(0, np.pi / 2, 60)) ** 2)
    assert worst <= share


def test_pooling_finds_more_than_the_baseline_alone() -> None:
    both = pooled(PooledQuestion(Question(10, 30, 0.02, patient=True), 40, 60, 0.05 / 12))
    assert pooled_operating(both, 0.9, 0.4).regression > 0.9


def test_the_second_question_has_the_pooled_baseline() -> None:
    assert QUESTION.second == Question(11, 12, 0.08)
    assert pooled().rule.question == QUESTION.second


@pytest.mark.parametrize(("fresh", "cap"), [(0, 12), (5, 7)])
def test_refuses_nonsense(fresh: int, cap: int) -> None:
    with pytest.raises(ValueError, match="at least 1 fresh trial and a cap of 8"):
        PooledQuestion(QUESTION.first, fresh, cap, 0.05)
    with pytest.raises(ValueError, match="share lies strictly"):
        PooledQuestion(QUESTION.first, 5, 12, 1.0)


def test_refuses_rates_that_are_none() -> None:
    with pytest.raises(ValueError, match="between 0 and 1"):
        pooled_operating(pooled(), 0.5, -0.1)
