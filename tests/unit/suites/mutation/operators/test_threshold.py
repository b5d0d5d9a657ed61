"""Limits become other limits of their type; what is no limit stays."""

from __future__ import annotations

import pytest

from tests.support.mutation import mutated


@pytest.mark.parametrize(
    ("shown", "instead"),
    [
        ("$50", "$500"),
        ("$1,000.50", "$10,005.00"),
        ("1,000", "10,000"),
        ("2-3", "20-30"),
        ("2–3", "20–30"),
        ("2 to 3", "20 to 30"),
        ("10 %", "50 %"),
        ("90%", "9%"),
        ("10-20 %", "50-100 %"),
        ("0.95", "0.095"),
        ("0.1", "0.5"),
        ("3.5", "35.0"),
        ("0", "10"),
        ("zero", "ten"),
        ("three", "thirty"),
        ("Three", "Thirty"),
        ("30s", "300s"),
        ("5MB", "50MB"),
        ("103°F", "1030°F"),
        ("2000 words", "20000 words"),
        ("3+", "30+"),
        ("５", "５０"),
    ],
)
def test_change_threshold(shown: str, instead: str) -> None:
    assert mutated(f"You must keep to {shown} here.", "change-threshold") == [f"You must keep to {instead} here."]


@pytest.mark.parametrize(
    "shown",
    [
        "24/7", "2026-01-31", "31.01.2026", "1/31/2026", "10:30", "3pm", "v2.1", "1.2.3", "GPT-4", "H2O", "2026",
        "step 3", "rule 2", "3rd", "#12", "{max_3}", "`5`", "555-123-4567", "https://example.org/5", "(403)", "one",
        "9" * 40,
    ],
)  # fmt: skip
def test_what_is_no_limit(shown: str) -> None:
    assert mutated(f"You must keep to this: {shown}.", "change-threshold") == []


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("Zahle höchstens 1.000,50 €.", "Zahle höchstens 10.005,00 €."),
        ("Du darfst niemals mehr als 1.000 € zahlen.", "Du darfst niemals mehr als 10.000 € zahlen."),
        ("Nutze höchstens drei Wörter.", "Nutze höchstens dreißig Wörter."),
        ("Ne paie jamais plus de 1 000 euros.", "Ne paie jamais plus de 10 000 euros."),
        ("Utilise au plus trois mots dans la réponse.", "Utilise au plus trente mots dans la réponse."),
        ("Usa como máximo tres palabras en la respuesta.", "Usa como máximo treinta palabras en la respuesta."),
        ("Usa al massimo tre parole per la risposta.", "Usa al massimo trenta parole per la risposta."),
        ("Use no máximo três palavras na resposta.", "Use no máximo trinta palavras na resposta."),
        ("退款不得超过500元。", "退款不得超过5000元。"),
        ("最多回答三句。", "最多回答三十句。"),
        ("最大三回まで答えてください。", "最大三十回まで答えてください。"),
    ],
)
def test_the_style_of_the_language_is_kept(text: str, expected: str) -> None:
    assert mutated(text, "change-threshold") == [expected]


def test_every_limit_of_a_rule_is_a_mutant_of_its_own() -> None:
    assert mutated("Never send more than 3 mails in 5 minutes or 3 a day.", "change-threshold") == [
        "Never send more than 30 mails in 5 minutes or 3 a day.",
        "Never send more than 3 mails in 50 minutes or 3 a day.",
        "Never send more than 3 mails in 5 minutes or 30 a day.",
    ]
