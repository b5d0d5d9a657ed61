"""The decision against numbers from the literature and from counting by hand."""

from __future__ import annotations

from math import comb, isclose

import pytest

from gate.schema.report import Trials
from gate.stats.decide import decide, fisher_one_sided, lower_bound, upper_bound
from tests.support.compare import trials


def sample(passes: int, count: int) -> Trials:
    return trials("1" * passes + "0" * (count - passes))


def test_fisher_is_the_lady_tasting_tea() -> None:
    # Fisher (1935): 4 of 4 against 0 of 4 has chance 1/70, 3 of 4 against 1 of 4 has 17/70
    assert isclose(fisher_one_sided(4, 4, 0, 4), 1 / 70)
    assert isclose(fisher_one_sided(3, 4, 1, 4), 17 / 70)


def test_fisher_is_the_hypergeometric_tail() -> None:
    ways = sum(comb(11, k) * comb(50, 53 - k) for k in range(3, 6))
    assert isclose(fisher_one_sided(48, 50, 5, 11), ways / comb(61, 53))


@pytest.mark.parametrize(
    ("passes", "trials", "miss", "bound"),
    [(10, 10, 0.05, 0.741134), (0, 10, 0.05, 0.0), (9, 10, 0.05, 0.605836), (50, 100, 0.025, 0.398321)],
)
def test_bounds_are_those_of_clopper_and_pearson(passes: int, trials: int, miss: float, bound: float) -> None:
    assert lower_bound(passes, trials, miss) == pytest.approx(bound, abs=1e-6)
    assert upper_bound(trials - passes, trials, miss) == pytest.approx(1 - bound, abs=1e-6)


@pytest.mark.parametrize(
    ("before", "after", "share", "verdict"),
    [
        ((48, 50), (5, 11), 0.003, "regression"),
        ((48, 50), (11, 11), 0.003, "holds"),
        ((45, 50), (46, 60), 0.003, "undecided"),
        ((50, 50), (1, 1), 0.05, "undecided"),
        ((50, 50), (0, 1), 0.05, "regression"),
        ((50, 50), (0, 1), 0.01, "undecided"),
        ((0, 50), (0, 20), 0.05, "holds"),
        ((0, 0), (0, 9), 0.05, "undecided"),
        ((9, 9), (0, 0), 0.05, "undecided"),
    ],
)
def test_verdicts(before: tuple[int, int], after: tuple[int, int], share: float, verdict: str) -> None:
    assert decide(sample(*before), sample(*after), share, delta=0.3).verdict == verdict


def test_smallest_drop_is_the_first_that_counts() -> None:
    for count, size in ((20, 5), (50, 11), (7, 7)):
        decision = decide(sample(count, count), sample(size, size), 0.01, delta=0.3)
        drops = [1 - now / size for now in range(size + 1) if fisher_one_sided(count, count, now, size) <= 0.01]
        assert decision.smallest_drop == (min(drops) if drops else None)
    assert decide(sample(5, 5), sample(1, 1), 0.01, delta=0.3).smallest_drop is None


def test_large_samples_neither_overflow_nor_take_long() -> None:
    assert decide(sample(4_900, 5_000), sample(980, 1_000), 0.001, delta=0.1).verdict == "holds"


@pytest.mark.parametrize(
    "wrong", [{"share": 0.0, "delta": 0.3}, {"share": 0.1, "delta": 1.0}, {"share": 0.1, "delta": 0.3, "power": 1.0}]
)
def test_shares_lie_between_0_and_1(wrong: dict[str, float]) -> None:
    with pytest.raises(ValueError, match="strictly between"):
        decide(sample(1, 1), sample(1, 1), wrong.pop("share"), **wrong)
