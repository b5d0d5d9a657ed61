"""One value for what models answer: its checks, changes, flips, and the pairing of two models' classes."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from gate.errors import UsageError
from gate.suites.perturbation.models import Answers, aligned, borderline, changes, flipped, spread_of


def probable(*second: float, labels: tuple[str, ...] = ("no", "yes"), **options: Any) -> Answers:
    """Two classes by the probability of the second."""
    p = np.array(second)
    return Answers("probabilities", np.column_stack([1 - p, p]), labels, **options)


def said(*places: int, labels: tuple[str, ...] = ("no", "yes")) -> Answers:
    return Answers("labels", np.array(places), labels)


def test_nan_is_an_error_and_never_an_answer() -> None:
    with pytest.raises(UsageError, match=r"no number for 1 of 2 rows, the first is row 1"):
        probable(0.2, float("nan"))
    with pytest.raises(UsageError, match="no number"):
        Answers("values", np.array([float("nan")]))


def test_a_row_that_failed_takes_part_in_no_measure() -> None:
    after = probable(0.9, float("nan"), failed={1: "ValueError: no"})
    assert after.predicted().tolist() == [1, -1]
    assert flipped(probable(0.1, 0.1), after).tolist() == [True, False]
    moved = changes(probable(0.1, 0.1), after)
    assert moved[0] == pytest.approx(0.8)
    assert np.isnan(moved[1])


def test_changes_are_the_largest_of_any_class_labels_zero_or_one_and_values_in_spreads() -> None:
    three = ("a", "b", "c")
    before = Answers("probabilities", np.array([[0.5, 0.3, 0.2]]), three)
    after = Answers("probabilities", np.array([[0.1, 0.5, 0.4]]), three)
    assert changes(before, after).tolist() == pytest.approx([0.4])
    assert changes(said(0, 1), said(1, 1)).tolist() == [1.0, 0.0]
    values, moved = Answers("values", np.array([0.0, 10.0])), Answers("values", np.array([5.0, 10.0]))
    assert spread_of(values) == 5.0
    assert changes(values, moved).tolist() == [1.0, 0.0]
    assert changes(values, moved, spread=10.0).tolist() == [0.5, 0.0]


def test_a_probability_at_the_cut_off_is_borderline_and_no_flip() -> None:
    before, after = probable(0.4, 0.4, 0.4999995), probable(0.5000005, 0.51, 0.9)
    assert borderline(after).tolist() == [True, False, False]
    assert flipped(before, after).tolist() == [False, True, False]
    assert flipped(before, after, tie=0.0).tolist() == [True, True, True]


def test_with_three_classes_the_tie_is_between_the_two_likeliest() -> None:
    near = Answers("probabilities", np.array([[0.4, 0.4 + 1e-7, 0.2 - 1e-7], [0.1, 0.4, 0.5]]), ("a", "b", "c"))
    assert borderline(near).tolist() == [True, False]


def test_the_cut_off_decides_between_two_classes() -> None:
    assert probable(0.3, 0.1, cutoff=0.2).predicted().tolist() == [1, 0]
    assert borderline(probable(0.2, 0.5, cutoff=0.2)).tolist() == [True, False]


def test_a_regression_flips_beyond_its_tolerance_and_needs_one() -> None:
    before, after = Answers("values", np.zeros(2)), Answers("values", np.array([0.1, 0.3]))
    assert flipped(before, after, 0.2, spread=1.0).tolist() == [False, True]
    with pytest.raises(UsageError, match="tolerance"):
        flipped(before, after)
    with pytest.raises(UsageError, match="spread is 0"):
        changes(before, after, spread=0.0)


def test_classes_in_another_order_are_paired_by_name() -> None:
    other = probable(0.9, labels=("yes", "no"))
    first, second = aligned(probable(0.1), other)
    assert first.labels == second.labels == ("no", "yes")
    assert second.content.tolist() == [pytest.approx([0.9, 0.1])]
    assert not flipped(probable(0.1), other).any()


def test_a_cut_off_is_turned_with_its_classes() -> None:
    other = probable(0.75, labels=("yes", "no"), cutoff=0.8)
    assert other.predicted().tolist() == [0]
    _, second = aligned(probable(0.1), other)
    assert second.predicted().tolist() == [1]


def test_other_classes_are_refused_by_name() -> None:
    with pytest.raises(UsageError, match=r"the second lacks 'yes'; the first lacks 'maybe'"):
        aligned(probable(0.1), probable(0.2, labels=("no", "maybe")))


def test_label_only_models_are_paired_over_the_classes_of_both() -> None:
    first, second = aligned(said(0, 1, labels=("a", "c")), said(0, 1, labels=("b", "c")))
    assert first.labels == ("a", "c", "b")
    assert (first.predicted() == second.predicted()).tolist() == [False, True]


def test_probabilities_beside_labels_are_compared_as_labels() -> None:
    assert flipped(probable(0.1, 0.9), said(1, 1)).tolist() == [True, False]


def test_values_beside_classes_and_other_rows_are_refused() -> None:
    with pytest.raises(UsageError, match="can't be compared"):
        aligned(probable(0.1), Answers("values", np.zeros(1)))
    with pytest.raises(UsageError, match="2 answers beside 1"):
        aligned(probable(0.1, 0.2), probable(0.1))


def test_rounding_hides_what_another_order_of_a_sum_moves() -> None:
    first, second = probable(0.1 + 0.2), probable(0.3)
    assert first.content.tobytes() != second.content.tobytes()
    assert first.rounded().content.tobytes() == second.rounded().content.tobytes()
    large = Answers("values", np.array([123456789012.3, 0.0, -1e-20])).rounded()
    assert large.content.tolist() == pytest.approx([123456789000.0, 0.0, -1e-20])


def test_rows_are_taken_with_their_failures() -> None:
    answers = probable(0.1, float("nan"), 0.9, failed={1: "no"}).take(np.array([2, 1, 1]))
    assert answers.failed == {1: "no", 2: "no"}
    assert answers.predicted().tolist() == [1, -1, -1]
