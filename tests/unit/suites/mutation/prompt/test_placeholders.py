"""What is filled in later."""

from __future__ import annotations

import pytest

from gate.suites.mutation.prompt.placeholders import is_positional, is_unbalanced, placeholders, protected_spans


@pytest.mark.parametrize(
    "shown",
    [
        "{x}",
        "{x.y[0]!r:>10}",
        "{{ x }}",
        "{% if x %}",
        "{# note #}",
        "$x",
        "${x}",
        "%s",
        "%(name)s",
        "{}",
        "{0}",
        "{f('a')}",
    ],
)
def test_every_usual_placeholder_is_known(shown: str) -> None:
    text = f"Never say {shown} twice."
    assert dict(placeholders(text)) == {shown: 1}
    assert [span.of(text) for span in protected_spans(text)] == [shown]


@pytest.mark.parametrize("text", ["pay $50", "100% sure", "a { b", "50 % of it", "{not a field}"])
def test_what_looks_like_one_and_is_none(text: str) -> None:
    assert not placeholders(text)


@pytest.mark.parametrize("shown", ["`never`", "``a ` b``", "<b>", "https://example.org/a?b=1", "@someone"])
def test_code_tags_and_addresses_are_protected_but_no_placeholders(shown: str) -> None:
    text = f"Say {shown} now"
    assert [span.of(text) for span in protected_spans(text)] == [shown]
    assert not placeholders(text)


@pytest.mark.parametrize(
    ("text", "expected"), [("{} a", True), ("%s", True), ("{:>3}", True), ("{x}", False), ("{0}", False)]
)
def test_placeholders_by_place(text: str, expected: bool) -> None:
    assert is_positional(text) is expected


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("{% if a %}x{% endif %}", False),
        ("{% if a %}x", True),
        ("x{% endif %}", True),
        ("{% else %}", True),
        ("{% if a %}x{% else %}y{% endif %}", False),
        ("{% set a = 1 %}", False),
        ("{{ a }}", False),
    ],
)
def test_halves_of_statements(text: str, expected: bool) -> None:
    assert is_unbalanced(text) is expected
