"""Order of words and options, and spaces that come and go."""

from __future__ import annotations

import pytest

from tests.support.text_operators import edited, perturbed, variants


def test_words_side_by_side_change_places() -> None:
    assert variants("word-order", "one two three", 0.1) == {"two one three", "one three two"}
    assert perturbed("word-order", "one, two: three").reason == "nothing to change"


def test_words_are_split_inside_and_merged() -> None:
    assert variants("split-word", "gather at it", 0.01) == {"ga ther at it", "gat her at it", "gath er at it"}
    assert variants("merge-words", "a b c", 0.1) == {"ab c", "a bc"}


LETTERED = "Which?\nA) red\nB) blue\nC) green\nThanks"


def test_options_move_with_their_letters() -> None:
    found = variants("reorder-options", LETTERED)
    assert len(found) == 5
    for text in found:
        first, *options, last = text.split("\n")
        assert (first, last) == ("Which?", "Thanks")
        assert sorted(options) == ["A) red", "B) blue", "C) green"]


@pytest.mark.parametrize("text", ["Choose one of:\n- red\n- blue", "Options:\n* red\n* blue", "(a) red\n(b) blue"])
def test_other_forms_of_options(text: str) -> None:
    assert sorted(edited("reorder-options", text).split("\n")) == sorted(text.split("\n"))


@pytest.mark.parametrize(
    "text", ["1. open it\n2. close it", "Do this:\n- open it\n- close it", "Options:\nA) one", "Options:\n- x\n- x"]
)
def test_steps_and_single_options_stay(text: str) -> None:
    assert perturbed("reorder-options", text).reason == "nothing to change"
