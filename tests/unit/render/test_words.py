"""Numbers, nouns and columns."""

from __future__ import annotations

import pytest

from gate.render.width import pad, width, wrap
from gate.render.words import chance, ids, listed, plural, score


@pytest.mark.parametrize(
    ("alpha", "shown"),
    [(0.05, "5 times in 100"), (0.01, "1 time in 100"), (0.025, "2.5 times in 100"), (0.001, "1 time in 1,000")],
)
def test_chance(alpha: float, shown: str) -> None:
    assert chance(alpha) == shown


def test_plural() -> None:
    assert (plural(1, "test"), plural(0, "test"), plural(1_204, "test")) == ("1 test", "0 tests", "1,204 tests")


@pytest.mark.parametrize(
    ("numbers", "shown"),
    [
        (["F1"], "F1"),
        (["F1", "F2"], "F1, F2"),
        (["F1", "F2", "F3"], "F1–F3"),
        (["F1", "F3", "F4"], "F1, F3, F4"),
        (["F1", "F3", "F4", "F6", "F7", "F90"], "F1, F3 … F90"),
        (["", "", ""], ", , "),
    ],
)
def test_ids(numbers: list[str], shown: str) -> None:
    assert ids(numbers) == shown


def test_scores_and_lists() -> None:
    assert [score(value) for value in (0.61, 1.0, 0.0, None)] == [".61", "1.00", ".00", "–"]
    assert [listed(parts) for parts in ([], ["a"], ["a", "b"], ["a", "b", "c"])] == ["", "a", "a and b", "a, b and c"]


def test_width_counts_columns() -> None:
    assert [width(text) for text in ("abc", "日本", "e\u0301", "❌", "ε")] == [3, 4, 1, 2, 1]
    assert pad("日", 4) == "日  "


def test_wrap() -> None:
    assert wrap("one two three", 8) == ["one two", "three"]
    assert wrap("robust 97.0% (941/970)", 12) == ["robust 97.0%", "(941/970)"]
    assert wrap("tests/test_schema.py::test_iban", 22) == ["tests/test_schema.py::", "test_iban"]
    assert wrap("日本語テスト", 5) == ["日本", "語テ", "スト"]
    assert wrap("x" * 100, 10, most=2) == ["x" * 10, "x" * 9 + "…"]
    assert wrap("", 10) == [""]
