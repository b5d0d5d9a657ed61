"""pass@k and pass^k against a count of all choices of k tries."""

from __future__ import annotations

from itertools import combinations

import pytest

from gate.stats.pass_at_k import mean_pass_at_k, mean_pass_hat_k, pass_at_k, pass_hat_k
from gate.stats.refusal import TooLittle


@pytest.mark.parametrize("tries", [1, 2, 5, 8])
def test_estimates_are_shares_of_all_choices(tries: int) -> None:
    for passes in range(tries + 1):
        outcomes = [True] * passes + [False] * (tries - passes)
        for k in range(1, tries + 1):
            choices = list(combinations(outcomes, k))
            assert pass_at_k(tries, passes, k) == pytest.approx(sum(map(any, choices)) / len(choices))
            assert pass_hat_k(tries, passes, k) == pytest.approx(sum(map(all, choices)) / len(choices))


def test_large_numbers_overflow_nothing() -> None:
    assert pass_at_k(100_000, 10, 10_000) == pytest.approx(1 - 0.9**10, rel=1e-3)
    assert pass_hat_k(100_000, 90_000, 10) == pytest.approx(0.9**10, rel=1e-3)


def test_means_are_over_tasks() -> None:
    assert mean_pass_at_k([(4, 0), (4, 4), (4, 2)], 2) == pytest.approx((0 + 1 + 5 / 6) / 3)
    assert mean_pass_hat_k([(4, 0), (4, 4), (4, 2)], 2) == pytest.approx((0 + 1 + 1 / 6) / 3)


def test_too_few_tries_are_refused() -> None:
    for answer in (pass_at_k(3, 1, 4), pass_hat_k(3, 1, 4), pass_at_k(0, 0, 1), mean_pass_at_k([(9, 9), (3, 1)], 4)):
        assert isinstance(answer, TooLittle)
        assert "asked for" in answer.reason
    for answer in (mean_pass_at_k([], 1), mean_pass_hat_k([], 1)):
        assert isinstance(answer, TooLittle)


def test_arguments_out_of_range_are_refused() -> None:
    for estimate in (pass_at_k, pass_hat_k):
        with pytest.raises(ValueError, match="k is at least 1"):
            estimate(3, 1, 0)
        with pytest.raises(ValueError, match="passes are"):
            estimate(3, 4, 1)
