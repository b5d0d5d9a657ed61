"""The inflated false alarm against SciPy's beta-binomial and against a sum over whole sequences."""

from __future__ import annotations

import itertools

import numpy as np
import pytest
from scipy import stats

from gate.stats.fisher import fisher_one_sided
from gate.stats.inflation import Points, beta_binomial, inflated_false_alarm, points_of_paths, points_of_test


def fisher_points(count: int, trials: int, share: float) -> Points:
    return points_of_test(count, trials, lambda passes, now: fisher_one_sided(passes, count, now, trials) <= share)


@pytest.mark.parametrize(("rate", "icc"), [(0.9, 0.02), (0.5, 0.3), (0.99, 0.9)])
def test_beta_binomial_is_scipys(rate: float, icc: float) -> None:
    a, b = rate * (1 / icc - 1), (1 - rate) * (1 / icc - 1)
    assert beta_binomial(30, rate, icc) == pytest.approx(stats.betabinom.pmf(np.arange(31), 30, a, b), rel=1e-9)


def test_beta_binomial_at_its_ends() -> None:
    assert beta_binomial(9, 0.7, 0.0) == pytest.approx(stats.binom.pmf(np.arange(10), 9, 0.7))
    assert beta_binomial(4, 0.7, 1.0) == pytest.approx([0.3, 0, 0, 0, 0.7], abs=1e-9)
    assert beta_binomial(3, 1.0, 0.2) == pytest.approx([0, 0, 0, 1])
    assert beta_binomial(3, 0.0, 0.2) == pytest.approx([1, 0, 0, 0])
    assert beta_binomial(0, 0.4, 0.2) == pytest.approx([1])


@pytest.mark.parametrize("icc", [0.0, 0.05, 0.4])
def test_fixed_samples_add_up_over_all_tables(icc: float) -> None:
    sessions, trials, share, rate = (6, 4), 5, 0.05, 0.8
    baseline = np.convolve(beta_binomial(6, rate, icc), beta_binomial(4, rate, icc))
    candidate = beta_binomial(trials, rate, icc)
    chance = sum(
        baseline[x] * candidate[y]
        for x, y in itertools.product(range(11), range(6))
        if fisher_one_sided(x, 10, y, trials) <= share
    )
    found = inflated_false_alarm(fisher_points(10, trials, share), sessions, icc, 1, [rate])
    assert found == pytest.approx(chance)
    over_12 = inflated_false_alarm(fisher_points(10, trials, share), sessions, icc, 12, [rate])
    assert over_12 == pytest.approx(1 - (1 - chance) ** 12)


def test_sequential_paths_add_up_over_all_sequences() -> None:
    """Stop when the first two fail, or at the third failure; a baseline of 3 trials that all passed."""
    icc, rate = 0.3, 0.7
    paths, fails = np.zeros((4, 6)), np.zeros((4, 6), dtype=int)
    expected = 0.0
    a, b = rate * (1 / icc - 1), (1 - rate) * (1 / icc - 1)
    seen = set()
    for sequence in itertools.product("01", repeat=5):
        for n in range(1, 6):
            start = "".join(sequence[:n])
            if start == "00" or start.count("0") == 3:
                if start not in seen:
                    seen.add(start)
                    paths[3, n] += 1
                    fails[3, n] = start.count("0")
                    whole = stats.betabinom.pmf(start.count("1"), n, a, b)
                    expected += whole / stats.binom.pmf(start.count("1"), n, 0.5) * 0.5**n
                break
    expected *= stats.betabinom.pmf(3, 3, a, b)
    found = inflated_false_alarm(points_of_paths(paths, fails), [3], icc, 1, [rate])
    assert found == pytest.approx(expected)


def test_correlation_inflates_and_sessions_help() -> None:
    points = fisher_points(50, 10, 0.05 / 12)
    nominal = inflated_false_alarm(points, [50], 0.0, 12)
    one, five = (inflated_false_alarm(points, sessions, 0.02, 12) for sessions in ([50], [10] * 5))
    assert nominal < five < one
    assert nominal <= 0.05 < one


def test_the_worst_rate_counts() -> None:
    points = fisher_points(20, 5, 0.01)
    each = [inflated_false_alarm(points, [20], 0.1, 3, [rate]) for rate in (0.5, 0.8, 0.95)]
    assert inflated_false_alarm(points, [20], 0.1, 3, [0.5, 0.8, 0.95]) == max(each)


def test_a_test_that_never_rejects_has_no_false_alarm() -> None:
    assert inflated_false_alarm(fisher_points(3, 1, 0.001), [3], 0.5, 200) == 0.0


def test_rates_of_0_and_1_never_vary() -> None:
    assert inflated_false_alarm(fisher_points(20, 5, 0.05), [20], 0.3, 12, [0.0, 1.0]) == 0.0


def test_arguments_out_of_range_are_refused() -> None:
    points = fisher_points(20, 5, 0.05)
    for icc, cases, rates in ((-0.1, 1, [0.5]), (1.1, 1, [0.5]), (0.1, 0, [0.5]), (0.1, 1, []), (0.1, 1, [1.1])):
        with pytest.raises(ValueError, match="lie"):
            inflated_false_alarm(points, [20], icc, cases, rates)
    with pytest.raises(ValueError, match="larger baseline"):
        inflated_false_alarm(points, [10], 0.1, 1)
    with pytest.raises(ValueError, match="a rate lies"):
        beta_binomial(3, -0.1, 0.5)
