"""What is text, what is a list, what is code."""

from __future__ import annotations

import pytest

from gate.suites.mutation.prompt import parse
from tests.support.mutation import rules_in


def kinds(text: str) -> list[tuple[str, str]]:
    prompt = parse(text)
    return [(block.kind, block.span.of(text)) for block in prompt.blocks]


def test_headings_items_and_paragraphs_have_their_text_without_markers() -> None:
    text = "# Rules #\n\nBe kind.\n\n- never lie\n  1. always ask\n> quoted\n"
    assert kinds(text) == [
        ("heading", "Rules"),
        ("paragraph", "Be kind."),
        ("item", "never lie"),
        ("item", "always ask"),
        ("paragraph", "quoted"),
    ]


def test_outer_spans_are_whole_lines_and_cover_the_marker() -> None:
    text = "Intro\r\n\r\n- never lie\r\n- always ask\r\n"
    outers = [block.outer.of(text) for block in parse(text).blocks]
    assert outers == ["Intro\r\n", "- never lie\r\n", "- always ask\r\n"]


@pytest.mark.parametrize("indent", ["    ", "\t", "        "])
def test_indented_prompts_are_text_and_not_code(indent: str) -> None:
    assert kinds(f"{indent}You must never lie.\n") == [("paragraph", "You must never lie.")]


def test_bullets_that_markdown_does_not_know_are_items() -> None:
    text = "  ・常に確認してください。\n  ・嘘をつかないでください。\n• never lie\n① always ask\n"
    assert [kind for kind, _ in kinds(text)] == ["item"] * 4


def test_a_list_that_does_not_begin_with_one_is_cut_out_of_its_paragraph() -> None:
    assert kinds("Do this:\n2. never lie\n3. always ask") == [
        ("paragraph", "Do this:"),
        ("item", "never lie"),
        ("item", "always ask"),
    ]


def test_a_tag_on_its_own_line_is_a_boundary() -> None:
    text = "<rules>\nYou must never lie.\n</rules>\nBe kind."
    assert [kind for kind, _ in kinds(text)] == ["tag", "paragraph", "tag", "paragraph"]


def test_a_template_statement_on_its_own_line_is_a_boundary() -> None:
    text = "{% if strict %}\nNever lie.\n{% endif %}\n"
    assert [kind for kind, _ in kinds(text)] == ["control", "paragraph", "control"]


def test_rows_of_tables_are_read_cell_by_cell() -> None:
    assert rules_in("| topic | rule |\n|---|---|\n| tax | never advise |\n") == ["never advise"]


@pytest.mark.parametrize(
    "code",
    [
        '```json\n{"type": "object", "required": ["a"], "description": "must never be empty"}\n```\n',
        '{\n  "required": ["a"],\n  "b": {"enum": ["must"]}\n}\n',
        '{"required": ["always"]}\n',
        "~~~\nYou must never lie.\n~~~\n",
    ],
)
def test_code_and_json_are_mutated_only_when_asked(code: str) -> None:
    text = f"Answer with this shape:\n{code}\nBe kind.\n"
    without = parse(text)
    assert without.rules == ()
    assert without.code_blocks == 1
    assert parse(text, include_code=True).rules


def test_a_placeholder_alone_on_a_line_is_no_json() -> None:
    assert rules_in("{context}\nNever lie.\n{{ tools }}\nAlways ask.") == ["Never lie.", "Always ask."]


def test_a_fence_that_is_never_closed_hides_nothing() -> None:
    assert rules_in("```\nYou must never lie.\n\n- always ask\n") == ["You must never lie.", "always ask"]


def test_a_link_reference_is_a_rule_like_any_other() -> None:
    assert rules_in("[user]: never lie\n") == ["[user]: never lie"]


def test_a_sentence_above_a_rule_is_no_heading_and_a_title_is() -> None:
    assert kinds("You must never lie.\n---\nBye")[0][0] == "paragraph"
    assert kinds("Title\n=====\nBye")[0] == ("heading", "Title")


def test_nested_lists_keep_their_depth() -> None:
    prompt = parse("1. Never lie\n   - Always ask\n     - Do not guess\n")
    assert [block.depth for block in prompt.blocks] == [1, 2, 3]
    assert len(prompt.rules) == 3


@pytest.mark.parametrize("deepest", [20, 80])
def test_what_is_nested_deep_is_not_lost(deepest: int) -> None:
    nested = "".join(f"{'  ' * depth}- never lie\n" for depth in range(deepest))
    assert len(parse(nested + "\nAlways ask.\n").rules) == deepest + 1
    assert rules_in(">" * 200 + " Never lie.") == ["Never lie."]


@pytest.mark.parametrize("text", ["<b>" * 33_000, "<b>\n" * 25_000, "<b>x\n" * 20_000, "{%" * 50_000, "(" * 100_000])
def test_much_that_is_opened_and_never_closed_is_read(text: str) -> None:
    assert parse(text).rules == ()
