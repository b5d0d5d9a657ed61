"""Error rates, power and calls of the sequential designs, summed exactly over every path; one simulation agrees.

The checker here is independent of how designs are calibrated: it asks `answer` at every point, and carries chances,
not counts, from one trial to the next. Shares are those really spent: .05 for the cases alone, and .04 where the
suite-level test takes its .01.
"""

from __future__ import annotations

from functools import cache
from statistics import fmean
from time import process_time

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from gate.stats.calibration import accept_table, guard_table, line_slopes, line_table
from gate.stats.design import Design, Question, Rule, design_for, tuples
from gate.stats.lattice import binomial
from gate.stats.operating import family_false_alarm, operating
from gate.stats.plan import plan
from gate.stats.pooled import pooled_for, pooled_operating
from gate.stats.two_arms import Caches, TwoArms, two_arm_false_alarm, two_arm_operating

RATES = (1.0, 0.99, 0.95, 0.90, 0.85, 0.80, 0.75)
FINE = np.sin(np.linspace(0, np.pi / 2, 801)) ** 2
DESIGNS: dict[Question, Design] = {}
ALPHAS = [0.05, 0.04]


@cache
def design(n0: int, cases: int, cap: int, alpha: float) -> Design:
    return design_for(Question(n0, cap, alpha / cases), DESIGNS)


def false_alarm(rule: Rule, rates: np.ndarray) -> np.ndarray:
    """Chance that an unchanged case is called a regression, for each true rate, asking the rule at every point."""
    n0, cap = rule.question.n0, rule.question.cap
    total = np.zeros(len(rates))
    start = np.array([binomial(n0, rate) for rate in rates])
    for s0 in range(n0 + 1):
        alive = {0: start[:, s0]}
        for n in range(cap + 1):
            following: dict[int, np.ndarray] = {}
            for fails, chance in alive.items():
                answer = rule.answer(s0, n - fails, fails)
                if answer == "regression":
                    total += chance
                elif answer == "more":
                    following[fails] = following.get(fails, 0.0) + chance * rates
                    following[fails + 1] = following.get(fails + 1, 0.0) + chance * (1 - rates)
            alive = following
    return total


def lowered(good: Design, by: float) -> Rule:
    """The same design with a line that much below the calibrated one."""
    q = good.question
    slopes = line_slopes(q.n0, q.share, q.delta)
    regression = np.minimum(guard_table(q.n0, q.cap, good.guard), line_table(slopes, q.cap, good.line - by))
    holds = np.minimum(accept_table(q.n0, q.cap, q.delta, -np.log(1 - q.power)), regression - 1)
    return Rule(q, good.line - by, good.guard, tuples(regression), tuples(holds))


SIZES = [(10, 1, 60), (10, 12, 60), (20, 12, 60), (50, 12, 60), (100, 12, 60), (50, 200, 100)]


@pytest.mark.parametrize("size", SIZES)
def test_an_unchanged_case_is_failed_at_most_its_share_of_the_time(size: tuple[int, int, int]) -> None:
    one = design(*size, 0.05)
    spent = float(false_alarm(one, FINE).max())
    assert spent <= one.question.share
    assert spent > 0.85 * one.question.share  # nothing is given away


@pytest.mark.parametrize("size", [(20, 12, 60), (50, 1, 60), (50, 12, 60)])
def test_the_checker_catches_a_line_that_is_too_low(size: tuple[int, int, int]) -> None:
    good = design(*size, 0.05)
    assert lowered(good, 0.0).regression == good.regression
    assert false_alarm(lowered(good, 0.5), FINE).max() > good.question.share


@settings(max_examples=40, deadline=None, derandomize=True)
@given(
    n0=st.integers(0, 15),
    cap=st.integers(1, 20),
    share=st.floats(1e-4, 0.5),
    delta=st.floats(0.02, 0.95),
    power=st.floats(0.5, 0.99),
    patient=st.booleans(),
)
def test_the_share_is_kept_for_any_question(
    n0: int, cap: int, share: float, delta: float, power: float, patient: bool
) -> None:
    one = design_for(Question(n0, cap, share, delta, power, patient), {})
    assert false_alarm(one, FINE).max() <= share * (1 + 1e-9)


@pytest.mark.parametrize(
    ("size", "power", "calls"),
    [
        ((10, 1, 60), (0.81, 0.67, 0.61, 0.55), (7.0, 14.5, 25.5)),
        ((10, 12, 60), (0.08, 0.17, 0.21, 0.13), (7.0, 14.6, 26.4)),
        ((20, 12, 60), (0.83, 0.60, 0.49, 0.33), (7.0, 13.1, 20.9)),
        ((50, 1, 60), (0.91, 0.91, 0.90, 0.88), (7.0, 11.2, 15.5)),
        ((50, 12, 60), (0.91, 0.87, 0.81, 0.69), (7.0, 11.9, 16.8)),
        ((50, 200, 100), (0.91, 0.80, 0.68, 0.48), (7.0, 12.1, 18.2)),
        ((100, 12, 100), (0.92, 0.91, 0.90, 0.89), (7.0, 11.4, 15.7)),
        ((100, 200, 100), (0.92, 0.90, 0.87, 0.77), (7.0, 11.5, 15.9)),
    ],
)
def test_power_and_calls_of_the_usual_designs(
    size: tuple[int, int, int], power: tuple[float, ...], calls: tuple[float, ...]
) -> None:
    one = design(*size, 0.05)
    found = [operating(one, q, q - 0.3).regression for q in (1.0, 0.95, 0.90, 0.75)]
    assert found == pytest.approx(power, abs=0.015)
    for q, most in zip((1.0, 0.90, 0.75), calls, strict=True):
        assert operating(one, q, q).calls <= most + 0.05


@pytest.mark.parametrize("alpha", ALPHAS)
def test_fifty_trials_and_twelve_cases(alpha: float) -> None:
    one = design(50, 12, 60, alpha)
    assert max(family_false_alarm(one, q, 12) for q in RATES) <= alpha
    calls = [operating(one, q, q).calls for q in (1.0, 0.90, 0.75)]
    assert calls[0] == pytest.approx(7.0)
    assert calls[1] <= 12.0
    assert calls[2] <= 17.0


@pytest.mark.parametrize("alpha", ALPHAS)
def test_a_hundred_trials_find_a_drop_at_every_rate(alpha: float) -> None:
    one = design(100, 12, 100, alpha)
    assert min(operating(one, q, q - 0.3).regression for q in RATES) >= 0.88
    many = design(100, 200, 100, alpha)
    assert min(operating(many, q, q - 0.3).regression for q in RATES if q >= 0.90) >= 0.86
    assert fmean(operating(many, q, q).calls for q in RATES) <= 11.6
    assert max(family_false_alarm(many, q, 200) for q in RATES) <= alpha


@pytest.mark.parametrize("alpha", ALPHAS)
@pytest.mark.parametrize("size", [(20, 1, 60), (20, 200, 60), (35, 200, 60), (50, 200, 60), (50, 200, 100)])
def test_total_breakage_is_found_in_few_calls(size: tuple[int, int, int], alpha: float) -> None:
    found = [operating(design(*size, alpha), q, 0.0) for q in RATES]
    assert min(each.regression for each in found) >= 0.999
    assert fmean(each.calls for each in found) <= (6.5 if size[0] >= 50 else 9.0)


CACHES = Caches()


@pytest.mark.parametrize("alpha", ALPHAS)
def test_fresh_arms_find_a_drop_at_every_rate_with_half_of_the_baseline(alpha: float) -> None:
    both = TwoArms(50, 12, alpha, fresh=50)
    assert min(two_arm_operating(both, q, q - 0.3, CACHES).regression for q in RATES) >= 0.88
    unchanged = [two_arm_operating(both, q, q, CACHES) for q in RATES]
    assert fmean(each.calls for each in unchanged) <= 13.0
    assert unchanged[0].calls == pytest.approx(7.0)
    assert max(each.family_false_alarm for each in unchanged) <= alpha


@pytest.mark.parametrize("session", [1.0, 0.9, 0.8, 0.7, 0.6, 0.5, 0.3, 0.0])
@pytest.mark.parametrize("q", [1.0, 0.9, 0.75])
def test_drift_and_luck_of_the_baseline_do_not_fail_fresh_arms(q: float, session: float) -> None:
    assert two_arm_false_alarm(TwoArms(50, 12, 0.05, fresh=50), q, CACHES, session) <= 0.05


@pytest.mark.parametrize("alpha", ALPHAS)
@pytest.mark.parametrize(
    ("cases", "fresh", "cap", "power", "calls"),
    [(12, 50, 100, (0.91, 0.91, 0.90, 0.89), 12.9), (200, 100, 150, (0.91, 0.91, 0.91, 0.89), 13.8)],
)
def test_pooling(cases: int, fresh: int, cap: int, power: tuple[float, ...], calls: float, alpha: float) -> None:
    both = pooled_for(TwoArms(50, cases, alpha, fresh=fresh).pooling(cap), CACHES.pooled, CACHES.designs)
    found = [pooled_operating(both, q, q - 0.3).regression for q in (1.0, 0.95, 0.90, 0.75)]
    assert found == pytest.approx(power, abs=0.01)
    assert min(pooled_operating(both, q, q - 0.3).regression for q in RATES) >= 0.88
    unchanged = [pooled_operating(both, q, q) for q in RATES]
    assert fmean(each.calls + each.base_calls for each in unchanged) <= calls + 0.05
    assert max(pooled_operating(both, float(q), float(q)).regression for q in FINE[::8]) <= alpha / cases


def test_ten_trials_are_not_enough_and_the_plan_says_what_is() -> None:
    found = plan(10, 12, cache=DESIGNS)
    assert not any(row.attainable for row in found.rows)
    assert all(row.enough and row.more and row.least and row.least > 10 for row in found.rows)
    assert max(row.power for row in found.rows) < 0.23


@pytest.mark.parametrize(("q", "now"), [(0.90, 0.90), (0.90, 0.60), (0.75, 0.45), (1.0, 0.7)])
def test_a_simulation_agrees(q: float, now: float) -> None:
    one, runs, rng = design(50, 1, 60, 0.05), 200_000, np.random.default_rng(20_240_917)
    regression, holds = np.array(one.regression), np.array(one.holds)
    s0, alive = rng.binomial(50, q, runs), np.ones(runs, dtype=bool)
    fails, calls = np.zeros(runs, dtype=int), np.zeros(runs)
    counted = dict.fromkeys(("regression", "holds", "undecided"), 0)
    for n in range(61):
        if n:
            fails += rng.random(runs) >= now
            calls += alive
        failed = alive & (fails >= regression[s0, n])
        held = alive & ~failed & (fails <= holds[s0, n])
        stuck = alive & ~failed & ~held & (fails + 60 - n < regression[s0, -1])
        for name, left in zip(counted, (failed, held, stuck), strict=True):
            counted[name] += int(left.sum())
        alive &= ~(failed | held | stuck)
    found = operating(one, q, now)
    assert [count / runs for count in counted.values()] == pytest.approx(
        [found.regression, found.holds, found.undecided], abs=0.003
    )
    assert calls.mean() == pytest.approx(found.calls, abs=0.15)


def test_a_design_takes_less_than_80_ms_and_a_verdict_less_than_20_microseconds() -> None:
    def seconds(question: Question) -> float:
        start = process_time()
        design_for(question, {})
        return process_time() - start

    for question in (Question(100, 150, 0.05 / 12), Question(100, 150, 0.05 / 200), Question(50, 60, 0.05)):
        assert min(seconds(question) for _ in range(3)) < 0.080
    one = design(50, 12, 60, 0.05)
    best = 1.0
    for _ in range(5):
        start = process_time()
        for _ in range(2_000):
            one.answer(46, 8, 2)
        best = min(best, (process_time() - start) / 2_000)
    assert best < 20e-6
