"""Distances against known ones, and limits that are never overdrawn."""

from __future__ import annotations

from typing import Any

import pytest

from gate.errors import UsageError
from gate.suites.perturbation.text import budget
from gate.suites.perturbation.text.budget import Budget, distance, word_distance
from tests.support.text_operators import perturbed


@pytest.mark.parametrize(
    ("before", "after", "edits"),
    [("", "", 0), ("", "abc", 3), ("kitten", "sitting", 3), ("flaw", "lawn", 2), ("intention", "execution", 5)],
)
def test_known_distances(before: str, after: str, edits: int) -> None:
    assert distance(before, after) == distance(after, before) == edits


def test_words_are_what_white_space_parts() -> None:
    assert word_distance("one two  three", "one\ttwo, three") == 1
    assert word_distance("a b c", "b a c") == 2


def test_long_texts_are_aligned(monkeypatch: pytest.MonkeyPatch) -> None:
    before = "abcdefghij" * 2_000
    after = "X" + before[1:9_000] + "YZ" + before[9_000:15_000] + before[15_001:-1] + "!"
    aligned = distance(before, after)
    monkeypatch.setattr(budget, "_EXACT", 100_000)
    assert aligned == distance(before, after) == 5


def test_long_texts_that_have_nothing_in_common() -> None:
    assert distance("a" * 10_000, "b" * 9_000) == 10_000


@pytest.mark.parametrize(
    ("limits", "allowed"),
    [
        ({}, True),
        ({"characters": 2}, True),
        ({"characters": 1}, False),
        ({"words": 1}, True),
        ({"share": 0.2}, True),
        ({"share": 0.19}, False),
        ({"characters": 5, "share": 0.1}, False),
    ],
)
def test_limits(limits: dict[str, Any], allowed: bool) -> None:
    assert Budget(**limits).allows("abcdefghij", "abXYefghij") is allowed


@pytest.mark.parametrize("limits", [{"characters": 0}, {"words": -1}, {"share": float("nan")}, {"share": float("inf")}])
def test_limits_that_are_none(limits: dict[str, Any]) -> None:
    with pytest.raises(UsageError, match="the budget of"):
        Budget(**limits)


def test_an_edit_beyond_the_budget_is_made_smaller() -> None:
    text = "wonderful " * 20
    found = perturbed("keyboard-typo", text, 1.0, Budget(characters=6))
    assert not found.reason
    assert 1 <= distance(text, found.text) <= 6


def test_or_it_is_not_applicable() -> None:
    found = perturbed("base64", "a text", budget=Budget(characters=10))
    assert (found.text, found.reason) == ("a text", "over the budget")
