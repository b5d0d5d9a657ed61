"""A plan as text and back, and every plan that is refused."""

from __future__ import annotations

import json
from typing import Any

import pytest

from gate.errors import UsageError
from gate.trials.carry import Carried, Inputs
from gate.trials.plan import Ask, Known, Plan, plan_from_text, plan_to_text

ASK = Ask(n0=50, s0=48, cap=60, share=0.004, delta=0.3, power=0.9)
FULL = Ask(n0=0, s0=0, cap=1, share=0.5, delta=0.01, power=0.99, min_rate=1.0, floor_share=0.1, patient=True)
LISTS = Inputs(("a.py", "b.py"), ("x.md",), True)


@pytest.mark.parametrize(
    "plan",
    [
        Plan(),
        Plan(session="abc", fixed=7),
        Plan(estimate=3, asks={"b": ASK, "a::ü[x]": FULL}),
        Plan(only=("a", "b")),
        Plan(fixed=3, only=("mutant:t#m",), known={"mutant:t#m": Known("killed", "t.py::a", "f", "p")}),
        Plan(asks={"b": ASK}, known={"b": Known("survived"), "c": Known("unread")}),
        Plan(
            carried={
                "a": (Carried("f1", "101", "holds", LISTS, "no"), Carried("f2", "", "more", Inputs())),
                "b": (Carried("f3", "1", "undecided", LISTS),),
            }
        ),
    ],
)
def test_a_plan_survives(plan: Plan) -> None:
    text = plan_to_text(plan)
    assert plan_from_text(text, "plan.json") == plan
    assert text.isascii()
    assert text == json.dumps(json.loads(text), sort_keys=True, separators=(",", ":")) + "\n"


def test_lists_that_several_cases_share_stand_once() -> None:
    entry = Carried("f", "1", "holds", LISTS)
    text = plan_to_text(Plan(carried={"a": (entry,), "b": (entry,)}))
    assert text.count("b.py") == 1


@pytest.mark.parametrize(
    ("values", "said"),
    [
        ({"s0": 51}, "s0 lies between 0 and n0"),
        ({"s0": -1}, "s0 lies between 0 and n0"),
        ({"cap": 0}, "cap is at least 1"),
        ({"share": 0}, "share lies strictly between 0 and 1"),
        ({"delta": 1}, "delta lies strictly between 0 and 1"),
        ({"power": 1.5}, "power lies strictly between 0 and 1"),
        ({"min_rate": 0}, "min_rate lies above 0 and is at most 1"),
        ({"floor_share": 2}, "floor_share lies strictly between 0 and 1"),
        ({"n0": 50.0}, "n0 is no whole number"),
        ({"n0": True, "s0": 0}, "n0 is no whole number"),
        ({"share": "x"}, "the question about a has other parts than a question has"),
        ({"more": 1}, "the question about a has other parts than a question has"),
    ],
)
def test_questions_that_make_no_sense(values: dict[str, Any], said: str) -> None:
    ask = {"n0": 50, "s0": 48, "cap": 60, "share": 0.004, "delta": 0.3, "power": 0.9} | values
    with pytest.raises(UsageError, match=said):
        plan_from_text(json.dumps({"gate_plan": 1, "asks": {"a": ask}}), "plan.json")


CARRIED = {"fingerprint": "f", "outcomes": "1", "answer": "more", "uses": "k"}


@pytest.mark.parametrize(
    ("more", "said"),
    [
        ({"fixed": 1.0}, "fixed is no whole number"),
        ({"fixed": 3, "asks": {"a": json.loads(plan_to_text(Plan(asks={"a": ASK})))["asks"]["a"]}}, "asks nothing"),
        ({"estimate": 0}, "estimate is at least 1"),
        ({"session": 3}, "session is no text"),
        ({"asks": []}, "damaged"),
        ({"asks": {"a": []}}, r"damaged|other parts"),
        ({"carried": {"a": [CARRIED]}}, "the name of lists that stand before it"),
        ({"carried": {"a": [CARRIED | {"outcomes": "2"}]}, "inputs": {"k": {"modules": []}}}, "a string of 0 and 1"),
        ({"carried": {"a": [3]}}, "expected an object"),
        ({"inputs": {"k": {"modules": [1]}}}, "a list of texts"),
        ({"inputs": {"k": {"children": 1}}}, "true or false"),
    ],
)
def test_plans_that_are_damaged(more: dict[str, Any], said: str) -> None:
    with pytest.raises(UsageError, match=said) as caught:
        plan_from_text(json.dumps({"gate_plan": 1, **more}), "plan.json")
    assert caught.value.where.startswith("plan.json")
    assert caught.value.remedy


@pytest.mark.parametrize(
    "text", ["", "[", "nul", "[" * 100_000, "3", "{}", '{"gate_plan": true}', '{"gate_plan": "1"}']
)
def test_what_is_no_plan(text: str) -> None:
    with pytest.raises(UsageError, match=r"no JSON|no plan"):
        plan_from_text(text, "plan.json")
