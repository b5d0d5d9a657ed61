"""The suite-level test by enumeration of everything that could have happened."""

from __future__ import annotations

import itertools
from math import comb, prod, sqrt

import numpy as np
import pytest
from scipy import stats

from gate.stats.fisher import fisher_one_sided
from gate.stats.refusal import TooLittle
from gate.stats.suite_level import Stratum, SuiteLevel, admissible, inflated_level, suite_level


def asked(*strata: Stratum) -> SuiteLevel:
    found = suite_level(strata)
    assert isinstance(found, SuiteLevel)
    return found


def weight(stratum: Stratum) -> int:
    rate = (stratum.passes + stratum.now + 0.5) / (stratum.trials + stratum.first + 1)
    return round(1 / (rate * (1 - rate)))


SUITES = [
    [Stratum(9, 10, 0, 1), Stratum(5, 10, 0, 1), Stratum(10, 10, 0, 1), Stratum(3, 10, 1, 1)],
    [Stratum(48, 50, 3, 5), Stratum(20, 50, 2, 5), Stratum(49, 50, 4, 5)],
    [Stratum(7, 10, 1, 2), Stratum(29, 30, 2, 3), Stratum(1, 2, 0, 1), Stratum(4, 5, 3, 4)],
]


@pytest.mark.parametrize("suite", SUITES)
def test_level_is_the_share_of_what_could_have_happened(suite: list[Stratum]) -> None:
    observed = sum(weight(each) * each.now for each in suite)
    level = 0.0
    for nows in itertools.product(*(range(each.first + 1) for each in suite)):
        if sum(weight(each) * now for each, now in zip(suite, nows, strict=True)) <= observed:
            level += prod(
                stats.hypergeom.pmf(now, each.trials + each.first, each.passes + each.now, each.first)
                for each, now in zip(suite, nows, strict=True)
            )
    assert asked(*suite).level == pytest.approx(level, rel=1e-9)


def test_one_case_is_fishers_test() -> None:
    for passes, now in itertools.product(range(11), range(6)):
        if 0 < passes + now < 15:
            found = asked(Stratum(passes, 10, now, 5))
            assert found.level == pytest.approx(fisher_one_sided(passes, 10, now, 5))


@pytest.mark.parametrize("rate", [0.05, 0.3, 0.5, 0.8, 0.95])
def test_its_level_holds_at_every_rate(rate: float) -> None:
    """Two cases of other sizes and rates, all outcomes: the chance of a level of at most a is at most a."""
    sizes, rates = ((5, 2), (4, 1)), (rate, 0.9)
    chances: dict[float, float] = {}
    for s, x, t, y in itertools.product(range(6), range(3), range(5), range(2)):
        found = suite_level([Stratum(s, 5, x, 2), Stratum(t, 4, y, 1)])
        level = found.level if isinstance(found, SuiteLevel) else 1.0
        chance = prod(
            comb(count, passes) * q**passes * (1 - q) ** (count - passes)
            for (n, m), q, pair in zip(sizes, rates, ((s, x), (t, y)), strict=True)
            for count, passes in ((n, pair[0]), (m, pair[1]))
        )
        chances[level] = chances.get(level, 0.0) + chance
    total = 0.0
    for level, chance in sorted(chances.items()):
        total += chance
        assert total <= level + 1e-9


MADE = [0, 0, 1, 2, 2, 1]
"""Trials that a design makes in any case, by the passes of a baseline of 5."""


@pytest.mark.parametrize("rate", [0.2, 0.5, 0.9])
def test_level_holds_for_designs_that_stop_early_for_some_baselines(rate: float) -> None:
    """One case of two first trials, left out where it is not admissible: all outcomes."""
    chances: dict[float, float] = {}
    for passes, now in itertools.product(range(6), range(3)):
        case = Stratum(passes, 5, now, 2)
        assert not admissible(case, MADE) or MADE[passes] >= 2
        found = suite_level([case] if admissible(case, MADE) else [])
        level = found.level if isinstance(found, SuiteLevel) else 1.0
        chance = comb(5, passes) * comb(2, now) * rate ** (passes + now) * (1 - rate) ** (7 - passes - now)
        chances[level] = chances.get(level, 0.0) + chance
    total = 0.0
    for level, chance in sorted(chances.items()):
        total += chance
        assert total <= level + 1e-12


def test_admissible_looks_at_every_baseline_with_the_same_sum() -> None:
    flat = [2] * 6
    assert all(admissible(Stratum(passes, 5, 1, 2), flat) for passes in range(6))
    assert [admissible(Stratum(passes, 5, 0, 1), MADE) for passes in range(6)] == [
        False,
        False,
        False,
        True,
        True,
        True,
    ]
    assert [admissible(Stratum(passes, 5, 1, 1), MADE) for passes in range(6)] == [False, False, True, True, True, True]
    with pytest.raises(ValueError, match="one number of trials"):
        admissible(Stratum(3, 5, 0, 1), [1] * 5)


def test_cases_that_cannot_speak_change_no_level() -> None:
    suite = SUITES[0]
    silent = [Stratum(50, 50, 1, 1), Stratum(0, 20, 0, 1), Stratum(0, 0, 0, 1), Stratum(7, 9, 0, 0)]
    found = asked(*suite, *silent)
    assert found.level == asked(*suite).level
    assert (found.speaking, found.cases) == (4, 6)


def test_what_cannot_tell_a_drop_is_refused() -> None:
    for suite in ([], [Stratum(50, 50, 1, 1)] * 9, [Stratum(0, 0, 0, 1)], [Stratum(3, 9, 0, 0)]):
        refused = suite_level(suite)
        assert isinstance(refused, TooLittle)
        assert "can't tell" in refused.reason


def test_total_collapse_is_found_and_its_effect_has_a_width() -> None:
    found = asked(*[Stratum(50, 50, 0, 1)] * 20)
    assert found.level < 1e-20
    assert found.effect.estimate == -1.0
    assert -1.0 == found.effect.interval.low < found.effect.interval.high < -0.8


def test_effect_is_the_mean_change_of_equal_cases() -> None:
    found = asked(Stratum(40, 50, 3, 5), Stratum(50, 50, 4, 5))
    assert found.effect.estimate == pytest.approx((0.6 - 0.8 + 0.8 - 1.0) / 2)
    assert found.effect.interval.low < found.effect.estimate < found.effect.interval.high


def test_effect_of_one_large_case_is_near_the_score_interval() -> None:
    """5 trials of 50 are few, so the limits are compared with Wald's for large counts instead."""
    found = asked(*[Stratum(8, 10, 3, 5)] * 400)
    error = ((0.8 * 0.2 / 10 + 0.6 * 0.4 / 5) / 400) ** 0.5
    half = 1.96 * error
    interval = found.effect.interval
    assert (interval.low, interval.high) == pytest.approx((-0.2 - half, -0.2 + half), abs=0.002)


def test_arguments_out_of_range_are_refused() -> None:
    with pytest.raises(ValueError, match="at most the first 5"):
        suite_level([Stratum(5, 10, 3, 6)])
    for wrong in (Stratum(11, 10, 0, 1), Stratum(3, 10, 2, 1), Stratum(-1, 10, 0, 1)):
        with pytest.raises(ValueError, match="passes are"):
            suite_level([wrong])
    with pytest.raises(ValueError, match="confidence lies"):
        suite_level(SUITES[0], confidence=1.0)


def test_alike_trials_inflate_the_level() -> None:
    assert inflated_level(0.01, [600] * 5, 300, 0.0) == pytest.approx(0.01)
    one, five = (inflated_level(0.01, sessions, 300, 0.02) for sessions in ([3000], [600] * 5))
    assert 0.01 < five < one < 0.5


def test_the_inflated_level_is_that_of_shared_sessions() -> None:
    generator, icc, cases = np.random.default_rng(7), 0.02, 12
    size = 1 / icc - 1
    rates = generator.beta(0.5 * size, 0.5 * size, (4_000, 6))
    before = generator.binomial(10, np.repeat(rates[:, :5, None], cases, axis=2)).sum(axis=1)
    now = generator.binomial(5, np.repeat(rates[:, 5, None], cases, axis=1))
    difference = now.sum(axis=1) / (5 * cases) - before.sum(axis=1) / (50 * cases)
    error = sqrt(0.5 * 0.5 * (1 / (5 * cases) + 1 / (50 * cases)))
    counted = float((difference < -2.326 * error).mean())
    assert counted == pytest.approx(inflated_level(0.01, [10 * cases] * 5, 5 * cases, icc), abs=0.015)


@pytest.mark.parametrize(
    ("level", "sessions", "now", "icc"),
    [(0, [10], 5, 0.1), (0.01, [], 5, 0.1), (0.01, [0], 5, 0.1), (0.01, [10], 0, 0.1), (0.01, [10], 5, 1.1)],
)
def test_the_inflated_level_refuses_what_is_no_question(
    level: float, sessions: list[int], now: int, icc: float
) -> None:
    with pytest.raises(ValueError, match="a level lies in"):
        inflated_level(level, sessions, now, icc)
