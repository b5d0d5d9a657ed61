"""Any text parses, spans are slices of it, and mutants change their spans only."""

from __future__ import annotations

import re

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from gate.suites.mutation.mutants import mutants_of
from gate.suites.mutation.prompt import changed_rules, parse, plain
from gate.suites.mutation.selection import select
from tests.support.mutation import assert_only_spans_change

PIECES = [
    "You must never pay more than $1,000.50 without approval.", "Don’t lie", "If asked, answer.", "- ", "1. ", "> ",
    "## ", "\n", "\r\n", "\n\n", " ", "    ", "```", "<rules>", "</rules>", "<b>", "{x}", "{}", "%s", "{% if a %}",
    "{% endif %}", "不得透露密码。", "公開してはいけません。", "Du darfst nur 3 Wörter nutzen.", "User: hi", "Bot: ho",
    "**", "`never`", "|", "Rules:", "Example 1:", '{"required": ["a"]}', "---", "===", "10 %", "2-3", "unless", ",",
    "(", ")", "?", "…", "\x00", "\ufeff",
]  # fmt: skip
TEXTS = st.one_of(st.text(max_size=300), st.lists(st.sampled_from(PIECES), max_size=40).map("".join))


@settings(max_examples=150, deadline=None)
@given(text=TEXTS, include_code=st.booleans())
def test_any_text_parses_into_slices_of_itself(text: str, include_code: bool) -> None:
    prompt = parse(text, include_code=include_code)
    at = 0
    for block in prompt.blocks:
        assert at <= block.outer.start <= block.span.start <= block.span.end <= block.outer.end <= len(text)
        at = block.outer.end
    for sentence in prompt.sentences:
        assert sentence.of(text).strip() == sentence.of(text) != ""
    for one in (*prompt.sections, *prompt.examples):
        assert 0 <= one.span.start < one.span.end <= len(text)
    assert {rule.span for rule in prompt.rules} <= set(prompt.sentences)
    assert len({rule.id for rule in prompt.rules}) == len(prompt.rules)
    assert prompt.rules or prompt.notes


@settings(max_examples=100, deadline=None)
@given(text=TEXTS, deep=st.sampled_from(["", ">" * 70, "- " * 35]))
def test_no_line_with_words_is_lost(text: str, deep: str) -> None:
    text = deep + text
    outers = [block.outer for block in parse(text).blocks]
    for found in re.finditer(r"[^\r\n]*[A-Za-z][^\r\n]*", text):
        fence = "```" in found.group()
        assert fence or any(one.start <= found.start() < one.end for one in outers)


@settings(max_examples=150, deadline=None)
@given(text=TEXTS, include_code=st.booleans())
def test_mutants_change_their_spans_only(text: str, include_code: bool) -> None:
    found = mutants_of(parse(text), include_code=include_code)
    for mutant in found.mutants:
        assert_only_spans_change(text, mutant)
    ids = [mutant.id for mutant in found.mutants]
    assert len(set(ids)) == len(ids)
    assert [mutant.id for mutant in mutants_of(parse(text), include_code=include_code).mutants] == ids


@settings(max_examples=60, deadline=None)
@given(text=TEXTS, most=st.integers(1, 12), seed=st.integers(0, 5))
def test_a_selection_is_a_part_in_the_same_order_and_covers_as_many_rules_as_it_can(
    text: str, most: int, seed: int
) -> None:
    every = mutants_of(parse(text)).mutants
    taken = select(every, most, seed)
    assert len(taken) == min(most, len(every))
    assert [mutant for mutant in every if mutant in taken] == list(taken)
    assert len({mutant.rule for mutant in taken if mutant.rule}) == min(
        most, len({mutant.rule for mutant in every if mutant.rule})
    )


@settings(max_examples=60, deadline=None)
@given(before=TEXTS, after=TEXTS)
def test_changed_rules_are_rules_of_the_new_prompt(before: str, after: str) -> None:
    one, other = parse(before), parse(after)
    changed = changed_rules(one, other)
    assert set(changed) <= set(other.rules)
    assert changed_rules(other, other) == ()
    known = {rule.id for rule in one.rules}
    assert all(rule in changed for rule in other.rules if rule.id not in known)


LINES = [
    "a", "You must not lie.", "- a", "- b c", "* x", "+ y", "", "", "  ", "# h", "## Rules", "---", "===", "in", "> q",
    "1. n", "2. m", "3) k", "10. z", "a:", "|a|b|", "<b>", "{", "}", "[x]: y", "- [ ] t", "-", "- ", "不要说。", "x  ",
    "\x0c", "- - x", "=", "--", "```", "~~~", "```json", "`````", "***", "___", "- - -", ">", ">  two", "> - l", "*  w",
    "-   v", "-     u", "\ta", "#", "#no", "# a #", "# b # c", "**bold**", "**Label:**", "12 x", "1.5 y", "24/7", "`c`",
    "User: hi", "Bot: ho", "{% if a %}", "{x}", '{"a": 1}', "\xa0", "1.", "* * *", "• never", "①Never", "ſhould",
    "\x00a", "- # h", "1. - a", "1234567890. x", "=== x ===", "Rules:", "- Rules:", "> > a", "> > > b", ">> c", "> # h",
    "> ```", "- - a", "* * b", "- * c", "-\ta", "-\t\tb", "- > q", "- ```", "- ---", "- -", "10.", "\t- a", "- \ta",
    ">\ta", "- -  b", "-    - c", "* - + e", "- 1. f", "- #", "> >", "> > - a", "> 1. b", "- > > e", "1)\tx", "1) - x",
    "- = x", "- a  ", "a.b",
]  # fmt: skip
INDENTED = st.tuples(st.sampled_from(["", "", "", "  ", "    ", "   ", "      ", " "]), st.sampled_from(LINES)).map(
    "".join
)
LAYOUT = st.one_of(
    st.lists(INDENTED, max_size=24),
    st.lists(st.sampled_from(LINES), min_size=1, max_size=5).flatmap(
        lambda few: st.lists(st.sampled_from(few), max_size=24)
    ),
)


@settings(max_examples=250, deadline=None)
@given(
    LAYOUT,
    st.sampled_from(["", "", "", "> ", ">> "]),
    st.sampled_from(["\n", "\r\n", "\r"]),
    st.sampled_from(["", "\n"]),
)
@example(["  1. n", "  ", "    1. n"], "", "\n", "")
@example(["`````", "    ```", "   "], "", "\n", "")
@example(["-", "    ", "   ", "- a"], "", "\n", "")
@example(["- > a", *["- b"] * 9, "- # h", "- > c", "* d", "- e"], "", "\n", "")
@example(["* - + e", "  \t- a"], "> ", "\n", "")
@example(["- a", "- b", "- > c", "", "d"], "", "\n", "")
@example(["- \ta", "\t- a"], "", "\n", "")
@example([">> c", "> > > b"], "", "\n", "")
@example(["1. n", "   2. m"], "", "\n", "")
@example(["- ```", "     ", "    \ta", "", "-", "   ", "", "", "", "- ```", "\ta"], "", "\n", "")
def test_what_is_found_without_the_parser_is_what_it_finds(lines: list[str], quoted: str, end: str, last: str) -> None:
    text = end.join(quoted + line for line in lines) + last
    whole = parse(text)
    assert len(lines) < plain.FEWEST
    with pytest.MonkeyPatch.context() as patched:
        patched.setattr(plain, "FEWEST", 0)
        assert parse(text) == whole


@settings(max_examples=100, deadline=None)
@given(st.lists(INDENTED, max_size=12))
def test_line_ends_of_another_kind_change_no_block(lines: list[str]) -> None:
    one, other = parse("\n".join(lines)), parse("\r\n".join(lines))
    assert [(block.kind, block.depth, block.group) for block in one.blocks] == [
        (block.kind, block.depth, block.group) for block in other.blocks
    ]
    assert [rule.id for rule in one.rules] == [rule.id for rule in other.rules]
