"""What no operator may tear."""

from __future__ import annotations

import pytest

from gate.suites.perturbation.text.protected import fields, protected
from tests.support.text_operators import variants


def pieces(text: str) -> list[str]:
    return [text[start:end] for start, end in protected(text)]


@pytest.mark.parametrize(
    "piece",
    [
        "{x}",
        "{}",
        "{x!r:>{width}}",
        "{{ user.name | title }}",
        "{% if a %}",
        "{# note #}",
        "$name",
        "${name}",
        "%s",
        "%(name)s",
        "%-5.2f",
        "%%",
        "https://example.org/a?b=c#d",
        "www.example.org",
        "ann@example.org",
        "<b class='x'>",
        "</b>",
        "<!-- no -->",
        "<|im_start|>",
        "`a b`",
        "``a ` b``",
        "```\ncode\n```",
        "~~~\ncode\n~~~",
        '{"a": {"b": [1, 2]}}',
    ],
)
def test_it_is_one_piece(piece: str) -> None:
    assert pieces(f"Tell {piece} to me") == [piece]
    assert pieces(piece) == [piece]


@pytest.mark.parametrize("text", ["plain", "5 % of $5", "a } b { c", "one ` tick", "a < b and c > d", "@home", "50 %"])
def test_nothing_is_protected(text: str) -> None:
    assert pieces(text) == []


def test_an_open_fence_protects_to_the_end_and_an_open_brace_nothing() -> None:
    assert pieces("see ```\ncode {x}") == ["```\ncode {x}"]
    assert pieces("a { b {x} c") == ["{x}"]


def test_pieces_side_by_side_and_nested_are_one() -> None:
    assert pieces("{a}{b} c `{d}`") == ["{a}{b}", "`{d}`"]


def test_fields() -> None:
    assert fields("{x} {{ y }} $a ${b} %s %(c)s %%") == 2 + 4 + 1 + 2 + 1 + 1 + 1
    assert fields("$8, 5 % of 10%, 3 $ a") == 0


def test_an_edit_that_makes_a_new_field_is_made_anew() -> None:
    """`$8bn` misread as `$Bbn` would be a field of a template."""
    text = "Pay $8bn to {name}"
    for new in variants("ocr", text, 1.0):
        assert fields(new) == 2
    assert any("$Bbn" in new for new in variants("ocr", "Pay $8bn now", 1.0))
