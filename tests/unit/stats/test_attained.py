"""Attained levels: at most x with a chance of at most x, and on the right side of the share."""

from __future__ import annotations

from collections.abc import Callable, Iterator

import numpy as np
import pytest

from gate.stats.arms import Arms, ArmsQuestion, arms_for, arms_level
from gate.stats.attained import attained_level
from gate.stats.design import Design, Question, design_for
from gate.stats.lattice import binomial
from gate.stats.pooled import PooledQuestion, pooled_for, pooled_level

RATES = np.sin(np.linspace(0, np.pi / 2, 203)[1:-1]) ** 2
CACHE: dict[Question, Design] = {}


def ends(
    answer: Callable[[int, int], str], alive: dict[tuple[int, int], np.ndarray]
) -> Iterator[tuple[int, int, np.ndarray]]:
    """Where an unchanged case of each of the rates ends, from where it is now; passes, fails, chances."""
    while alive:
        following: dict[tuple[int, int], np.ndarray] = {}
        for (passes, fails), chance in alive.items():
            if answer(passes, fails) != "more":
                yield passes, fails, chance
                continue
            for state, part in (((passes + 1, fails), RATES), ((passes, fails + 1), 1 - RATES)):
                following[state] = following.get(state, 0.0) + chance * part
        alive = following


def binomials(n0: int) -> np.ndarray:
    return np.array([binomial(n0, rate) for rate in RATES]).T


def assert_super_uniform(found: list[tuple[float, np.ndarray]]) -> None:
    assert sum(chance for _, chance in found) == pytest.approx(np.ones(len(RATES)))
    below = np.zeros(len(RATES))
    levels = sorted(found, key=lambda pair: pair[0])
    for number, (level, chance) in enumerate(levels):
        below += chance
        if number + 1 == len(levels) or levels[number + 1][0] > level:
            assert below.max() <= level + 1e-9


@pytest.mark.parametrize(
    "question",
    [
        Question(8, 10, 0.1),
        Question(5, 12, 0.05, 0.5),
        Question(12, 12, 0.02, 0.3, 0.8),
        Question(8, 10, 0.1, patient=True),
    ],
)
def test_levels_of_a_design(question: Question) -> None:
    design, start = design_for(question, CACHE), binomials(question.n0)
    found, seen = [], set()
    for s0 in range(question.n0 + 1):
        for passes, fails, chance in ends(lambda k, f, s0=s0: design.answer(s0, k, f), {(0, 0): start[s0]}):
            level, answer = attained_level(design, s0, passes, fails), design.answer(s0, passes, fails)
            assert (level <= question.share) == (answer == "regression")
            found.append((level, chance))
            seen.add(answer)
    assert "regression" in seen
    assert_super_uniform(found)


def test_levels_of_fresh_arms() -> None:
    question = ArmsQuestion(6, 0.1, 0.4, 0.7, ratio=2)
    arms = arms_for(question, {})
    alive, found = {(0, 0, 0, 0): np.ones(len(RATES))}, []
    while alive:
        following: dict[tuple[int, ...], np.ndarray] = {}
        for state, chance in alive.items():
            a, base_fails, b, fails = state
            if (answer := arms.answer(*state)) != "more":
                level = arms_level(arms, *state)
                assert (level <= question.level) == (answer == "regression")
                found.append((level, chance))
                continue
            step = (1, 0) if arms.next_arm(a + base_fails, b + fails) == "base" else (0, 1)
            for hit, part in ((1, RATES), (0, 1 - RATES)):
                reached = (
                    a + step[0] * hit,
                    base_fails + step[0] * (1 - hit),
                    b + step[1] * hit,
                    fails + step[1] * (1 - hit),
                )
                following[reached] = following.get(reached, 0.0) + chance * part
        alive = following
    assert_super_uniform(found)
    assert min(level for level, _ in found) < question.level


def test_levels_of_pooling() -> None:
    question = PooledQuestion(Question(6, 8, 0.1, patient=True), 5, 12, 0.08)
    pooled = pooled_for(question, {}, CACHE)
    start, draws, found = binomials(6), binomials(5), []
    for s0 in range(7):
        for passes, fails, chance in ends(lambda k, f, s0=s0: pooled.screen.answer(s0, k, f), {(0, 0): start[s0]}):
            if pooled.screen.answer(s0, passes, fails) == "holds":
                found.append((1.0, chance))
                continue
            for drawn in range(6):
                s = s0 + drawn
                later = ends(lambda k, f, s=s: pooled.rule.answer(s, k, f), {(passes, fails): chance * draws[drawn]})
                for k, f, weight in later:
                    level = pooled_level(pooled, s, k, f)
                    assert (level <= question.share) == (pooled.rule.answer(s, k, f) == "regression")
                    found.append((level, weight))
    assert_super_uniform(found)
    assert min(level for level, _ in found) < question.share


def test_nothing_decided_has_level_one() -> None:
    design = design_for(Question(50, 60, 0.004), CACHE)
    assert attained_level(design, 48, 2, 1) == 1.0
    arms: Arms = arms_for(ArmsQuestion(6, 0.1), {})
    assert arms_level(arms, 1, 0, 1, 1) == 1.0
    assert attained_level(design_for(Question(0, 60, 0.05), CACHE), 0, 0, 0) == 1.0


def test_breakage_has_a_smaller_level_than_a_drop() -> None:
    design = design_for(Question(50, 60, 0.05 / 12), CACHE)
    broken, worse = design.walk(48, "0" * 60), design.walk(48, "1100" * 15)
    assert broken.answer == worse.answer == "regression"
    levels = [attained_level(design, 48, walk.passes, walk.fails) for walk in (broken, worse)]
    assert 0 < levels[0] < levels[1] <= 0.05 / 12
