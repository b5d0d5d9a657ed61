"""Commands in comments: what a person says, and what merely stands in a comment."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gate.deliver.commands import Command, Mistake, read_commands


@pytest.mark.parametrize(
    ("body", "command"),
    [
        ("/gate accept F3 the old answer was wrong", Command("accept", ("F3",), "the old answer was wrong")),
        ("/gate accept f3, F12 F3 both are meant", Command("accept", ("F3", "F12"), "both are meant")),
        ("/gate accept all we drop this model", Command("accept", ("all",), "we drop this model")),
        (
            "Looks right to me.\n\n/gate accept F1 正しい変更です\n\nThanks!",
            Command("accept", ("F1",), "正しい変更です"),
        ),
        ("/gate record", Command("record")),
        ("/gate refresh  ", Command("refresh")),
        ("/gate explain F2", Command("explain", ("F2",))),
        ("/GATE accept F1 x", None),
        ("/gate\taccept\tF1\treason", Command("accept", ("F1",), "reason")),
        (
            "/gate accept F1 because <b>bold</b> @everyone `x`",
            Command("accept", ("F1",), "because <b>bold</b> @everyone `x`"),
        ),
    ],
)
def test_a_line_of_ones_own_is_a_command(body: str, command: Command | None) -> None:
    assert read_commands(body) == (() if command is None else (command,))
    assert read_commands(body.replace("\n", "\r\n")) == (() if command is None else (command,))


@pytest.mark.parametrize(
    "body",
    [
        "> /gate accept F1 yes",
        "> quoted\n/gate accept F1 a lazy line of the quote",
        "```\n/gate accept F1 yes\n```",
        "~~~text\n/gate accept F1 yes\n~~~",
        "````\n```\n/gate accept F1 yes\n````",
        "```\n/gate accept F1 never closed",
        "    /gate accept F1 yes",
        "\t/gate accept F1 yes",
        "`/gate accept F1 yes`",
        "see /gate accept F1 yes",
        "- /gate accept F1 yes",
        "<!-- \n/gate accept F1 yes\n-->",
        "<!-- never closed\n/gate accept F1 yes",
        "<pre>\n/gate accept F1 yes\n</pre>",
        "<details>\n<summary>x</summary>\n/gate accept F1 yes\n</details>",
        "<blockquote>\n/gate accept F1 yes\n</blockquote>",
        "as `\n/gate accept F1 yes\n` says",
        "``two\n/gate accept F1 yes\nlines``",
        "- > quoted\n/gate accept F1 a lazy line of the quote",
        "1. > quoted\n   /gate accept F1 yes",
        "- ```\n  /gate accept F1 yes\n  ```",
        "10. ~~~\n    /gate accept F1 yes\n    ~~~",
        " /gate accept F1 not at the margin",
        "/gateway accept F1 yes",
        "/ gate accept F1 yes",
        "",
    ],
)
def test_what_is_quoted_or_code_is_none(body: str) -> None:
    assert read_commands(body) == ()


@pytest.mark.parametrize(
    ("body", "says"),
    [
        ("/gate", "a command is one of"),
        ("/gate approve F1", "no such command"),
        ("/gate accept", "say which"),
        ("/gate accept F0 zero", "say which"),
        ("/gate accept F1", "say why"),
        ("/gate accept F1 ...", "say why"),
        ("/gate accept all F1 reason", "say which"),
        ("/gate explain all", "say which"),
        ("/gate explain F1 please", "say which"),
        ("/gate record now", "takes nothing else"),
        ("/gate accept a:F1 b:F2 two suites", "name one suite"),
        ("/gate accept a:F1 F2 one of them named", "name one suite"),
    ],
)
def test_a_command_that_is_none_is_answered(body: str, says: str) -> None:
    (mistake,) = read_commands(body)
    assert isinstance(mistake, Mistake)
    assert says in mistake.message


@pytest.mark.parametrize(
    "before",
    ["Thanks!", "see `x` and ``y``", "- ```\n  code\n  ```", "- an item", "# A heading", "> quoted\n", "<!-- x -->"],
)
def test_words_before_it_are_no_obstacle(before: str) -> None:
    assert read_commands(f"{before}\n/gate accept F1 yes") == (Command("accept", ("F1",), "yes"),)


def test_a_suite_may_be_named() -> None:
    assert read_commands("/gate accept my-suite.1:F1, my-suite.1:f2 yes\n/gate explain b:F3") == (
        Command("accept", ("F1", "F2"), "yes", "my-suite.1"),
        Command("explain", ("F3",), suite="b"),
    )


def test_text_after_a_block_counts_again() -> None:
    body = "> quoted\n\n/gate explain F1\n```\ncode\n```\n/gate explain F2\n<pre>x</pre>\n/gate explain F3"
    assert [command.findings for command in read_commands(body) if isinstance(command, Command)] == [
        ("F1",),
        ("F2",),
        ("F3",),
    ]


def test_a_reason_is_cut_and_commands_are_counted() -> None:
    (command,) = read_commands("/gate accept F1 " + "x" * 2_000)
    assert isinstance(command, Command)
    assert len(command.reason) == 500
    assert len(read_commands("/gate record\n" * 500)) == 20


@given(st.text(alphabet=st.sampled_from("`~>/gate accept F1\n\t <!->pre*-")))
def test_nothing_ends_in_an_error(body: str) -> None:
    for command in read_commands(body):
        assert isinstance(command, Command | Mistake)
