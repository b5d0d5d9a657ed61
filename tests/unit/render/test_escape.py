"""One foreign text at a time, for each place where it can land."""

from __future__ import annotations

import pytest

from gate.render import escape


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("tests/test_x.py::test_a[de]", "`tests/test_x.py::test_a[de]`"),
        ("a|b", "<code>a&#124;b</code>"),
        ("a`b", "<code>a&#96;b</code>"),
        ("C:\\x", "<code>C:&#92;x</code>"),
        ("<b>", "<code>&#60;b&#62;</code>"),
        ("$x$", "<code>&#36;x&#36;</code>"),
        ("@octocat", "`@octocat`"),
        ("<a@b.c>", "<code>&#60;a@<!-- -->b.c&#62;</code>"),
        ("|https://x.y", "<code>&#124;https:<!-- -->//x.y</code>"),
        ("|www.x.y", "<code>&#124;w<!-- -->ww.x.y</code>"),
        ("", "<code>(empty)</code>"),
        ("  ", "<code>&#32;&#32;</code>"),
        ("a\nb", "`a↵b`"),
    ],
)
def test_code(text: str, shown: str) -> None:
    assert escape.code(text) == shown


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("plain words, 3.14 and -0.5", "plain words, 3.14 and -0.5"),
        ("-0.5", "-0.5"),
        ("- item", "&#45; item"),
        ("1. item", "&#49;. item"),
        ("0.942", "0.942"),
        ("# heading", "`#` heading"),
        ("> quote", "&#62; quote"),
        ("=== x", "&#61;== x"),
        ("ask @octocat, now", "ask `@octocat`, now"),
        ("(see #12)", "(see `#12`)"),
        ("at b71d0aa", "at `b71d0aa`"),
        ("`quoted | name`", "<code>quoted &#124; name</code>"),
        ("`a``b`", "`a` `b`"),
        ("**b** _e_ ~~s~~", "&#42;&#42;b&#42;&#42; &#95;e&#95; &#126;&#126;s&#126;&#126;"),
        ("costs $5", "costs <code>&#36;5</code>"),
        ("in tests/test_a.py::test_b", "in `tests/test_a.py::test_b`"),
        ("::error::x", "`::error::x`"),
    ],
)
def test_markdown(text: str, shown: str) -> None:
    assert escape.markdown(text) == shown


def test_an_empty_cell_is_a_dash() -> None:
    assert escape.cell("") == escape.cell(" \x1b[0m ") == "–"


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("\x1b[31mred\x1b[0m", "red"),
        ("\x1b]8;;http://x.y\x07link\x1b]8;;\x07", "link"),
        ("\x1b]0;title\x1b\\x", "x"),
        ("\x9b31mred", "red"),
        ("lone \x1b", "lone ␛"),
        ("\x1b]never ended", "␛]never ended"),
        ("a\x00b\x7f\x85", "a␀b␡\ufffd"),
        ("\ud800", "\ufffd"),
        ("\u202ea\u2066\u200b", "⟨U+202E⟩a⟨U+2066⟩⟨U+200B⟩"),
        ("a\r\nb\tc", "a↵b c"),
        ("❤️ 日本", "❤️ 日本"),
    ],
)
def test_line(text: str, shown: str) -> None:
    assert escape.line(text) == shown


def test_terminal_starts_no_command() -> None:
    assert escape.terminal("::error::x") == "∷error::x"
    assert escape.terminal("  ::error::x") == "  ∷error::x"
    assert escape.terminal("x ##[error]y") == "x ##［error]y"
    assert escape.terminal("a.py::test") == "a.py::test"


def test_workflow_commands() -> None:
    assert escape.workflow_data("50 %\r\nnext\x1b[0m") == "50 %25%0Anext"
    assert escape.workflow_property("a:b,c%\n") == "a%3Ab%2Cc%25↵"


def test_fence_is_longer_than_any_inside() -> None:
    assert escape.fenced("a\n````\nb") == "`````\na\n````\nb\n`````"
    assert escape.fenced("::error::x") == "```\n∷error::x\n```"


def test_long_names_are_cut_in_the_middle() -> None:
    name = "tests/test_a.py::" + "x" * 12_000 + "[last]"
    shown = escape.code(name)
    assert len(shown) == escape.CODE_LIMIT + 2
    assert shown.startswith("`tests/test_a.py::")
    assert shown.endswith("[last]`")
    assert escape.shorten("abcdefgh", 5) == "ab…gh"


def test_html() -> None:
    assert escape.html("<a href=\"x\" & 'y'>") == "&lt;a href=&quot;x&quot; &amp; &#39;y&#39;&gt;"
    assert escape.no_command_in_html("<pre>\n::error::x\n##[x]") == "<pre>\n&#58;:error::x\n##&#91;x]"
