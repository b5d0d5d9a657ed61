"""What flipped between two models, by published formulas, and whether a retrain would."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from gate.errors import UndecidedError, UsageError
from gate.stats.mcnemar import exact_one_sided
from gate.suites.perturbation.flips.aligned import align, names_change
from gate.suites.perturbation.flips.floor import floor, tolerance_factor
from gate.suites.perturbation.flips.marks import class_flips, value_flips
from gate.suites.perturbation.flips.pinned import pinned
from gate.suites.perturbation.flips.rates import FlipRates
from gate.suites.perturbation.flips.slices import slices


def test_the_four_cells_and_their_rates() -> None:
    #         both right  negative  positive  both wrong, changed  no truth, changed
    before = ["a", "a", "a", "b", "b", "b", "a"]
    after = ["a", "a", "b", "a", "b", "c", "b"]
    truth = ["a", "a", "a", "a", "a", "a", None]
    rates = class_flips(before, after, truth).rates()
    assert rates == FlipRates(both_right=2, negative=1, positive=1, both_wrong=2, changed=4, total=7)
    assert (rates.nfr, rates.pfr, rates.churn) == (1 / 6, 1 / 6, 4 / 7)
    assert (rates.btc, rates.bec) == (2 / 3, 2 / 3)
    assert rates.relative_nfr == pytest.approx((1 / 6) / ((1 - 3 / 6) * (3 / 6)))
    assert rates.level == exact_one_sided(1, 1)


@pytest.mark.parametrize(
    ("before", "after", "nfr", "relative"),
    [(4.90, 4.85, 1.83, 39.68), (4.90, 4.58, 1.34, 30.77), (22.45, 20.91, 4.03, 24.85), (30.36, 30.00, 3.07, 14.67)],
)
def test_relative_nfr_is_the_published_one(before: float, after: float, nfr: float, relative: float) -> None:
    """Rows of the results published with Yan et al. 2021, in percent; counts of 100,000 rebuild them."""
    negative, wrong_before, wrong_after = round(nfr * 1000), round(before * 1000), round(after * 1000)
    both_wrong = wrong_after - negative
    positive = wrong_before - both_wrong
    rates = FlipRates(100_000 - negative - positive - both_wrong, negative, positive, both_wrong, 0, 100_000)
    assert rates.relative_nfr is not None
    assert 100 * rates.relative_nfr == pytest.approx(relative, abs=0.15)  # they rounded their own inputs


def test_identities_between_the_rates() -> None:
    rates = FlipRates(70, 5, 9, 16, 20, 100)
    assert rates.error_before is not None and rates.error_after is not None and rates.nfr is not None
    assert rates.error_after == pytest.approx(rates.error_before + rates.nfr - (rates.pfr or 0))
    assert rates.btc == pytest.approx(1 - rates.nfr / (1 - rates.error_before))
    assert rates.bec == pytest.approx(1 - rates.nfr / rates.error_after)
    assert rates.relative_nfr == pytest.approx(rates.nfr / ((1 - rates.error_before) * rates.error_after))


def test_rates_without_a_denominator_are_none() -> None:
    perfect = FlipRates(3, 0, 0, 0, 0, 3)
    assert (perfect.btc, perfect.bec, perfect.relative_nfr, perfect.level) == (1.0, None, None, 1.0)
    unknown = FlipRates(0, 0, 0, 0, 2, 3)
    assert (unknown.nfr, unknown.interval, unknown.churn) == (None, None, 2 / 3)


def test_a_tie_on_both_sides_is_borderline_and_no_flip() -> None:
    before, after, truth = ["a", "a", "b"], ["b", "b", "a"], ["a", "a", "a"]
    marks = class_flips(before, after, truth, margins=([1e-9, 0.4, 1e-9], [1e-9, 1e-9, 1e-9]))
    assert marks.borderline.tolist() == [True, False, True]
    rates = marks.rates()
    assert (rates.negative, rates.positive, rates.changed, rates.borderline) == (1, 0, 1, 2)


def test_an_answer_that_is_gone_is_wrong_and_a_new_label_is_another_one() -> None:
    rates = class_flips(["a", "a"], [None, "z"], ["a", "a"]).rates()
    assert (rates.negative, rates.changed) == (2, 2)


def test_numbers_flip_beyond_the_tolerance_only() -> None:
    truth = [10.0, 10.0, 10.0, 10.0, float("nan")]
    before = [10.0, 11.9, 13.0, 10.0, 5.0]
    after = [12.5, 12.1, 10.5, 11.0, 9.0]
    marks = value_flips(before, after, truth, 2.0)
    assert marks.negative.tolist() == [True, False, False, False, False]  # 11.9 → 12.1 moved by .2 only
    assert marks.positive.tolist() == [False, False, True, False, False]
    assert marks.changed.tolist() == [True, False, True, False, True]
    rates = marks.rates()
    assert (rates.both_right, rates.both_wrong, rates.known, rates.total) == (2, 0, 4, 5)


@pytest.mark.parametrize("tolerance", [0, -1, float("nan"), float("inf")])
def test_a_tolerance_that_decides_nothing_is_refused(tolerance: float) -> None:
    with pytest.raises(UsageError, match="tolerance"):
        value_flips([1.0], [1.0], [1.0], tolerance)


def test_no_number_is_no_answer() -> None:
    with pytest.raises(UndecidedError):
        value_flips([1.0], [float("nan")], [1.0], 0.5)


@pytest.mark.parametrize(("before", "after", "truth"), [([], [], []), (["a"], ["a", "b"], ["a"])])
def test_examples_that_do_not_pair_are_refused(before: Any, after: Any, truth: Any) -> None:
    with pytest.raises(UsageError):
        class_flips(before, after, truth)


def test_rows_are_aligned_by_key_and_the_rest_is_listed() -> None:
    found = align(["k1", "k2", "k3"], ["k3", "k9", "k1"])
    assert (found.before, found.after) == ((0, 2), (2, 0))
    assert (found.gone, found.new) == (("k2",), ("k9",))


@pytest.mark.parametrize(("before", "after"), [(["a", "a"], ["a"]), (["a"], ["b", "b"]), (["a"], ["b"]), ([], [])])
def test_keys_that_pair_nothing_or_twice_are_refused(before: list[str], after: list[str]) -> None:
    with pytest.raises(UsageError):
        align(before, after)


def test_a_changed_schema_is_said() -> None:
    change = names_change(["age", "income", "town"], ["income", "age", "incomes", "towns"])
    assert (change.gone, change.new, change.renamed) == (("town",), ("incomes", "towns"), (("town", "towns"),))
    assert change.reordered
    assert not names_change(["a", "b"], ["a", "b"])


def test_no_pinned_example_may_flip() -> None:
    marks = class_flips(["a", "a", "b", "b"], ["a", "b", "a", "c"], ["a", "a", "a", None])
    found = pinned(marks, ["k0", "k1", "k2", "k3"], {"k0", "k1", "k2", "k3", "k9"})
    assert found.held == ("k0", "k2")  # k2 was mended
    assert found.broken == ("k1", "k3")
    assert found.missing == ("k9",)
    assert not found.holds
    assert pinned(marks, ["k0", "k1", "k2", "k3"], {"k0"}).holds


def test_groups_pay_for_their_number() -> None:
    count = 240
    region = ["north" if place % 2 else "south" for place in range(count)]
    broken = [place for place in range(count) if place % 2][:8]
    after = ["b" if place in broken else "a" for place in range(count)]
    marks = class_flips(["a"] * count, after, ["a"] * count)
    found = slices(
        marks, {"region": region, "age": [place // 40 for place in range(count)]}, {"first": lambda place: place < 3}
    )
    assert (found[0].name, found[0].rates.negative) == ("age=0", 8)
    tested = [each for each in found if each.tested]
    assert len(tested) == 8
    assert found[0].adjusted == pytest.approx(exact_one_sided(8, 0) * 8)
    small = next(each for each in found if each.name == "first")
    assert (small.tested, small.adjusted) == (False, 1.0)
    north = next(each for each in found if each.name == "region=north")
    assert north.rates.total == 120


def test_empty_cells_are_a_group_and_a_key_is_none() -> None:
    marks = class_flips(["a"] * 300, ["a"] * 300, ["a"] * 300)
    found = slices(marks, {"town": [None] * 150 + [float("nan")] * 150})
    assert [each.name for each in found] == ["town=(empty)"]
    with pytest.raises(UsageError, match="300 values"):
        slices(marks, {"key": list(range(300))})
    with pytest.raises(UsageError, match="group"):
        slices(marks, {}, {"bad": [True]})


def rates_of(negative: int, total: int = 400) -> FlipRates:
    return FlipRates(total - negative, negative, 0, 0, negative, total)


def test_the_floor_lies_above_what_honest_retrains_do() -> None:
    found = floor([rates_of(count) for count in (4, 4, 3, 6, 3, 1, 2, 2, 5, 4)])
    assert 6 <= found.bound <= 10
    assert not found.exceeded(rates_of(found.bound))
    assert found.exceeded(rates_of(found.bound + 1))
    assert found.mean_nfr == pytest.approx(3.4 / 400)


def test_a_model_that_trains_alike_each_time_may_flip_nothing() -> None:
    found = floor([rates_of(0)] * 5)
    assert found.deterministic and found.bound == 0
    assert found.exceeded(rates_of(1))


def test_tolerance_factors_are_those_of_the_tables() -> None:
    """Exact one-sided factors for 95 % content with 95 % confidence: 2.911 (10), 2.396 (20), 2.065 (50)."""
    for count, exact in ((10, 2.911), (20, 2.396), (50, 2.065)):
        assert tolerance_factor(count, 0.95, 0.95) == pytest.approx(exact, rel=0.015)


@pytest.mark.parametrize(
    "retrains", [[], [rates_of(1)] * 4, [rates_of(1)] * 5 + [rates_of(1, 300)], [FlipRates(0, 0, 0, 0, 0, 3)] * 6]
)
def test_a_floor_over_too_little_is_refused(retrains: list[FlipRates]) -> None:
    with pytest.raises(UsageError):
        floor(retrains)


def test_another_number_of_examples_is_not_judged_by_the_floor() -> None:
    with pytest.raises(UsageError, match="300"):
        floor([rates_of(1)] * 5).exceeded(rates_of(1, 300))


def test_counts_over_chosen_rows_add_up() -> None:
    random = np.random.default_rng(0)
    before, after, truth = (random.integers(0, 3, 60).tolist() for _ in range(3))
    marks = class_flips(before, after, truth)
    half = np.arange(60) < 25
    first, second, all_rows = marks.rates(half), marks.rates(~half), marks.rates()
    for name in ("both_right", "negative", "positive", "both_wrong", "changed", "total"):
        assert getattr(first, name) + getattr(second, name) == getattr(all_rows, name)
