"""Greatest likelihoods against a search over a fine grid of rates."""

from __future__ import annotations

from math import log

import numpy as np
import pytest

from gate.stats.likelihood import drop_by, one_rate, x_log_x


def log_likelihood(passes: int, trials: int, rate: float) -> float:
    hit = passes * log(rate) if passes else 0.0
    return hit + ((trials - passes) * log(1 - rate) if trials > passes else 0.0)


@pytest.mark.parametrize(("passes", "trials"), [(0, 0), (0, 5), (5, 5), (3, 10), (49, 50)])
def test_one_rate_is_the_likelihood_at_the_observed_rate(passes: int, trials: int) -> None:
    found = one_rate(x_log_x(60), np.array([passes]), np.array([trials]))[0]
    assert found == pytest.approx(log_likelihood(passes, trials, passes / trials) if trials else 0.0)


@pytest.mark.parametrize("delta", [0.01, 0.3, 0.9])
@pytest.mark.parametrize("baseline", [(0, 5), (5, 5), (3, 5), (48, 50), (0, 0)])
@pytest.mark.parametrize("candidate", [(0, 7), (7, 7), (2, 7), (100, 150), (0, 1)])
def test_drop_by_is_the_best_pair_of_rates_that_far_apart(
    baseline: tuple[int, int], candidate: tuple[int, int], delta: float
) -> None:
    rates = delta + (1 - delta) * np.linspace(1e-9, 1 - 1e-9, 20_001)
    best = max(log_likelihood(*baseline, rate) + log_likelihood(*candidate, rate - delta) for rate in rates)
    found = drop_by(*(np.array([x]) for x in (*baseline, *candidate)), delta=delta)[0]
    assert found == pytest.approx(best, abs=1e-5)
    assert found >= best - 1e-9
