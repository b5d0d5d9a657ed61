"""The sequential test of one rate: its chances by enumeration, its limits by hand, and what it refuses."""

from __future__ import annotations

from itertools import pairwise, product

import pytest

from gate.stats.one_sample import RateTest, rate_test
from gate.stats.refusal import TooLittle

DESIGNS = [
    (0.9, 0.2, 0.05, 0.05, 50),
    (0.9, 0.2, 0.01, 0.01, 50),
    (0.9, 0.2, 0.05, 0.10, 12),
    (0.8, 0.2, 0.05, 0.05, 50),
    (0.95, 0.1, 0.05, 0.05, 100),
    (0.5, 0.3, 0.10, 0.05, 30),
    (0.99, 0.3, 0.05, 0.05, 20),
    (0.999, 0.5, 0.05, 0.05, 10),
    (0.2, 0.15, 0.05, 0.05, 40),
]


def made(min_rate: float, tolerance: float, alpha: float, beta: float, cap: int) -> RateTest:
    test = rate_test(min_rate, tolerance, alpha=alpha, beta=beta, cap=cap)
    assert isinstance(test, RateTest)
    return test


def outcome(test: RateTest, sequence: tuple[int, ...]) -> tuple[str, int]:
    passes = 0
    for trials, passed in enumerate(sequence, start=1):
        passes += passed
        answer = test.answer(passes, trials)
        if answer is not None:
            return answer, trials
    raise AssertionError("no answer at the cap")


@pytest.mark.parametrize("rate", [0.0, 0.3, 0.7, 0.9, 1.0])
@pytest.mark.parametrize("design", [(0.9, 0.2, 0.05, 0.10, 12), (0.5, 0.3, 0.10, 0.05, 11)])
def test_the_chances_are_those_of_all_sequences(design: tuple[float, float, float, float, int], rate: float) -> None:
    test = made(*design)
    chances, mean = {"below": 0.0, "holds": 0.0, "undecided": 0.0}, 0.0
    for sequence in product((0, 1), repeat=test.cap):
        weight = rate ** sum(sequence) * (1 - rate) ** (test.cap - sum(sequence))
        answer, trials = outcome(test, sequence)
        chances[answer] += weight
        mean += weight * trials
    found = test.operating(rate)
    assert (found.below, found.holds, found.undecided) == pytest.approx(tuple(chances.values()), abs=1e-12)
    assert found.trials == pytest.approx(mean)


@pytest.mark.parametrize("design", DESIGNS)
def test_both_errors_are_kept(design: tuple[float, float, float, float, int]) -> None:
    test = made(*design)
    low = test.min_rate - test.tolerance
    good = [test.min_rate + (1 - test.min_rate) * step / 8 for step in range(9)]
    bad = [low * step / 8 for step in range(9)]
    assert max(test.operating(rate).below for rate in good) <= test.alpha
    assert max(test.operating(rate).holds for rate in bad) <= test.beta


@pytest.mark.parametrize("design", DESIGNS)
def test_an_early_answer_is_the_one_that_the_cap_would_give(design: tuple[float, float, float, float, int]) -> None:
    test = made(*design)
    for trials in range(1, test.cap):
        left = test.cap - trials
        for passes in range(trials + 1):
            if test.answer(passes, trials) == "undecided":
                ends = {test.answer(passes + more, test.cap) for more in range(left + 1)}
                assert ends == {"undecided"}


@pytest.mark.parametrize("design", DESIGNS)
def test_the_limits_rise_by_at_most_one_a_trial(design: tuple[float, float, float, float, int]) -> None:
    test = made(*design)
    for limits in (test.below_at, test.holds_at):
        assert {after - before for before, after in pairwise(limits)} <= {0, 1}
    assert all(low < high for low, high in zip(test.below_at, test.holds_at, strict=True))


def test_the_default_by_hand() -> None:
    """ln(.7/.9) = -.2513 a pass, ln 3 = 1.0986 a failure: twelve passes reach -ln 19 = -2.944, and eleven do not."""
    test = made(0.9, 0.2, 0.05, 0.05, 50)
    assert test.holds_at[10] == 12
    assert test.holds_at[11] == 12
    assert outcome(test, (1,) * 50) == ("holds", 12)
    assert outcome(test, (0,) * 50) == ("below", 3)
    assert (test.below_at[-1], test.holds_at[-1]) == (40, 42)


def test_the_default_in_figures() -> None:
    test = made(0.9, 0.2, 0.05, 0.05, 50)
    found = {rate: test.operating(rate) for rate in (1.0, 0.95, 0.90, 0.85, 0.80, 0.70, 0.50)}
    assert [round(at.below, 4) for at in found.values()] == [0, 0.0026, 0.0474, 0.2445, 0.5638, 0.9421, 0.9997]
    assert [round(at.trials, 2) for at in found.values()] == [12.0, 16.57, 23.28, 28.50, 28.11, 18.10, 7.45]


@pytest.mark.parametrize(("min_rate", "need"), [(0.9, 2), (0.5, 5), (0.1, 29), (0.99, 1)])
def test_too_few_trials_are_refused_and_enough_are_not(min_rate: float, need: int) -> None:
    """The rate 0 is found by `need` failures in a row, whose chance (1 - min_rate)^need is the first below .05."""
    asked = {"alpha": 0.05, "beta": 0.05}
    assert made(min_rate, min_rate / 2, 0.05, 0.05, need).operating(0.0).below == 1
    if need > 1:
        refused = rate_test(min_rate, min_rate / 2, cap=need - 1, **asked)
        assert isinstance(refused, TooLittle)
        assert f"{need} would be" in refused.reason


@pytest.mark.parametrize(
    "wrong",
    [
        (0.0, 0.2, 0.05, 0.05, 50),
        (1.0, 0.2, 0.05, 0.05, 50),
        (0.9, 0.0, 0.05, 0.05, 50),
        (0.2, 0.2, 0.05, 0.05, 50),
        (0.9, 0.2, 0.0, 0.05, 50),
        (0.9, 0.2, 0.5, 0.05, 50),
        (0.9, 0.2, 0.05, 0.5, 50),
        (0.9, 0.2, 0.05, 0.05, 0),
    ],
)
def test_values_outside_their_ranges_are_refused(wrong: tuple[float, float, float, float, int]) -> None:
    with pytest.raises(ValueError, match="min_rate"):
        made(*wrong)


@pytest.mark.parametrize("rate", [-0.1, 1.1])
def test_a_rate_is_a_fraction(rate: float) -> None:
    with pytest.raises(ValueError, match="between 0 and 1"):
        made(0.9, 0.2, 0.05, 0.05, 10).operating(rate)
