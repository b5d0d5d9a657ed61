"""Findings explained in a reply: each whole, what a rule means once, and no more than fit."""

from __future__ import annotations

from dataclasses import replace

from gate.render.explain import explain
from tests.support.verdicts import worse


def documentation(rule: str) -> str:
    return f"*all about {rule}*"


def test_a_rule_that_several_findings_share_is_documented_once() -> None:
    verdict = worse()
    first = verdict.findings[0]
    twin = replace(first, id="F98", case_id="t.py::twin")
    text = explain(replace(verdict, findings=(first, twin)), [first.id, "F98"], documentation)
    assert text.count("```text") == 2
    assert text.count(documentation(first.rule.value)) == 1
    assert text.index(documentation(first.rule.value)) < text.index("F98"), "behind the first that it is about"


def test_the_first_three_are_told() -> None:
    verdict = worse()
    first = verdict.findings[0]
    many = tuple(replace(first, id=f"F{n}") for n in range(1, 6))
    text = explain(replace(verdict, findings=many), [each.id for each in many], documentation)
    assert text.count("```text") == 3
    assert text.endswith("2 more: ask in another comment.")
