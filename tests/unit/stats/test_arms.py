"""Fresh arms: answers, order of the trials, refusals, and what they do against an independent account."""

from __future__ import annotations

from itertools import product
from math import inf, log

import numpy as np
import pytest

from gate.stats.arms import Arms, ArmsQuestion, arms_for, arms_operating

CACHE: dict[ArmsQuestion, Arms] = {}
USUAL = arms_for(ArmsQuestion(50, 0.05), CACHE)


def test_identical_arms_hold_and_broken_ones_are_found() -> None:
    assert USUAL.answer(4, 0, 12, 0) == "holds"
    assert USUAL.answer(3, 0, 9, 0) == "more"
    assert USUAL.answer(3, 0, 0, 9) == "regression"
    assert USUAL.answer(0, 50, 0, 150) == "holds"


def test_looks_are_after_whole_blocks() -> None:
    assert USUAL.answer(0, 0, 0, 0) == "more"
    assert USUAL.answer(10, 0, 0, 29) == "more"
    assert USUAL.answer(10, 0, 0, 30) == "regression"


def test_the_arms_take_turns() -> None:
    order, base, candidate = "", 0, 0
    while len(order) < 9:
        arm = USUAL.next_arm(base, candidate)
        order += arm[0]
        base, candidate = base + (arm == "base"), candidate + (arm == "candidate")
    assert order == "bcccbcccb"


def test_the_last_look_ends_it() -> None:
    for base_passes, passes in product(range(0, 51, 5), range(0, 151, 5)):
        assert USUAL.answer(base_passes, 50 - base_passes, passes, 150 - passes) != "more"


def greatest_ratio(question: ArmsQuestion, block: int, a: int, b: int) -> float:
    """R by searching a grid of both rates."""
    rates, n = np.linspace(1e-6, 1 - 1e-6, 301), block * question.ratio
    first, second = np.meshgrid(rates, rates, indexing="ij")
    both = a * np.log(first) + (block - a) * np.log(1 - first) + b * np.log(second) + (n - b) * np.log(1 - second)
    return float(both[first - second >= question.delta - 1e-9].max() - np.diag(both).max())


def test_the_boundaries_are_those_of_the_ratio() -> None:
    question = ArmsQuestion(6, 0.05, ratio=2)
    arms = arms_for(question, CACHE)
    for block in range(1, 7):
        for a in range(block + 1):
            ratios = [greatest_ratio(question, block, a, b) for b in range(2 * block + 1)]
            assert ratios == sorted(ratios, reverse=True)
            regression, holds = arms.early if block < 6 else arms.final, log(50)
            most = max((b for b, ratio in enumerate(ratios) if ratio >= regression), default=-1)
            least = min((b for b, ratio in enumerate(ratios) if ratio <= -holds), default=2 * block + 1)
            near = any(min(abs(ratio - regression), abs(ratio + holds)) < 0.05 for ratio in ratios)
            assert near or (arms.regression[block][a], arms.holds[block][a]) == (most, least)


def walked(arms: Arms, base: float, now: float) -> dict[str, float]:
    """Every sequence of outcomes, one trial at a time."""
    found = {"regression": 0.0, "holds": 0.0, "undecided": 0.0, "base": 0.0, "candidate": 0.0}
    alive = {(0, 0, 0, 0): 1.0}
    while alive:
        following: dict[tuple[int, int, int, int], float] = {}
        for state, chance in alive.items():
            a, base_fails, b, fails = state
            answer = arms.answer(*state)
            if answer != "more":
                found[answer] += chance
                found["base"] += chance * (a + base_fails)
                found["candidate"] += chance * (b + fails)
            elif arms.next_arm(a + base_fails, b + fails) == "base":
                for nxt, part in (((a + 1, base_fails, b, fails), base), ((a, base_fails + 1, b, fails), 1 - base)):
                    following[nxt] = following.get(nxt, 0.0) + chance * part
            else:
                for nxt, part in (((a, base_fails, b + 1, fails), now), ((a, base_fails, b, fails + 1), 1 - now)):
                    following[nxt] = following.get(nxt, 0.0) + chance * part
        alive = following
    return found


@pytest.mark.parametrize("ratio", [1, 3])
@pytest.mark.parametrize("rates", [(0.9, 0.9), (0.9, 0.4), (1.0, 0.0), (0.5, 1.0)])
def test_operating_is_the_sum_over_all_sequences(rates: tuple[float, float], ratio: int) -> None:
    arms = arms_for(ArmsQuestion(10, 0.1, ratio=ratio), CACHE)
    found, expected = arms_operating(arms, *rates), walked(arms, *rates)
    assert [found.regression, found.holds, found.undecided, found.base_calls, found.calls] == pytest.approx(
        list(expected.values())
    )


@pytest.mark.parametrize(("fresh", "ratio"), [(1, 1), (2, 1), (3, 5), (10, 1), (20, 3)])
@pytest.mark.parametrize("level", [0.3, 0.04, 0.0005])
@pytest.mark.parametrize("delta", [0.05, 0.3, 0.95])
def test_the_level_is_kept_at_every_rate(fresh: int, ratio: int, level: float, delta: float) -> None:
    arms = arms_for(ArmsQuestion(fresh, level, delta, ratio=ratio), CACHE)
    worst = max(arms_operating(arms, rate, rate).regression for rate in np.sin(np.linspace(0, np.pi / 2, 60)) ** 2)
    assert worst <= level


def test_too_few_trials_decide_nothing() -> None:
    arms = arms_for(ArmsQuestion(1, 0.001, ratio=1), CACHE)
    assert arms.final == inf
    assert arms.answer(1, 0, 0, 1) == "undecided"


@pytest.mark.parametrize(
    ("wrong", "says"),
    [
        ({"fresh": 0}, "at least 1 trial each"),
        ({"ratio": 0}, "at least 1 trial each"),
        ({"fresh": 300}, "at most 1000"),
        ({"level": 0.0}, "level lies strictly"),
        ({"delta": 1.0}, "delta lies strictly"),
        ({"power": float("nan")}, "power lies strictly"),
    ],
)
def test_refuses_nonsense(wrong: dict[str, float], says: str) -> None:
    with pytest.raises(ValueError, match=says):
        ArmsQuestion(**{"fresh": 10, "level": 0.05, **wrong})


@pytest.mark.parametrize("counts", [(51, 0, 0, 0), (1, 0, 4, 0), (-1, 1, 0, 0), (0, 0, 0, 1)])
def test_refuses_counts_that_are_no_blocks(counts: tuple[int, int, int, int]) -> None:
    with pytest.raises(ValueError, match="no blocks"):
        USUAL.answer(*counts)


def test_refuses_rates_that_are_none() -> None:
    with pytest.raises(ValueError, match="between 0 and 1"):
        arms_operating(USUAL, 1.2, 0.5)


def test_the_cache_keeps_arms_by_question() -> None:
    assert arms_for(ArmsQuestion(50, 0.05), CACHE) is USUAL
