"""Texts that no one expects: nothing breaks, and what can't be edited is said."""

from __future__ import annotations

import pytest

from gate.errors import UsageError
from gate.suites.perturbation.text.budget import Budget, distance
from tests.support.text_operators import BUILT_IN, perturbed

WORDLESS = ["keyboard-typo", "homoglyph", "upper-case", "white-space", "contract", "word-order", "swap-number"]
ODD = {
    "emoji": "👩🏽‍🚀👨‍👩‍👧‍👦🇩🇪❤️",
    "right to left": "שלום עולם, مرحبا بالعالم",
    "marks": "a\u0301\u0302\u0303 \u0301 e\u0301" * 5,
    "controls": "a\x00b\x1b[31m \u202ereversed\u202c \ufeff",
    "lines": "one\r\ntwo\rthree\u2028four",
    "thai": "ภาษาไทย",
    "braces": "}}{{ }{ %} {% ``` ` $ % \\",
}


@pytest.mark.parametrize("name", BUILT_IN)
def test_an_empty_text_has_nothing_to_change(name: str) -> None:
    assert perturbed(name, "") == perturbed(name, "", 1.0)
    assert perturbed(name, "").reason == "nothing to change"


@pytest.mark.parametrize("name", WORDLESS)
@pytest.mark.parametrize("text", ["👩🏽‍🚀", "\u0301", "   ", "…"])
def test_a_text_without_words(name: str, text: str) -> None:
    assert perturbed(name, text).reason == "nothing to change"


@pytest.mark.parametrize("text", ODD.values(), ids=ODD)
def test_odd_texts_survive(text: str) -> None:
    for name in BUILT_IN:
        for strength in (None, 1.0):
            found = perturbed(name, text, strength)
            found.text.encode("utf-8")
            assert (found.text == text) == bool(found.reason), name


@pytest.mark.parametrize("name", ["keyboard-typo", "base64", "inject-role"])
def test_lone_surrogates_are_refused(name: str) -> None:
    with pytest.raises(UsageError, match="lone surrogate"):
        perturbed(name, "abc \udc80 wonderful")


def test_a_megabyte_is_edited_within_its_budget() -> None:
    text = "The neighbour does not like {x} at https://example.org, café: 42. " * 16_000
    assert len(text) > 1_000_000
    found = perturbed("keyboard-typo", text, 0.01, Budget(characters=10_000))
    assert not found.reason
    assert 1_000 < distance(text, found.text) <= 10_000


def test_a_long_text_that_moves_too_far_is_refused() -> None:
    text = "The neighbour does not like it. " * 12_000
    assert perturbed("rot13", text, budget=Budget(share=0.1)).reason == "over the budget"
