"""Path counts against every sequence of outcomes written out."""

from __future__ import annotations

from itertools import product
from math import comb

import numpy as np
import pytest

from gate.stats.lattice import (
    MARGIN,
    Exits,
    Totals,
    binomial,
    by_totals,
    chance_at,
    chances,
    count_paths,
    gather,
    greatest_chance,
    rates_for,
    regression_paths,
)

CAP = 7
REGRESSION = np.array([[1, 2, 3, 4, 5, 6, 7, 8], [1, 2, 2, 3, 3, 4, 4, 5], [1, 1, 2, 2, 3, 3, 3, 4]])
HOLDS = np.array([[-1] * 8, [-1, -1, -1, -1, 0, 0, 1, 1], [-1, -1, 0, 0, 0, 1, 1, 1]])


def end_of(s0: int, outcomes: tuple[int, ...], patient: bool) -> tuple[str, int, int]:
    """Kind, trials and failures of the first end, by the words of the docstring."""
    fails = 0
    for n in range(CAP + 1):
        fails += n > 0 and not outcomes[n - 1]
        left = CAP - n
        if fails >= REGRESSION[s0, n]:
            return "regression", n, fails
        if fails <= HOLDS[s0, n]:
            return "holds", n, fails
        can_fail = any(fails + more >= REGRESSION[s0, n + more] for more in range(left + 1))
        can_hold = any(fails <= HOLDS[s0, n + more] for more in range(left + 1))
        if not can_fail and not (patient and can_hold):
            return "undecided", n, fails
    raise AssertionError("every path ends at the cap")


@pytest.mark.parametrize("patient", [False, True])
def test_counts_are_those_of_all_sequences(patient: bool) -> None:
    paths = count_paths(REGRESSION, HOLDS, patient)
    counted: dict[tuple[str, int, int, int], float] = {}
    for kind, ends in (("regression", [paths.regression]), ("holds", [paths.holds]), ("undecided", paths.undecided)):
        for end in ends:
            for s0, n in zip(*np.nonzero(end.paths), strict=True):
                key = kind, int(s0), int(n), int(end.fails[s0, n])
                counted[key] = counted.get(key, 0) + end.paths[s0, n] * 2 ** (CAP - int(n))
    written: dict[tuple[str, int, int, int], float] = {}
    for s0, outcomes in product(range(3), product((0, 1), repeat=CAP)):
        kind, n, fails = end_of(s0, outcomes, patient)
        written[kind, s0, n, fails] = written.get((kind, s0, n, fails), 0) + 1
    assert counted == written


def test_calibration_counts_the_same_regressions() -> None:
    assert (regression_paths(REGRESSION, HOLDS) == count_paths(REGRESSION, HOLDS, patient=False).regression.paths).all()


@pytest.mark.parametrize("patient", [False, True])
@pytest.mark.parametrize("now", [0.0, 0.3, 1.0])
def test_every_path_ends_somewhere(patient: bool, now: float) -> None:
    paths = count_paths(REGRESSION, HOLDS, patient)
    total = sum(chances(end, np.ones(3), now).sum(axis=1) for end in (paths.regression, paths.holds, *paths.undecided))
    assert total == pytest.approx(np.ones(3))


def test_entries_start_where_they_come_in() -> None:
    entries = np.zeros((3, 3, 3))
    entries[2, 1, 2] = 5.0
    paths = count_paths(REGRESSION, HOLDS, patient=False, entries=entries)
    assert paths.regression.paths[2, 3] == 5.0  # one failure more makes two of three
    assert paths.regression.paths[:2].sum() == 0


def test_totals_weigh_baselines_and_candidates_together() -> None:
    exits = Exits(np.array([[0.0, 0.0], [0.0, 3.0], [0.0, 1.0]]), np.array([[0, 0], [0, 1], [0, 0]]))
    totals = by_totals(exits)
    assert {(int(a), int(b)): c for a, b, c in zip(totals.passes, totals.fails, totals.counts, strict=True)} == {
        (1, 2): 3.0 * comb(2, 1),
        (3, 0): 1.0,
    }
    assert chance_at(totals, np.array([0.25])) == pytest.approx([6 * 0.25 * 0.75**2 + 0.25**3])


def test_nothing_has_no_chance() -> None:
    empty = gather(np.array([], dtype=int), np.array([], dtype=int), np.array([]), 4)
    assert greatest_chance(empty) == 0.0
    assert chance_at(empty, np.array([0.5])).tolist() == [0.0]


@pytest.mark.parametrize("trials", [10, 60, 250, 600])
def test_the_margin_covers_the_rates_in_between(trials: int) -> None:
    rng, fine = np.random.default_rng(trials), np.sin(np.linspace(0.0, np.pi / 2, 3_000)) ** 2
    for terms in (1, 1, 1, 2, 5, 20):
        passes = rng.integers(1, trials, terms)
        ways = np.array([1.0 / rate for rate in chance_peaks(passes, trials)])
        totals = Totals(passes, trials - passes, ways)
        top = float(chance_at(totals, fine).max())
        assert top <= greatest_chance(totals) <= MARGIN * top * (1 + 1e-9)


def chance_peaks(passes: np.ndarray, trials: int) -> np.ndarray:
    rate = passes / trials
    return rate**passes * (1 - rate) ** (trials - passes)


def test_rates_grow_with_the_trials() -> None:
    assert len(rates_for(50)) == 75
    assert 75 < len(rates_for(250)) < len(rates_for(1000))
    assert rates_for(50).min() > 0
    assert rates_for(50).max() < 1


@pytest.mark.parametrize("rate", [0.0, 0.3, 1.0])
def test_binomial(rate: float) -> None:
    expected = [comb(9, k) * rate**k * (1 - rate) ** (9 - k) for k in range(10)]
    assert binomial(9, rate) == pytest.approx(expected)
    assert binomial(0, rate) == pytest.approx([1.0])
    assert binomial(5000, rate).sum() == pytest.approx(1.0)
