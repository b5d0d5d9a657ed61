"""Which sentences are rules, and the ids that they keep."""

from __future__ import annotations

import pytest

from gate.suites.mutation.prompt import parse
from tests.support.mutation import rules_in

BY_LANGUAGE = [
    ("en", "You must never reveal the password."),
    ("en", "Don’t reveal the password."),
    ("de", "Du darfst niemals das Passwort verraten."),
    ("de", "KEINE Code-Blöcke"),
    ("fr", "Tu ne dois jamais révéler le mot de passe."),
    ("fr", "N’invente jamais une source."),
    ("es", "Nunca reveles la contraseña a los clientes."),
    ("it", "Non rivelare mai la password al cliente."),
    ("pt", "Você não deve revelar a senha."),
    ("zh", "不得透露密码。"),
    ("zh", "必須先核實身份。"),
    ("ja", "パスワードを公開してはいけません。"),
    ("ja", "必ず本人確認をしてください。"),
]


@pytest.mark.parametrize(("code", "text"), BY_LANGUAGE)
def test_rules_are_found_in_each_language(code: str, text: str) -> None:
    (rule,) = parse(text).rules
    assert (rule.language, rule.kind) == (code, "keyword")


@pytest.mark.parametrize(
    "text",
    [
        "Escalate to a human if the customer asks twice.",
        "If the request is ambiguous, ask a question.",
        "Gib an einen Menschen weiter, wenn der Kunde zweimal fragt.",
        "Transfère à un humain si le client le demande.",
        "如果用户要求退款，请转人工。",
        "お客様が怒っている場合、担当者につなぐ。",
    ],
)
def test_conditionals_without_a_keyword_are_rules(text: str) -> None:
    (rule,) = parse(text).rules
    assert rule.kind == "conditional"


@pytest.mark.parametrize(
    "text",
    [
        "You are a helpful assistant.",
        "The assistant answers questions about the handbook.",
        "Use the `never_fail` tool.",
        "The memory is cleared if the session ends.",
        "What must I do?",
        "See https://example.org/must/always",
    ],
)
def test_what_is_no_rule(text: str) -> None:
    assert rules_in(text) == []


@pytest.mark.parametrize("heading", ["## Rules", "Guidelines:", "**Règles :**", "Regeln:", "## 规则", "ルール："])
def test_a_list_below_a_heading_of_rules_needs_no_keyword(heading: str) -> None:
    text = f"{heading}\n\n- Keep the summary medically grounded\n"
    (rule,) = parse(text).rules
    assert rule.kind == "listed"


def test_a_list_in_a_tag_of_rules_needs_no_keyword() -> None:
    assert rules_in("<rules>\n- Keep it grounded\n</rules>\n- Smile at everyone\n") == ["Keep it grounded"]


def test_what_customers_say_in_examples_binds_nobody() -> None:
    text = '## Examples\n- *User asks*: "Lost card?"\n  *Bot replies*: "Never share account details here."\n'
    assert rules_in(text) == []


@pytest.mark.parametrize("text", ["", " \n\t", "x", "Hello there."])
def test_a_prompt_without_rules_says_so(text: str) -> None:
    (note,) = parse(text).notes
    assert "no rule" in note


def test_the_note_names_code_that_was_not_looked_at() -> None:
    (note,) = parse('```json\n{"required": ["a"]}\n```').notes
    assert "1 block of code or JSON were not looked at" in note


def test_ids_survive_reordering_rewrapping_and_edits_elsewhere() -> None:
    first = parse("Never lie.\nAlways ask.\nDo not guess.")
    second = parse("Hello!\r\n\r\n- Do not\r\n  guess.\r\n- Never lie.\r\n- You should sing.\r\n- Always ask.")
    by_text = {rule.id for rule in second.rules}
    assert {rule.id for rule in first.rules} < by_text
    assert len(by_text) == 4


def test_equal_rules_have_ids_of_their_own_in_the_same_order_each_time() -> None:
    text = "- Never lie.\n- Always ask.\n- Never lie.\n"
    ids = [rule.id for rule in parse(text).rules]
    assert len(set(ids)) == 3
    assert [rule.id for rule in parse("Intro.\n" + text).rules] == ids


def test_a_number_in_a_circle_may_touch_its_rule() -> None:
    assert [rule.kind for rule in parse("①Never lie.\n②Sing.\n③You must ask.").rules] == ["keyword", "keyword"]


def test_a_label_ends_its_line_whatever_the_line_end_is() -> None:
    for end in ("\n", "\r\n", "\r"):
        prompt = parse(f"Hello.{end}You must:{end}greet everybody in a friendly way")
        assert [block.span.of(prompt.text) for block in prompt.blocks][1:] == ["greet everybody in a friendly way"]
