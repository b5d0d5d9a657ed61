"""Items 1 to 4: designs of one case and two arms, exactly by dynamic programming, at the share really spent."""

from __future__ import annotations

from collections.abc import Iterator
from statistics import fmean

import numpy as np

from benchmarks.stats.beside import Clastogen, pairs
from benchmarks.stats.line import ALPHA, DROP, FOR_CASES, RATES, Line, by_rate
from gate.stats.design import Design, Question, design_for
from gate.stats.operating import family_false_alarm, operating
from gate.stats.two_arms import Caches, TwoArms, two_arm_false_alarm, two_arm_operating

FINE = np.sin(np.linspace(0, np.pi / 2, 201)) ** 2
"""True rates from 0 to 1, closer together at both ends."""
SIZES_OF_4 = ((20, 1, 60), (20, 12, 60), (20, 200, 60), (35, 200, 60), (50, 1, 60), (50, 200, 60), (50, 200, 100))


def design(n0: int, cases: int, cap: int, cache: dict[Question, Design]) -> Design:
    return design_for(Question(n0, cap, FOR_CASES / cases), cache)


def lines(clastogen: Clastogen, runs: int) -> Iterator[Line]:
    """Ours is exact; Clastogen's is simulated so many times for each pair of true rates."""
    clastogen.simulate(pairs(), runs)
    caches = Caches()
    designs: dict[Question, Design] = {}
    yield from _item_1(design(50, 12, 60, designs), clastogen)
    yield from _item_2(design(100, 12, 100, designs), design(100, 200, 100, designs), clastogen)
    yield from _item_3(TwoArms(50, 12, FOR_CASES, fresh=50), caches)
    yield from _item_4(designs, clastogen)


def _item_1(one: Design, clastogen: Clastogen) -> Iterator[Line]:
    alarms = [family_false_alarm(one, rate, 12) for rate in RATES]
    worst = max(family_false_alarm(one, float(rate), 12) for rate in FINE)
    yield Line(
        1,
        "false alarm of the pull request at most, 12 cases, n0 = 50, cap 60, by true rate, and with the suite test's",
        {**by_rate(RATES, alarms), "worst of all rates": worst, "and the suite test": worst + ALPHA - FOR_CASES},
        ALPHA,
        max(*alarms, worst) <= FOR_CASES and worst + ALPHA - FOR_CASES <= ALPHA,
        clastogen.family(12),
    )
    limits = {1.0: 7.0, 0.90: 12.0, 0.75: 17.0}
    calls = [operating(one, rate, rate).calls for rate in limits]
    yield Line(
        1,
        "calls of an unchanged case at most, n0 = 50, cap 60, by true rate (Clastogen's with its baseline of 10)",
        by_rate(tuple(limits), calls),
        by_rate(tuple(limits), list(limits.values())),
        all(found <= limit + 1e-9 for found, limit in zip(calls, limits.values(), strict=True)),
        clastogen.calls(tuple(limits)),
    )


def _item_2(few: Design, many: Design, clastogen: Clastogen) -> Iterator[Line]:
    power = [operating(few, rate, rate - DROP).regression for rate in RATES]
    yield Line(
        2,
        "power at a drop of 30 points at least, n0 = 100, 12 cases, cap 100, by true rate",
        by_rate(RATES, power),
        0.88,
        min(power) >= 0.88,
        clastogen.power(),
    )
    high = tuple(rate for rate in RATES if rate >= 0.90)
    power = [operating(many, rate, rate - DROP).regression for rate in high]
    yield Line(
        2,
        "power at a drop of 30 points at least, n0 = 100, 200 cases, cap 100, by true rate",
        by_rate(high, power),
        0.86,
        min(power) >= 0.86,
        clastogen.power(high),
    )
    calls = [operating(many, rate, rate).calls for rate in RATES]
    mean = clastogen.calls(RATES)
    yield Line(
        2,
        "calls of an unchanged case at most, mean over the true rates, n0 = 100, 200 cases, cap 100",
        fmean(calls),
        11.6,
        fmean(calls) <= 11.6,
        fmean(mean.values()) if mean else None,
    )
    alarms = [family_false_alarm(many, rate, 200) for rate in RATES]
    yield Line(
        2,
        "false alarm of the pull request over 200 cases at most, n0 = 100, cap 100, by true rate",
        by_rate(RATES, alarms),
        FOR_CASES,
        max(alarms) <= FOR_CASES,
        clastogen.family(200),
    )


def _item_3(both: TwoArms, caches: Caches) -> Iterator[Line]:
    power = [two_arm_operating(both, rate, rate - DROP, caches).regression for rate in RATES]
    yield Line(
        3,
        "power at a drop of 30 points at least, n0 = 50 + 50 fresh for suspects, 12 cases, by true rate",
        by_rate(RATES, power),
        0.88,
        min(power) >= 0.88,
    )
    calls = [two_arm_operating(both, rate, rate, caches).calls for rate in RATES]
    yield Line(
        3,
        "calls of an unchanged case, both arms, at most, mean over the true rates, n0 = 50 + 50 fresh, 12 cases",
        fmean(calls),
        13.0,
        fmean(calls) <= 13.0,
    )
    alarms = [two_arm_false_alarm(both, rate, caches) for rate in RATES]
    yield Line(
        3,
        "false alarm of the pull request over 12 cases at most, n0 = 50 + 50 fresh, by true rate",
        by_rate(RATES, alarms),
        FOR_CASES,
        max(alarms) <= FOR_CASES,
    )


def _item_4(cache: dict[Question, Design], clastogen: Clastogen) -> Iterator[Line]:
    calls_there = clastogen.calls(RATES, 1.0)
    found_there = clastogen.power(RATES, 1.0)
    there = None
    if calls_there and found_there:
        there = {"found": min(found_there.values()), "calls": fmean(calls_there.values())}
    for n0, cases, cap in SIZES_OF_4:
        found = [operating(design(n0, cases, cap, cache), rate, 0.0) for rate in RATES]
        limit = 6.5 if n0 >= 50 else 9.0
        ours = {"found": min(each.regression for each in found), "calls": fmean(each.calls for each in found)}
        yield Line(
            4,
            f"rate 0 is found at least, in calls at most, rates before as in 1: n0 = {n0}, {cases} cases, cap {cap}",
            ours,
            {"found": 0.999, "calls": limit},
            ours["found"] >= 0.999 and ours["calls"] <= limit,
            there,
        )
