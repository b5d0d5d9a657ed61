"""Other rows under the same ids and the same truth are told; their order and the last digits are not."""

from __future__ import annotations

import pytest

from gate.record.plugin.sweep_data import keyed, of_frame, of_texts

np = pytest.importorskip("numpy")


def digest(rows: object, names: tuple[str, ...] = ("a", "b"), columns: tuple[str, ...] = ("x", "y")) -> str:
    from gate.suites.perturbation.tabular.frame import Frame

    return of_frame(Frame.of(np.array(rows), "here", columns), names)


def test_neither_order_nor_the_last_digits_count() -> None:
    known = digest([[1.0, 2.0], [3.0, 4.0]])
    assert digest([[3.0, 4.0], [1.0, 2.0]], ("b", "a")) == known
    assert digest([[2.0, 1.0], [4.0, 3.0]], columns=("y", "x")) == known
    assert digest([[1.0 + 1e-15, 2.0], [3.0, 4.0]]) == known


@pytest.mark.parametrize("rows", [[[1.0, 2.1], [3.0, 4.0]], [[3.0, 4.0], [1.0, 2.0]], [[1.0, np.nan], [3.0, 4.0]]])
def test_another_cell_counts(rows: object) -> None:
    assert digest(rows) != digest([[1.0, 2.0], [3.0, 4.0]])


def test_names_count_and_numbers_beyond_single_precision_are_no_error() -> None:
    assert digest([[1.0, 2.0], [3.0, 4.0]], ("a", "c")) != digest([[1.0, 2.0], [3.0, 4.0]])
    assert digest([[1e300, 2.0], [3.0, 1e-300]])


def test_columns_of_texts_count() -> None:
    assert digest([["red", "1"], ["blue", "2"]]) != digest([["red", "1"], ["green", "2"]])


def test_texts_count_whatever_their_order() -> None:
    assert of_texts(["p", "q"], ["1", "2"]) == of_texts(["q", "p"], ["2", "1"])
    assert of_texts(["p", "q"], ["1", "2"]) != of_texts(["q", "p"], ["1", "2"])


def test_another_key_is_another_digest() -> None:
    assert keyed("aa", b"one") != keyed("aa", b"two")
