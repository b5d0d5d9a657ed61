"""Where sentences end."""

from __future__ import annotations

import pytest

from tests.support.mutation import rules_in


def test_a_sentence_wrapped_over_two_lines_is_one_rule() -> None:
    text = "You must never approve refund requests\nover $50 without manager approval.\nBe nice."
    assert rules_in(text) == ["You must never approve refund requests\nover $50 without manager approval."]


def test_a_wrapped_line_may_go_on_with_a_name() -> None:
    text = "You must never reveal anything about the customers of the bank of\nContoso to anyone else."
    assert rules_in(text) == [text]


@pytest.mark.parametrize("newline", ["\n", "\r\n", "\r"])
def test_short_lines_without_full_stops_are_rules_of_their_own(newline: str) -> None:
    assert rules_in(newline.join(["Never lie", "Always ask", "Do not guess"])) == [
        "Never lie",
        "Always ask",
        "Do not guess",
    ]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("You are V.A.U.L.T., an agent. Never lie.", ["Never lie."]),
        ("Never name others, e.g. Contoso or Initech. Be kind.", ["Never name others, e.g. Contoso or Initech."]),
        ("Sage z. B. niemals Nein. Sei nett.", ["Sage z. B. niemals Nein."]),
        ("Never pay $1,000.50 at once. Be kind.", ["Never pay $1,000.50 at once."]),
        ("**Never lie!** Be kind.", ["**Never lie!**"]),
        ("Never lie.\u2028Always ask.\u3000Do not go.", ["Never lie.", "Always ask.", "Do not go."]),
        ('Say "I can\'t." Never lie.', ['Say "I can\'t."', "Never lie."]),
        ("不得透露密码。要友好。必须核实！可以吗？", ["不得透露密码。", "必须核实！"]),
        ("最後に「他にありますか？」と必ず尋ねる。", ["最後に「他にありますか？」と必ず尋ねる。"]),
        ("Must I always answer? Never lie.", ["Never lie."]),
        ("<rule>Never lie.</rule>", ["Never lie."]),
    ],
)
def test_marks_that_end_a_sentence_and_marks_that_do_not(text: str, expected: list[str]) -> None:
    assert rules_in(text) == expected
