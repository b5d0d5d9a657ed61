"""Calls and mutants on the page."""

from __future__ import annotations

import re
from dataclasses import replace

import pytest

from gate.render.page_calls import calls
from gate.render.page_mutants import mutants
from gate.schema.report import Calls, Case
from gate.schema.verdict import Budget, Verdict
from tests.support.full_page import MEASURED, everything
from tests.support.mutant_cases import mutant
from tests.support.verdicts import HOSTILE_TEXTS


def test_the_dearest_test_comes_first() -> None:
    shown = calls(everything(), MEASURED.cases)
    assert '<th scope="row">whole run</th><td>1,140</td><td>143</td><td>182,000</td><td>1.90</td>' in shown
    assert re.findall(r"<code>(.*?)</code>", shown) == [
        "tests/test_tone.py::test_no_advice[early]",
        "tests/test_refund.py::test_escalates",
    ]
    assert "96 trials, about 1.20 USD" in shown


def test_without_calls_there_is_nothing_to_show() -> None:
    assert calls(Verdict(), [Case("a"), Case("b", calls=Calls())]) == ""
    assert "1 trial, about 0.50 USD" in calls(Verdict(budget=Budget(made=1, cost=0.5)))


def test_only_the_first_tests_are_listed() -> None:
    many = [Case(f"t{number:02}", calls=Calls(live=number)) for number in range(1, 31)]
    shown = calls(Verdict(), many)
    assert shown.count("<code>") == 20
    assert "<code>t30</code>" in shown
    assert "and 10 more tests with fewer" in shown


def test_each_prompt_has_its_matrix_under_its_own_name() -> None:
    other = mutant("m9", "survived")
    assert other.mutation is not None
    other = replace(other, id="mutant:shop#m9", mutation=replace(other.mutation, target="shop"))
    shown = mutants([*MEASURED.cases, other])
    assert re.findall("<caption>(.*?)</caption>", shown) == [
        "Rules of prompt 1",
        "Kill matrix of prompt 1",
        "Kill matrix of prompt 2",
    ]
    assert "<h3><code>bank:PROMPT</code></h3>\n<p>3 mutants: 1 killed, 1 survived, 1 unread.</p>" in shown
    assert '<td class="killed">killed</td>' in shown
    assert mutants([Case("a")]) == ""


@pytest.mark.parametrize("text", HOSTILE_TEXTS)
def test_hostile_names_become_no_markup(text: str) -> None:
    case = mutant("m1", rule_text=text, before=text, after=text, killer=text, tests=(text,))
    assert case.mutation is not None
    shown = mutants([replace(case, mutation=replace(case.mutation, target=text))]) + calls(
        Verdict(), [Case(text, calls=Calls(live=1))]
    )
    tags = re.sub(
        r"</?(?:h3|p|ol|li|code|table|caption|thead|tbody|tr|td|th|div|del|ins)(?: [a-z-]+=\"[\w ,:]*\")*>", "", shown
    )
    assert "<" not in tags
