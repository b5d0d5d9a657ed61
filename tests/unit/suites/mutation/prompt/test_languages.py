"""The tables themselves."""

from __future__ import annotations

import pytest

from gate.suites.mutation.prompt.languages import LANGUAGES, guess, language, overall


@pytest.mark.parametrize("code", LANGUAGES)
def test_every_table_has_a_row_for_every_operator_on_words(code: str) -> None:
    table = language(code)
    assert table.code == code
    assert all(table.pairs[kind] for kind in ("invert", "weaken", "compare", "scope"))
    assert table.numbers
    assert "{rule}" in table.poison


@pytest.mark.parametrize("code", LANGUAGES)
def test_no_pair_leaves_its_word_as_it_was(code: str) -> None:
    for pairs in language(code).pairs.values():
        for pattern, instead in pairs:
            assert pattern.pattern != instead


@pytest.mark.parametrize(
    ("text", "code"),
    [
        ("You are a bank's assistant.", "en"),
        ("Du bist der Assistent einer Bank und hilfst den Kunden.", "de"),
        ("Tu es l'assistante de l'agence et tu aides les clients.", "fr"),
        ("Eres el asistente de un banco y ayudas a los clientes.", "es"),
        ("Sei l'assistente di una banca e aiuti i clienti della filiale.", "it"),
        ("Você é o assistente de um banco e ajuda os clientes.", "pt"),
        ("你是银行的助手。", "zh"),
        ("あなたは銀行のアシスタントです。", "ja"),
        ("", "en"),
        ("12345 --- ???", "en"),
    ],
)
def test_the_language_of_a_prompt(text: str, code: str) -> None:
    assert overall(text) == code


def test_words_that_tell_nothing_leave_the_default() -> None:
    assert guess("xyzzy", ["xyzzy"], "pt") == "pt"
