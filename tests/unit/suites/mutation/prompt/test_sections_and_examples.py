"""Sections by headings, labels and tags; examples by tags, headings and speakers."""

from __future__ import annotations

import pytest

from gate.suites.mutation.prompt import parse


def test_a_heading_governs_until_the_next_of_its_level() -> None:
    text = "# A\na\n## B\nb\n# C\nc\n"
    assert [(one.title, one.span.of(text)) for one in parse(text).sections] == [
        ("A", "# A\na\n## B\nb\n"),
        ("B", "## B\nb\n"),
        ("C", "# C\nc\n"),
    ]


def test_a_label_and_a_tag_begin_sections() -> None:
    text = "<safety>\nNever lie.\n</safety>\nRules:\n- Always ask\n"
    assert {(one.title, one.origin) for one in parse(text).sections} == {("safety", "tag"), ("Rules", "label")}


def test_a_tag_that_is_not_closed_begins_no_section() -> None:
    assert parse("<safety>\nNever lie.\n").sections == ()


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("<examples>\n<example>\nhi\n</example>\n<example>\nho\n</example>\n</examples>\n", 2),
        ("Input: a\nOutput: b\n\nInput: c\nOutput: d\n", 2),
        ("Q: What?\nA: That.\n\nBe kind.\n", 1),
        ("## Beispiele\n\n- eins\n- zwei\n", 2),
        ("## Example 1\n\none\n\ntwo\n\n## Example 2\n\nthree\n", 2),
        ("用户：你好\n助手：您好\n", 1),
        ("User: I must go.\n", 0),
        ("No examples here.\n", 0),
    ],
)
def test_examples_are_counted(text: str, expected: int) -> None:
    assert len(parse(text).examples) == expected


def test_examples_are_whole_lines_without_overlap() -> None:
    text = "Intro\n\nInput: a\nOutput: b\n\nInput: c\nOutput: d\n\nNever lie.\n"
    prompt = parse(text)
    assert [one.span.of(text) for one in prompt.examples] == ["Input: a\nOutput: b\n", "Input: c\nOutput: d\n"]
    assert [prompt.rule_text(rule) for rule in prompt.rules] == ["Never lie."]
