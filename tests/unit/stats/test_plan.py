"""Planning: what is said of too small a baseline, and that what is called enough is."""

from __future__ import annotations

from math import comb

import pytest

from gate.stats.design import Design, Question, design_for
from gate.stats.operating import at, operating
from gate.stats.plan import Plan, PlanRow, enough_baselines, least_baseline, plan, plan_case

CACHE: dict[Question, Design] = {}


@pytest.fixture(scope="module")
def small() -> Plan:
    return plan(10, 12, price=0.01, cache=CACHE)


def test_ten_trials_are_not_enough_for_twelve_cases(small: Plan) -> None:
    assert not small.attainable
    assert [row.rate for row in small.rows] == [1.0, 0.95, 0.90, 0.75]
    for row in small.rows:
        assert not row.attainable
        assert row.power < 0.25
        assert row.least is not None
        assert row.least > 10


def test_enough_is_enough(small: Plan) -> None:
    for row in small.rows:
        assert row.enough
        assert row.more == row.enough[0].n0 - 10
        for enough in row.enough:
            design = design_for(Question(enough.n0, enough.cap, 0.05 / 12), CACHE)
            assert operating(design, row.rate, row.rate - 0.3).regression >= 0.9
            smaller = design_for(Question(enough.n0 - 1, enough.cap, 0.05 / 12), CACHE)
            assert operating(smaller, row.rate, row.rate - 0.3).regression < 0.9
            assert row.least is not None
            assert enough.n0 >= row.least


def test_more_calls_need_fewer_trials_on_main() -> None:
    options = enough_baselines(0.9, Question(10, 60, 0.05 / 12), CACHE)
    assert [option.cap for option in options] == [60, 120]
    assert options[0].n0 > options[1].n0


def test_a_large_baseline_is_enough() -> None:
    row = plan(60, 1, rates=(0.95,), cache=CACHE).rows[0]
    assert row.attainable
    assert row.more == 0
    assert row.smallest_drop is not None
    assert row.smallest_drop <= 0.3


def test_costs_are_calls_times_the_price(small: Plan) -> None:
    row = small.rows[0]
    assert row.calls_unchanged == pytest.approx(7.0)
    assert small.calls(row) == pytest.approx(84.0)
    assert small.cost(row) == pytest.approx(0.84)
    assert small.calls(row, regressed=2) == pytest.approx(70 + 2 * row.calls_regression)


def test_a_known_baseline() -> None:
    row = plan_case(47, 50, 12, cache=CACHE).rows[0]
    expected = at(design_for(Question(50, 60, 0.05 / 12), CACHE), 47, 0.94 - 0.3)
    assert (row.rate, row.power, row.calls_regression) == (0.94, expected.regression, expected.calls)
    assert row.attainable


def test_no_baseline_attains_nothing() -> None:
    row = plan(0, 12, rates=(1.0,), cache=CACHE).rows[0]
    assert (row.power, row.calls_unchanged, row.undecided, row.smallest_drop) == (0.0, 0.0, 1.0, None)
    assert row.more == row.enough[0].n0


@pytest.mark.parametrize("rate", [0.29, 0.1, 0.0])
def test_a_drop_that_can_not_happen_is_not_attainable(rate: float) -> None:
    row: PlanRow = plan(50, 1, rates=(rate,), cache=CACHE).rows[0]
    assert not row.attainable
    assert (row.enough, row.more, row.least) == ((), None, None)


def test_total_breakage_of_a_low_rate_can_be_planned() -> None:
    row: PlanRow = plan(50, 1, rates=(0.3,), cache=CACHE).rows[0]
    assert row.attainable
    assert row.least is not None
    assert row.least <= row.enough[0].n0 < 50


@pytest.mark.parametrize(("cases", "least"), [(1, 9), (12, 16), (200, 23)])
def test_no_method_can_do_with_fewer_at_rate_one(cases: int, least: int) -> None:
    # an unchanged rate of .7 shows n0 passes of n0 with chance .7 ^ n0; that many may be false alarms, of nine in ten
    assert least_baseline(1.0, Question(5, 60, 0.05 / cases)) == least
    assert 0.05 / cases / 0.7**least >= 0.9 > 0.05 / cases / 0.7 ** (least - 1)


def test_the_least_baseline_is_the_likelihood_ratio_test_s() -> None:
    least = least_baseline(0.8, Question(5, 60, 0.05))
    assert least is not None

    def most_powerful(n0: int) -> float:
        spent = power = 0.0
        for s0 in range(n0, -1, -1):
            null = comb(n0, s0) * 0.5**n0
            part = min(1.0, (0.05 - spent) / null)
            power += part * comb(n0, s0) * 0.8**s0 * 0.2 ** (n0 - s0)
            spent += part * null
            if part < 1:
                break
        return power

    assert most_powerful(least) >= 0.9 > most_powerful(least - 1)


def test_some_drops_are_too_small_for_any_baseline() -> None:
    assert least_baseline(0.5, Question(5, 60, 0.001, 0.02)) is None
    assert enough_baselines(0.5, Question(5, 60, 0.001, 0.02), CACHE) == ()


@pytest.mark.parametrize(
    ("wrong", "says"),
    [
        ({"cases": 0}, "at least 1 case"),
        ({"price": -1.0}, "price is at least 0"),
        ({"price": float("nan")}, "price is at least 0"),
        ({"alpha": 0.0}, "alpha lies strictly"),
        ({"delta": 1.0}, "delta lies strictly"),
        ({"cap": 0}, "cap of at least 1"),
        ({"rates": (1.2,)}, "rate lies between"),
    ],
)
def test_refuses_nonsense(wrong: dict[str, float], says: str) -> None:
    with pytest.raises(ValueError, match=says):
        plan(**{"n0": 10, "cases": 12, "cache": CACHE, **wrong})


@pytest.mark.parametrize(("s0", "n0"), [(0, 0), (6, 5), (-1, 5)])
def test_refuses_baselines_that_are_none(s0: int, n0: int) -> None:
    with pytest.raises(ValueError, match="no baseline has"):
        plan_case(s0, n0, 12, cache=CACHE)
