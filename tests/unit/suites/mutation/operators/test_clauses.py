"""Rules without the clause that limits them."""

from __future__ import annotations

import pytest

from tests.support.mutation import mutated


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("Never pay, unless the manager agrees.", "Never pay."),
        ("Never pay without approval.", "Never pay."),
        ("Unless asked, never pay.", "Never pay."),
        ("Never pay (except for tips).", "Never pay."),
        ("Never pay, except for tips, in cash.", "Never pay in cash."),
        ("Zahle niemals, außer der Chef stimmt zu.", "Zahle niemals."),
        ("Ne paie jamais, sauf si le client insiste.", "Ne paie jamais."),
        ("Nunca pagues a menos que el cliente insista.", "Nunca pagues."),
        ("Non pagare mai, tranne se il cliente insiste.", "Non pagare mai."),
        ("Nunca pague, exceto se o cliente insistir.", "Nunca pague."),
        ("不得退款，除非经理批准。", "不得退款。"),
        ("緊急時を除き、公開しないでください。", "公開しないでください。"),
    ],
)
def test_drop_exception(text: str, expected: str) -> None:
    assert mutated(text, "drop-exception") == [expected]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("Escalate to a human if the user asks twice.", "Escalate to a human."),
        ("If the user asks twice, escalate to a human.", "Escalate to a human."),
        ("If the user names pain, fever, or cough: you must alert.", "You must alert."),
        ("Never pay more than 1,000 euros when it rains.", "Never pay more than 1,000 euros."),
        ("Wenn der Kunde fragt, antworte immer.", "Antworte immer."),
        ("Si le client insiste, réponds toujours.", "Réponds toujours."),
        ("Si el cliente insiste, responde siempre.", "Responde siempre."),
        ("Se il cliente insiste, rispondi sempre.", "Rispondi sempre."),
        ("Se o cliente insistir, responda sempre.", "Responda sempre."),
        ("如果用户要求退款，必须核实。", "必须核实。"),
        ("お客様が怒っている場合は、必ず謝る。", "必ず謝る。"),
    ],
)
def test_drop_condition(text: str, expected: str) -> None:
    assert mutated(text, "drop-condition") == [expected]


@pytest.mark.parametrize("text", ["Never lie.", "Never pay, except if asked."])
def test_what_has_no_condition(text: str) -> None:
    assert mutated(text, "drop-condition") == []


def test_a_clause_that_holds_a_placeholder_by_place_stays() -> None:
    assert mutated("Never pay unless {} agrees.", "drop-exception") == []
