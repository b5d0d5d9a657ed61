"""What of a large prompt the Markdown parser is asked about."""

from __future__ import annotations

import itertools
import random

import pytest

from gate.suites.mutation.prompt import parse, rules
from gate.suites.mutation.prompt.blocks import Lines
from gate.suites.mutation.prompt.model import Span
from gate.suites.mutation.prompt.parts import NO_LIST, Part
from gate.suites.mutation.prompt.placeholders import is_touched, overlapping, protected_spans
from gate.suites.mutation.prompt.plain import Scan


def asked(text: str) -> list[tuple[int, int]]:
    """The lines that a parser is given, which finds nothing there."""
    parts: list[tuple[int, int]] = []

    def parser(first: int, after: int, group: int) -> Part:
        parts.append((first, after))
        return [], group, False, NO_LIST

    Scan(Lines(text), parser).found()
    return parts


@pytest.mark.parametrize(
    "shape",
    [
        "a\n\n", "a b\nc\n", "- a\n", "* a\n\n", "1. a\n", "2) a\n\n", "- a\n  - b\n    - c\n", "- a\n\n  b\n\n",
        "# a\n", "## A\n\nNever lie.\n", "Title\n=====\n\n", "a\n---\n\nb\n\n", "```json\n{}\n```\n", "<a>\nb\n</a>\n",
        "<b>\n", "> a\n", "> a\n\n", ">\n", "|a|b|\n", "_a_\n\n", "**a**\n\n", "24/7\n\n", "a\r\n\r\n", "a\r\r",
        "---\n", "***\n", "{x}\n", "\n", "* * a\n", "- 1. a\n", "-\ta\n", "- a\n\tb\n", "-\n", "1.\n", "- # a\n", "#\n",
        "\ta\n\n", "> > a\n", "> a\n> > b\n", ">\ta\n", "\x00a\n", "a.b\n\n", "-     a\n",
    ],
)  # fmt: skip
def test_nothing_of_what_prompts_consist_of(shape: str) -> None:
    assert asked(shape * 200) == []


def test_what_it_is_asked_begins_and_ends_between_two_blocks() -> None:
    text = "a\n\n- b\n- > c\n- d\n\ne\n\n  ```\n\n# g\n"
    assert asked(text) == [(2, 6), (8, 10)]


@pytest.mark.parametrize(
    "shape",
    ["- > a\n", "- ```\n", "- a\n- > b\n", "> - a\n", "> - a\n\nb\n\n", "* * *\n", "-\n\n\n", " > a\n", "- a\n```\n"],
)
def test_twice_as_much_is_asked_about_twice_as_many_lines(shape: str) -> None:
    def lines(count: int) -> int:
        return sum(after - first for first, after in asked(shape * count))

    assert lines(400) <= 2 * lines(200) + 8


@pytest.mark.parametrize("text", ["- a\n" * 500 + "- > q\n", "- > q\n" + "- a\n" * 500])
def test_one_strange_item_leaves_the_rest_of_its_list_alone(text: str) -> None:
    assert sum(after - first for first, after in asked(text)) < 20


def test_a_list_goes_on_behind_a_part_of_the_parser() -> None:
    shown = "- never lie\n" * 80
    groups = {block.group for block in parse(shown + "- > q\n" + shown).blocks if block.kind == "item"}
    assert groups == {1}


def test_what_is_quoted_is_read_like_a_text_of_its_own() -> None:
    inside = "- never lie\n  - always ask\n\n# Rules\n\nBe kind.\n" * 30
    quoted = "".join(f"> {line}\n" for line in inside.splitlines())
    found, expected = parse(quoted), parse(inside)
    assert [(one.kind, one.depth, one.group) for one in found.blocks] == [
        (one.kind, one.depth, one.group) for one in expected.blocks
    ]
    assert [found.rule_text(rule) for rule in found.rules] == [expected.rule_text(rule) for rule in expected.rules]


def test_a_line_is_asked_about_once() -> None:
    draw = random.Random(3)
    text = "".join(
        draw.choice(["a\n", "\n", "- a\n", "- > a\n", " > a\n", "1. a\n", "> - a\n", "# a\n"]) for _ in range(999)
    )
    parts = asked(text)
    assert len(parts) > 20
    assert all(after <= first for (_, after), (first, _) in itertools.pairwise(parts))


def test_a_fence_that_goes_on_is_read_to_its_end() -> None:
    parts: list[tuple[int, int]] = []

    def parser(first: int, after: int, group: int) -> Part:
        parts.append((first, after))
        return [], group, after < 9, NO_LIST

    Scan(Lines("  ```\n\na\n\nb\n\nc\n\nd\n  ```\n\ne\n"), parser).found()
    assert parts == [(0, 2), (0, 6), (0, 13)]  # twice as much each time, so that nothing is read often


class Watched(list[Span]):
    """Spans that count how often one of them is read."""

    read = 0

    def __getitem__(self, place):  # type: ignore[no-untyped-def, override]
        assert not isinstance(place, slice)
        self.read += 1
        return super().__getitem__(place)

    def __iter__(self):  # type: ignore[no-untyped-def, override]
        self.read += len(self)
        return super().__iter__()


def test_spans_that_overlap_are_found_without_reading_the_others() -> None:
    spans = Watched(Span(at, at + 1) for at in range(0, 1000, 2))
    assert overlapping(spans, Span(10, 13)) == [Span(10, 11), Span(12, 13)]
    assert (is_touched(spans, 10, 13), is_touched(spans, 11, 12), is_touched(spans, 998, 2000)) == (True, False, True)
    assert spans.read < 80


def test_keywords_within_placeholders_are_passed_over_without_reading_all_of_them(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    text = "`must` " * 2_000
    spans = Watched(protected_spans(text))
    monkeypatch.setattr(rules, "overlapping", lambda protected, span: spans)
    assert rules.rules_of(text, rules.Sentences([Span(0, len(text) - 1)], [0]), (Span(0, 1),), "en") == []
    assert 2_000 <= spans.read < 80_000  # each for each would be millions


def test_a_fence_is_closed_by_one_as_long() -> None:
    shown = [block.kind for block in parse("`````\nNever lie.\n```\n").blocks]
    assert "code" not in shown
    assert [block.kind for block in parse("`````\nNever lie.\n`````\n").blocks] == ["code"]
