"""Commands with places for the prompt."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gate.errors import UsageError
from gate.record.probes.agents.template import MOST_ARGUMENT, Filled, fill, read_template


def words(filled: Filled) -> list[str]:
    """Arguments with `<place>` for what the cell fills."""
    return ["".join(f"<{place}>" if place else text for place, text in word) for word in filled.words]


def test_a_command_is_split_as_a_shell_would_and_no_shell_is_started() -> None:
    filled = fill(read_template("agent --ask {prompt} '$(id)' \"a b\" ''"), "do; it")
    assert words(filled) == ["agent", "--ask", "do; it", "$(id)", "a b", ""]
    assert filled.stdin is None
    assert not filled.prompt_file


def test_without_a_place_the_prompt_goes_to_standard_input() -> None:
    filled = fill(read_template("agent --quiet"), "häuser")
    assert words(filled) == ["agent", "--quiet"]
    assert filled.stdin == "häuser".encode()


def test_a_file_for_the_prompt_leaves_standard_input_closed() -> None:
    filled = fill(read_template("agent --file={prompt_file} --in {workdir} -o {output_file}"), "x")
    assert words(filled) == ["agent", "--file=<prompt_file>", "--in", "<workdir>", "-o", "<output_file>"]
    assert filled.stdin is None
    assert filled.prompt_file


@pytest.mark.parametrize(("template", "room"), [("agent {prompt}", 0), ("agent --ask={prompt}", len("--ask="))])
def test_a_prompt_longer_than_an_argument_goes_to_standard_input(template: str, room: int) -> None:
    fits = "x" * (MOST_ARGUMENT - room)
    assert fill(read_template(template), fits).stdin is None
    longer = fill(read_template(template), fits + "x")
    assert words(longer) == ["agent"]
    assert longer.stdin == (fits + "x").encode()


def test_the_length_of_an_argument_is_counted_in_bytes() -> None:
    prompt = "ä" * (MOST_ARGUMENT // 2 + 1)
    assert fill(read_template("agent {prompt}"), prompt).stdin == prompt.encode()


def test_a_prompt_with_a_nul_is_no_argument() -> None:
    assert fill(read_template("agent {prompt}"), "a\0b").stdin == b"a\0b"


@given(st.text(st.characters(exclude_characters="\0", exclude_categories=("Cs",)), max_size=60))
def test_what_a_prompt_holds_is_never_taken_for_a_place(prompt: str) -> None:
    filled = fill(read_template("agent {prompt} {workdir}"), prompt + "{workdir}{prompt}")
    assert filled.words == ((("", "agent"),), (("", prompt + "{workdir}{prompt}"),), (("workdir", ""),))


def test_other_braces_are_left_alone() -> None:
    filled = fill(read_template("""agent '{"a": 1}' {name} {prompt}"""), "p")
    assert words(filled) == ["agent", '{"a": 1}', "{name}", "p"]


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ("", "empty"),
        ("   ", "empty"),
        ("agent 'x", "split"),
        ("agent {promt}", "prompt"),
        ("a {out_file}", "output"),
    ],
)
def test_a_command_that_can_not_be_is_refused_with_a_remedy(text: str, says: str) -> None:
    with pytest.raises(UsageError) as refused:
        read_template(text)
    assert says in str(refused.value)
    assert refused.value.remedy
