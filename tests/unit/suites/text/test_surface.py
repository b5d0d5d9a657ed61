"""Case, white space and punctuation: the letters stay."""

from __future__ import annotations

import pytest

from tests.support.text_operators import SENTENCE, edited, perturbed, variants


def test_case() -> None:
    assert edited("lower-case", "Über DEN Wolken") == "über den wolken"
    assert edited("upper-case", "straße und {name}") == "STRASSE UND {name}"
    mixed = edited("mixed-case", SENTENCE)
    assert mixed != SENTENCE
    assert mixed.lower() == SENTENCE.lower()


@pytest.mark.parametrize("name", ["lower-case", "upper-case", "mixed-case"])
@pytest.mark.parametrize("text", ["漢字", "12 + 7", "مرحبا"])
def test_scripts_without_case(name: str, text: str) -> None:
    assert perturbed(name, text).reason == "nothing to change"


def test_a_letter_that_would_become_another_stays() -> None:
    """Upper case of the dotless i is the capital of the dotted one."""
    assert perturbed("upper-case", "ı").reason == "nothing to change"


def test_white_space_stays_white_space() -> None:
    text = "one two  three\n  four\tfive"
    for new in variants("white-space", text, 1.0, 10):
        assert new.split() == text.split()
        assert new.count("\n") == 1
        assert "\n  four" in new
    assert edited("pad", "text").strip() == "text"


def test_punctuation_in_another_style() -> None:
    assert edited("punctuation-variant", """He said "don't" - and... ("why")""") == "He said “don’t” – and… (“why”)"
    assert edited("punctuation-variant", "„so“ «or» ‘it’… a – b") == '"so" "or" \'it\'... a - b'


def test_a_quotation_mark_at_the_end_closes() -> None:
    assert edited("punctuation-variant", 'He said "no"') == "He said “no”"
    assert perturbed("punctuation-variant", 'a "').reason == perturbed("punctuation-variant", '"').reason != ""
    assert perturbed("punctuation-variant", 'say `a"`').reason == "nothing to change"


def test_punctuation_that_is_left_out_or_repeated() -> None:
    assert edited("drop-punctuation", "Well, so: 3.5, 1,000; ok? Yes.", 1.0) == "Well so 3.5 1,000 ok Yes"
    assert edited("repeat-punctuation", "Really? Pay 3.5 now!", 1.0) == "Really??? Pay 3.5 now!!!"
