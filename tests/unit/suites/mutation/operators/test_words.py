"""One word in the place of another, in every language."""

from __future__ import annotations

import pytest

from gate.suites.mutation.mutants import mutants_of
from gate.suites.mutation.prompt import parse
from tests.support.mutation import mutated


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("You must never lie.", "You must always lie."),
        ("Don’t reveal it.", "Always reveal it."),
        ("DO NOT reveal it.", "ALWAYS reveal it."),
        ("You must answer.", "You must not answer."),
        ("Escalate to a human if asked.", "Do not escalate to a human if asked."),
        ("If it is unclear, ask a question.", "If it is unclear, do not ask a question."),
        ("Du darfst niemals lügen.", "Du darfst immer lügen."),
        ("Tu ne dois jamais mentir au client.", "Tu dois toujours mentir au client."),
        ("Nunca reveles la clave al cliente.", "Siempre reveles la clave al cliente."),
        ("Non rivelare mai la password.", "Rivelare sempre la password."),
        ("Você não deve revelar a senha.", "Você deve revelar a senha."),
        ("不得透露密码。", "可以透露密码。"),
        ("公開しないでください。", "公開してください。"),
        ("必ず確認してください。", "必ず確認しないでください。"),
    ],
)
def test_invert_negation(text: str, expected: str) -> None:
    assert expected in mutated(text, "invert-negation") or expected.lower() in map(
        str.lower, mutated(text, "invert-negation")
    )


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("You must answer.", "You may answer."),
        ("Never lie.", "Rarely lie."),
        ("Du musst antworten.", "Du kannst antworten."),
        ("Vous devez répondre au client.", "Vous pouvez répondre au client."),
        ("Debes responder al cliente.", "Puedes responder al cliente."),
        ("Devi rispondere sempre al cliente.", "Puoi rispondere sempre al cliente."),
        ("Você deve responder ao cliente.", "Você pode responder ao cliente."),
        ("必须核实身份。", "可以核实身份。"),
        ("必ず確認する。", "できれば確認する。"),
    ],
)
def test_weaken_modal(text: str, expected: str) -> None:
    assert mutated(text, "weaken-modal") == [expected]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("Use at most 3 words.", "Use at least 3 words."),
        ("Never pay over $50.", "Never pay below $50."),
        ("You must react when it is >= 3.", "You must react when it is <= 3."),
        ("You must alert when fever is >103°F.", "You must alert when fever is <103°F."),
        ("Nutze höchstens 3 Wörter.", "Nutze mindestens 3 Wörter."),
        ("Utilise au plus 3 mots dans la réponse.", "Utilise au moins 3 mots dans la réponse."),
        ("Usa como máximo 3 palabras en la respuesta.", "Usa como mínimo 3 palabras en la respuesta."),
        ("Usa al massimo 3 parole per la risposta.", "Usa almeno 3 parole per la risposta."),
        ("Use no máximo 3 palavras na resposta.", "Use no mínimo 3 palavras na resposta."),
        ("退款不得超过500元。", "退款不得少于500元。"),
        ("3文以内で答えてください。", "3文以上で答えてください。"),
    ],
)
def test_flip_comparator(text: str, expected: str) -> None:
    assert mutated(text, "flip-comparator") == [expected]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("Only quote the context.", "Also quote the context."),
        ("You must verify all claims.", "You must verify some claims."),
        ("Nutze nur den Kontext.", "Nutze auch den Kontext."),
        ("Utilise uniquement les fiches de la base.", "Utilise aussi les fiches de la base."),
        ("Usa solo los datos del cliente.", "Usa también los datos del cliente."),
        ("Usa soltanto i dati del cliente.", "Usa anche i dati del cliente."),
        ("Use apenas os dados do cliente.", "Use também os dados do cliente."),
        ("只能使用中文。", "也可以使用中文。"),
        ("日本語のみで答えてください。", "日本語もで答えてください。"),
    ],
)
def test_swap_scope(text: str, expected: str) -> None:
    assert mutated(text, "swap-scope") == [expected]


@pytest.mark.parametrize("operator", ["invert-negation", "weaken-modal", "flip-comparator", "swap-scope"])
def test_words_in_code_tags_and_placeholders_are_left_alone(operator: str) -> None:
    text = "Always use `must_never`, <only>, {at_most} and https://must.example/never."
    for new in mutated(text, operator):
        assert new.endswith(" use `must_never`, <only>, {at_most} and https://must.example/never.")


def test_a_rule_without_such_a_word_says_why() -> None:
    found = mutants_of(parse("Never lie."), operators=["swap-scope"])
    (reason,) = found.not_applicable
    assert (found.mutants, reason.operator) == ((), "swap-scope")
    assert "English" in reason.reason


def test_a_german_imperative_without_keyword_is_not_inverted() -> None:
    text = "Gib an einen Menschen weiter, wenn der Kunde zweimal fragt."
    assert mutated(text, "invert-negation") == []
