"""The sample of rows is seeded, stratified and independent of their order."""

from __future__ import annotations

from collections import Counter

import numpy as np
import pandas as pd
import pytest

from gate.errors import UsageError
from gate.suites.perturbation.tabular.frame import Frame
from gate.suites.perturbation.tabular.sampling import content_keys, sample

KEYS = [f"k{place}" for place in range(500)]
LABELS = ["rare" if place < 5 else "mid" if place < 150 else "usual" for place in range(500)]


def kept(rows: int, seed: int = 0) -> list[int]:
    found: list[int] = sample(rows, KEYS, LABELS, seed=seed, where="t").tolist()
    return found


def test_strata_are_in_proportion_with_at_least_one_each() -> None:
    assert Counter(LABELS[row] for row in kept(100)) == {"rare": 1, "mid": 29, "usual": 70}
    assert Counter(LABELS[row] for row in kept(10)) == {"rare": 1, "mid": 2, "usual": 7}
    assert Counter(LABELS[row] for row in kept(2)) == {"mid": 1, "usual": 1}


@pytest.mark.parametrize("rows", [1, 3, 7, 99, 499, 500, 9_999])
def test_as_many_rows_as_asked_for_in_their_order(rows: int) -> None:
    found = kept(rows)
    assert len(found) == min(rows, 500)
    assert found == sorted(set(found))


def test_the_seed_chooses() -> None:
    assert kept(50) == kept(50)
    assert kept(50) != kept(50, seed=1)


def test_another_order_of_rows_keeps_the_same_ones() -> None:
    order = np.random.default_rng(0).permutation(500)
    found = sample(60, [KEYS[row] for row in order], [LABELS[row] for row in order], seed=0, where="t")
    assert sorted(order[found].tolist()) == kept(60)


def test_a_larger_sample_holds_the_smaller_one_of_each_label() -> None:
    assert set(kept(50)) <= set(kept(100))


def test_without_labels_there_is_one_stratum() -> None:
    assert len(sample(60, KEYS, None, seed=0, where="t")) == 60


def test_missing_labels_are_a_stratum() -> None:
    found = sample(10, KEYS, [None] * 100 + [0] * 400, seed=0, where="t")
    assert (found < 100).sum() == 2


def test_content_is_a_key_of_any_order() -> None:
    frame = pd.DataFrame({"a": [1.5, 2.5, np.nan], "b": ["x", None, "y"]})
    turned = frame.iloc[::-1][["b", "a"]]
    assert content_keys(Frame.of(turned, "t")) == content_keys(Frame.of(frame, "t"))[::-1]
    assert len(set(content_keys(Frame.of(frame, "t")))) == 3


@pytest.mark.parametrize("rows", [0, -1, True])
def test_no_rows_are_refused(rows: int) -> None:
    with pytest.raises(UsageError, match="rows is"):
        sample(rows, KEYS, None, seed=0, where="t")


def test_other_lengths_are_refused() -> None:
    with pytest.raises(UsageError, match="lengths differ"):
        sample(3, KEYS, ["a"], seed=0, where="t")
