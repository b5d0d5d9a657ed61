"""The page of mutants: what it shows, and that nothing of a suite becomes markup."""

from __future__ import annotations

import re
from dataclasses import replace

import pytest
from hypothesis import given, settings

from gate.render import ShownPrompt, mutation_page
from gate.schema.mutation import Mutation, case_id, summary_id
from gate.schema.report import Case, Kind
from tests.support.mutant_cases import RULES, TARGET, mutant, summary
from tests.support.verdict_strategy import foreign
from tests.support.verdicts import HOSTILE_TEXTS

PROMPT = f"You are a teller.\r\n\r\n- {RULES['r1']}\n- {RULES['r2']}\n"
PLACE = PROMPT.index(RULES["r1"]), PROMPT.index(RULES["r2"])
SPANS = tuple((rule, place, place + len(RULES[rule])) for rule, place in zip(("r1", "r2"), PLACE, strict=True))
SURVIVOR = mutant("m2", "survived", rule="r1")
CASES = [
    mutant("m1", outcomes="11", rule="r2", rule_text=RULES["r2"], before="Always", after="", operator="weaken-modal"),
    SURVIVOR,
    mutant("m3", "unread", reason="captured at import"),
    summary(0.5, states=(("r1", "unguarded"), ("r2", "guarded"))),
]
SHOWN = ShownPrompt(TARGET, PROMPT, SPANS, {SURVIVOR.id: PROMPT.replace("$50", "$500")})
ABOUT = {"seed": "0", "prompt": "9f8e", "version": "0.1.0"}


def page() -> str:
    return mutation_page(CASES, [SHOWN], about=ABOUT)


def test_every_rule_of_the_prompt_is_coloured_by_its_state() -> None:
    text = page()
    assert f'<span class="unguarded" title="unguarded">{RULES["r1"]}</span>' in text
    assert f'<span class="guarded" title="guarded">{RULES["r2"]}</span>' in text
    assert "You are a teller.\n\n- <span" in text


def test_the_matrix_says_who_killed_what() -> None:
    row = re.search(r"<tr><td><code>m1</code>.*?</tr>", page())
    assert row is not None
    assert row[0].endswith('<td>killed</td><td class="killed">killed</td><td class="survived">passed</td></tr>')
    assert "unread: captured at import" in page()


def test_a_mutant_without_an_answer_says_whether_it_counts_as_on_main() -> None:
    known, new = (mutant(name, "undecided") for name in ("m4", "m5"))
    assert new.mutation is not None and known.mutation is not None
    new = replace(new, mutation=replace(new.mutation, killer=""))
    known = replace(known, mutation=replace(known.mutation, killer="test_a.py::test_a"))
    text = mutation_page([known, new])
    assert text.count("<td>undecided, counts as on main</td>") == 1
    assert text.count("<td>undecided</td>") == 1


def test_a_survivor_is_shown_in_its_place() -> None:
    assert "refunds over $50<ins>0</ins>." in page()
    without = mutation_page(CASES)
    assert "<del>$50</del> → <ins>$500</ins>" in without
    assert f'<span class="unguarded">{RULES["r1"]}</span>' in without


def test_parameters_are_told_and_nothing_is_loaded() -> None:
    assert "<td>prompt</td><td>9f8e</td>" in page()
    assert "script" not in page().replace("default-src", "")
    assert page() == page()


def test_without_mutants_it_says_so() -> None:
    assert "No mutant was measured." in mutation_page([])


@pytest.mark.parametrize(
    "spans", [(("r1", 5, 3),), (("r1", 0, 10**9),), (("r1", 0, 9), ("r2", 4, 12)), (("r1", -3, 2),)]
)
def test_spans_that_fit_no_text_colour_nothing_twice(spans: tuple[tuple[str, int, int], ...]) -> None:
    text = mutation_page(CASES, [replace(SHOWN, spans=spans)])
    assert text.count('title="') <= 1


def hostile(text: str) -> str:
    found = Mutation(text or "t", text or "m", text, text, text, text, text, text, "survived", text, (text,), text)
    name = case_id(found.target, found.mutant)
    top = replace(summary(), id=summary_id(found.target))
    shown = ShownPrompt(found.target, text, (("r1", 0, len(text)),), {name: text + text})
    return mutation_page([Case(name, Kind.MUTANT, mutation=found), top], [shown], about={text: text})


TAGS = re.compile(r"<[^>]*>?")
KNOWN = re.compile(
    r"</?(?:!doctype html|html|html lang=\"en\"|head|meta [^<>]*|title|style|body|main|h[1-4]|p|pre|del|ins|code|ol|li|"
    r"table|caption|thead|tbody|tr|td|td class=\"\w+\"|th scope=\"col\"|th|details|summary|"
    r"div class=\"wide\" [^<>]*|div|"
    r"span class=\"\w+\"|span class=\"\w+\" title=\"[a-z ]+\"|span)>"
)


@pytest.mark.parametrize("text", HOSTILE_TEXTS)
def test_hostile_text_becomes_no_markup(text: str) -> None:
    shown = hostile(text)
    assert not [tag for tag in TAGS.findall(shown) if not KNOWN.fullmatch(tag)]
    assert "##[" not in shown
    assert not re.search(r"^\s*::", shown, re.MULTILINE)


@settings(max_examples=30, deadline=None)
@given(foreign)
def test_no_text_becomes_markup(text: str) -> None:
    assert not [tag for tag in TAGS.findall(hostile(text)) if not KNOWN.fullmatch(tag)]
