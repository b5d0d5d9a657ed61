"""Words and characters as readers see them."""

from __future__ import annotations

import re

import pytest

from gate.errors import UsageError
from gate.suites.perturbation.text.prepared import Prepared


def words(text: str) -> list[str]:
    return [text[start:end] for start, end in Prepared(text).words]


def characters(text: str) -> list[str]:
    return [text[start:end] for start, end in Prepared(text).characters(0, len(text))]


@pytest.mark.parametrize(
    "character",
    [
        "e\u0301", "👩🏽‍🚀", "👨‍👩‍👧‍👦", "🇩🇪", "1️⃣", "❤️", "각", "\u1100\u1161\u11a8", "\r\n", "क्षि",
        "🏴\U000e0067\U000e0062\U000e007f", "a\u0336\u0332",
    ],
)  # fmt: skip
def test_it_is_one_character(character: str) -> None:
    assert characters(character) == [character]
    assert characters(f"x{character}y") == ["x", character, "y"]
    assert characters(character * 2) == [character, character]


def test_words() -> None:
    assert words("Don't re\u0301sume\u0301 — 42, naïve: {not this} 'quoted' мир हिन्दी a_b") == [
        "Don't", "re\u0301sume\u0301", "42", "naïve", "quoted", "мир", "हिन्दी", "a_b",
    ]  # fmt: skip


def test_a_match_that_would_tear_a_character_is_none() -> None:
    pattern = re.compile("e")
    assert Prepared("ee\u0301e").matches(pattern) == [(0, 1), (3, 4)]
    assert Prepared("x\u0301").on_borders(1, 2) is False
    assert Prepared("x\u0301").on_borders(0, 2)


def test_free_and_protected_parts_are_the_text() -> None:
    text = "a {b} c"
    assert [text[start:end] for start, end in Prepared(text).free] == ["a ", " c"]
    assert Prepared("{b}").free == []


def test_lone_surrogates_are_refused() -> None:
    with pytest.raises(UsageError, match="lone surrogate at character 2"):
        Prepared("ab\ud800c")


def test_other_types_are_refused() -> None:
    with pytest.raises(UsageError, match="a text is a bytes"):
        Prepared(b"x")
