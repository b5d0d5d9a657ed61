"""The cluster bootstrap against SciPy's percentile bootstrap of cluster means, and its coverage."""

from __future__ import annotations

import numpy as np
import pytest
from scipy import stats

from gate.stats.bootstrap import cluster_bootstrap
from gate.stats.intervals import Effect
from gate.stats.refusal import TooLittle


def clustered(seed: int, clusters: int, size: int) -> tuple[list[float], list[int]]:
    generator = np.random.default_rng(seed)
    means = generator.normal(0, 1, clusters)
    values = means[:, None] + generator.normal(0, 0.5, (clusters, size))
    return values.ravel().tolist(), np.repeat(np.arange(clusters), size).tolist()


def interval(values: list[float], clusters: list[int], seed: int = 0, **more: float) -> Effect:
    found = cluster_bootstrap(values, clusters, np.random.default_rng(seed), **more)  # type: ignore[arg-type]
    assert isinstance(found, Effect)
    return found


def test_with_many_equal_clusters_it_is_the_percentile_bootstrap_of_their_means() -> None:
    values, clusters = clustered(1, 200, 4)
    means = np.reshape(values, (200, 4)).mean(axis=1)
    oracle = stats.bootstrap((means,), np.mean, method="percentile", rng=np.random.default_rng(9)).confidence_interval
    found = interval(values, clusters)
    assert found.estimate == pytest.approx(np.mean(values))
    width = oracle.high - oracle.low
    assert (found.interval.low, found.interval.high) == pytest.approx((oracle.low, oracle.high), abs=0.05 * width)


def test_values_that_are_alike_count_as_few() -> None:
    values, clusters = clustered(2, 20, 10)
    alone = interval(values, list(range(200))).interval
    together = interval(values, clusters).interval
    assert together.high - together.low > 2 * (alone.high - alone.low)


def test_clusters_of_other_sizes_weigh_by_their_values() -> None:
    values = [0.0] * 30 + [1.0, 0.9, 0.8, 0.7]
    found = interval(values, [0] * 30 + [1, 2, 3, 4])
    assert found.estimate == pytest.approx(3.4 / 34)
    assert found.interval.low < found.estimate < found.interval.high


@pytest.mark.parametrize("clusters", [5, 12])
def test_coverage_is_near_what_it_says(clusters: int) -> None:
    covered = 0
    for seed in range(400):
        found = interval(*clustered(seed, clusters, 3), seed=seed, resamples=400).interval
        covered += found.low <= 0 <= found.high
    assert 0.90 <= covered / 400 <= 0.98


def test_the_generator_alone_decides() -> None:
    values, clusters = clustered(3, 8, 3)
    assert interval(values, clusters, 5) == interval(values, clusters, 5)
    assert interval(values, clusters, 5) != interval(values, clusters, 6)


def test_too_few_clusters_and_equal_ones_are_refused() -> None:
    generator = np.random.default_rng(0)
    for values, clusters in (([], []), ([1.0, 2.0], ["a", "a"]), ([1.0, 2.0, 3.0, 4.0], ["a", "b", "c", "d"])):
        refused = cluster_bootstrap(values, clusters, generator)
        assert isinstance(refused, TooLittle)
        assert "at least 5" in refused.reason
    refused = cluster_bootstrap([0.3, 0.3] * 6, [at // 2 for at in range(12)], generator)
    assert isinstance(refused, TooLittle)
    assert "same mean" in refused.reason


def test_arguments_out_of_range_are_refused() -> None:
    generator = np.random.default_rng(0)
    for values, clusters in (([1.0], []), ([float("nan")], ["a"]), ([float("inf")], ["a"])):
        with pytest.raises(ValueError, match="one cluster"):
            cluster_bootstrap(values, clusters, generator)
    with pytest.raises(ValueError, match="100 resamples"):
        cluster_bootstrap([1.0], ["a"], generator, resamples=99)
    with pytest.raises(ValueError, match="confidence lies"):
        cluster_bootstrap([1.0], ["a"], generator, confidence=1)
