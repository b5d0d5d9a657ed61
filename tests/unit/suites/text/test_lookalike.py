"""Characters that look alike."""

from __future__ import annotations

import unicodedata

import pytest

from gate.suites.perturbation.text.tables.lookalike import ACCENTS, HOMOGLYPHS, LEET, OCR, PAIRED, ZERO_WIDTH
from tests.support.text_operators import edited, perturbed, variants


def test_the_tables_are_sound() -> None:
    for latin, others in HOMOGLYPHS.items():
        assert unicodedata.name(latin).startswith("LATIN")
        for other in others:
            assert unicodedata.name(other).split()[0] in {"CYRILLIC", "GREEK"}
            assert other.isupper() == latin.isupper()
    assert all(len(unicodedata.normalize("NFC", key + mark)) == 1 for key, marks in ACCENTS.items() for mark in marks)
    assert all(len(OCR[key]) == 2 for key in PAIRED)
    assert all(key not in values for key, values in (OCR | LEET).items())
    assert not set("{}$%`<") & set("".join(LEET.values()))


def test_homoglyphs_replace_letters_one_by_one() -> None:
    text = edited("homoglyph", "peace", 1.0)
    assert len(text) == 5
    assert all(new in HOMOGLYPHS[old] for old, new in zip("peace", text, strict=True))


def test_zero_width_characters_stand_within_words_only() -> None:
    text = edited("zero-width", "to be, 42", 1.0)
    assert text.translate(dict.fromkeys(map(ord, ZERO_WIDTH))) == "to be, 42"
    assert [part.strip(ZERO_WIDTH) for part in text.split(" ")] == text.split(" ")
    assert sum(text.count(each) for each in ZERO_WIDTH) == 2


@pytest.mark.parametrize("text", ["مرحبا بالعالم", "नमस्ते दुनिया", "42 7", "x"])
def test_no_zero_width_character_where_letters_are_joined(text: str) -> None:
    assert perturbed("zero-width", text).reason == "nothing to change"


def test_scanners_misread_pairs_as_one_letter_and_back() -> None:
    assert "bum" in variants("ocr", "burn", 0.01)
    assert "corn" in variants("ocr", "com", 0.01)
    assert "l" not in edited("ocr", "l", 1.0)


def test_leetspeak() -> None:
    assert edited("leetspeak", "test", 1.0) == "7357"


def test_diacritics_go_and_come() -> None:
    assert edited("strip-diacritics", "Résumé, naïve, Größe, Łódź, œuvre") == "Resume, naive, Grosse, Lodz, oeuvre"
    assert edited("strip-diacritics", "re\u0301sume\u0301") == "resume"
    accented = edited("add-diacritics", "banana", 1.0)
    assert accented != "banana"
    assert len(accented) == 6
    bare = "".join(mark for mark in unicodedata.normalize("NFD", accented) if not unicodedata.combining(mark))
    assert bare == "banana"


@pytest.mark.parametrize("text", ["plain", "हिन्दी", "שָׁלוֹם", "が", "안녕"])
def test_marks_that_belong_to_their_script_stay(text: str) -> None:
    assert perturbed("strip-diacritics", text).text == text


def test_accented_letters_get_no_second_accent() -> None:
    assert perturbed("add-diacritics", "e\u0301é").reason == "nothing to change"
