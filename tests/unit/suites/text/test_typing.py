"""Slips of the fingers: where they happen, and what they never touch."""

from __future__ import annotations

import pytest

from gate.suites.perturbation.text.tables.typing import NEIGHBOURS
from tests.support.text_operators import edited, perturbed, variants

TYPING = ["keyboard-typo", "swap-letters", "delete-letter", "insert-letter"]


def test_neighbours_touch_and_are_of_one_kind() -> None:
    assert set(NEIGHBOURS["g"]) == set("fhtyvb")
    assert set(NEIGHBOURS["q"]) == set("wa")
    assert all(key in NEIGHBOURS[near] for key, all_near in NEIGHBOURS.items() for near in all_near)
    assert all(near.isdigit() == key.isdigit() for key, all_near in NEIGHBOURS.items() for near in all_near)


def test_a_typo_is_a_neighbour_and_keeps_its_case() -> None:
    for text in variants("keyboard-typo", "GATES", 0.01):
        ((before, after),) = [(a, b) for a, b in zip("GATES", text, strict=True) if a != b]
        assert after.lower() in NEIGHBOURS[before.lower()]
        assert after.isupper()


def test_swapped_letters_are_the_same_letters_after_the_first() -> None:
    assert variants("swap-letters", "trial", 0.01) == {"tiral", "trail", "trila"}


def test_a_deleted_letter_is_never_the_first() -> None:
    assert variants("delete-letter", "trial", 0.01) == {"tial", "tral", "tril", "tria"}


def test_an_inserted_letter_is_a_neighbour_beside_its_key() -> None:
    for text in variants("insert-letter", "door", 0.01):
        assert len(text) == 5
        assert any(
            text[:place] + text[place + 1 :] == "door" and text[place] in NEIGHBOURS[text[place - 1]]
            for place in range(1, 5)
        )


@pytest.mark.parametrize("name", TYPING)
def test_short_words_are_left_alone(name: str) -> None:
    assert perturbed(name, "it is so, he or we").reason == "nothing to change"


@pytest.mark.parametrize("name", ["swap-letters", "delete-letter"])
def test_letters_with_marks_move_whole(name: str) -> None:
    for text in variants(name, "cre\u0301me", 0.01):
        assert text.count("\u0301") == text.count("e\u0301"), text


def test_strength_is_the_share_of_places() -> None:
    text = "wonderful " * 40
    changed = [
        sum(a != b for a, b in zip(text, edited("keyboard-typo", text, strength), strict=True))
        for strength in (0.01, 0.1, 1.0)
    ]
    assert changed == [4, 36, 360]
