"""Error rates of the sequential test of scores, by simulation through its public function."""

from __future__ import annotations

import functools
from collections.abc import Iterator

import numpy as np
import pytest

from benchmarks.stats_scores import ALPHA, SCORES, hundredths, simulate
from gate.stats import permutation

RUNS = 800


@pytest.fixture(scope="module", autouse=True)
def _equal_samples_are_counted_once() -> Iterator[None]:
    """Scores of a few steps come again and again, and their order doesn't count."""
    counted = functools.lru_cache(maxsize=20_000)(permutation._counted)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(permutation, "_counted", lambda *samples: counted(*(tuple(sorted(one)) for one in samples)))
        yield


@pytest.mark.parametrize("cases", [1, 12])
@pytest.mark.parametrize("name", ["five-steps", "all-or-nothing"])
def test_errors_stay_within_what_is_promised(name: str, cases: int) -> None:
    before, fallen, delta = SCORES[name]
    share = ALPHA / cases
    unchanged = simulate(before, before, delta, share, RUNS)
    assert unchanged["regression"] <= share + 4 * (share / RUNS) ** 0.5
    assert unchanged["calls"] <= 27
    worse = simulate(before, fallen, delta, share, RUNS, seed=1)
    assert worse["holds"] <= 0.10
    assert worse["regression"] >= {1: 0.88, 12: 0.58}[cases]


def test_marks_in_hundredths_find_a_drop_of_a_tenth() -> None:
    before, fallen, delta = SCORES["hundredths"]
    worse = simulate(before, fallen, delta, ALPHA / 12, 120)
    assert worse["regression"] >= 0.74
    assert simulate(before, before, delta, ALPHA, 200)["regression"] <= ALPHA + 4 * (ALPHA / 200) ** 0.5


def test_a_small_baseline_is_no_excuse_for_false_alarms() -> None:
    found = simulate(hundredths(2, 1), hundredths(2, 1), 0.3, ALPHA, 600, size=5)
    assert found["regression"] <= ALPHA + 4 * (ALPHA / 600) ** 0.5


@pytest.mark.parametrize("name", SCORES)
def test_the_scores_fall_by_what_the_table_says(name: str) -> None:
    before, fallen, delta = SCORES[name]
    means = [draw(np.random.default_rng(0), 400_000).mean() for draw in (before, fallen)]
    assert means[0] - means[1] == pytest.approx(delta, abs=0.004)
