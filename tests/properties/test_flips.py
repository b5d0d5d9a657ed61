"""Flips between two models, and the median of smallest ε, for any answers."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from gate.suites.perturbation.flips.marks import class_flips, value_flips
from gate.suites.perturbation.measures.smallest import smallest_epsilon

CLASSES = st.sampled_from(["a", "b", "c", None])
Row = tuple[str | None, str | None, str | None]
ANSWERS = st.lists(st.tuples(CLASSES, CLASSES, CLASSES), min_size=1, max_size=40)


@settings(deadline=None)
@given(ANSWERS)
def test_the_cells_are_a_partition_and_turn_with_the_models(
    rows: list[Row],
) -> None:
    before, after, truth = zip(*rows, strict=True)
    there, back = class_flips(before, after, truth).rates(), class_flips(after, before, truth).rates()
    assert there.known == sum(each is not None for each in truth)
    assert (there.negative, there.positive) == (back.positive, back.negative)
    assert (there.both_right, there.both_wrong, there.changed) == (back.both_right, back.both_wrong, back.changed)
    assert there.negative + there.positive <= there.changed


@settings(deadline=None)
@given(ANSWERS)
def test_published_identities_hold(rows: list[Row]) -> None:
    rates = class_flips(*zip(*rows, strict=True)).rates()
    if rates.known and rates.error_before is not None and rates.error_after is not None and rates.nfr is not None:
        assert rates.error_after == pytest.approx(rates.error_before + rates.nfr - (rates.pfr or 0))
        if rates.btc is not None:
            assert rates.btc == pytest.approx(1 - rates.nfr / (1 - rates.error_before))
        if rates.bec is not None:
            assert rates.bec == pytest.approx(1 - rates.nfr / rates.error_after)
        if rates.relative_nfr is not None and rates.bec is not None:
            assert rates.relative_nfr == pytest.approx((1 - rates.bec) / (1 - rates.error_before))


NUMBERS = st.floats(-1e6, 1e6)


@settings(deadline=None)
@given(st.lists(st.tuples(NUMBERS, NUMBERS, NUMBERS), min_size=1, max_size=30), st.floats(1e-3, 1e3))
def test_numbers_within_the_tolerance_of_each_other_never_flip(
    rows: list[tuple[float, float, float]], tolerance: float
) -> None:
    before, after, truth = (np.array(each) for each in zip(*rows, strict=True))
    marks = value_flips(before, after, truth, tolerance)
    near = np.abs(after - before) <= tolerance
    assert not (near & (marks.changed | marks.negative | marks.positive)).any()
    assert not (marks.negative & marks.positive).any()
    back = value_flips(after, before, truth, tolerance)
    assert marks.changed.tolist() == back.changed.tolist()


@settings(deadline=None)
@given(st.lists(st.one_of(st.just(math.nan), st.floats(0, 1)), min_size=1, max_size=50))
def test_searches_of_one_reach_have_the_plain_median(found: list[float]) -> None:
    """Examples that were never flipped count as infinite; of an even number, the lower middle one."""
    median = smallest_epsilon(found, 1.0)
    middle = sorted(math.inf if math.isnan(each) else each for each in found)[(len(found) - 1) // 2]
    assert median.flipped + median.censored == len(found)
    assert (median.median is None) == math.isinf(middle)
    if median.median is not None:
        assert median.median == middle
    else:
        assert median.above == 1.0
