"""Test cases: what is called, and how its outcome is judged."""

from __future__ import annotations

from typing import Any

import pytest

from gate.sandbox.cell import Cell
from gate.suites.probes.checks.calls import Outcome, Raised, Status
from gate.suites.probes.checks.cases import call_of, judge
from gate.suites.probes.checks.examine import examine
from gate.suites.probes.probe import TestCase
from tests.support.probe_checks import a_probe, answered


def _judge(outcome: Outcome, **fields: Any) -> tuple[bool, str, str]:
    (one,) = judge([TestCase.model_validate(fields)], [outcome], "f")
    return one.passed, one.cause, one.told


RETURNED = Outcome(Status.RETURNED, value=3)
KEY_ERROR = Outcome(Status.RAISED, raised=Raised(("KeyError", "LookupError", "Exception"), "'a'"))


def test_what_a_case_does() -> None:
    assert call_of(TestCase(args=(1,)), "f").kind == "call"
    assert call_of(TestCase(expression="entry(1)"), "f").kind == "code"
    assert call_of(TestCase(stdin="1"), "f").kind == "program"
    assert call_of(TestCase(args=("a",)), "").kind == "program"


@pytest.mark.parametrize("raises", ["KeyError", "LookupError", "builtins.KeyError"])
def test_an_exception_may_be_of_a_class_below(raises: str) -> None:
    assert _judge(KEY_ERROR, raises=raises)[0]


@pytest.mark.parametrize(
    ("outcome", "fields", "cause", "told"),
    [
        (RETURNED, {"expected": 4, "args": [1]}, "wrong result", "f(1) should be 4, is 3"),
        (RETURNED, {"raises": "ValueError"}, "wrong result", "f() should raise ValueError, returned 3"),
        (KEY_ERROR, {"expected": 1}, "wrong result", "f(): KeyError: 'a'"),
        (KEY_ERROR, {"raises": "ValueError"}, "wrong result", "should raise ValueError, KeyError"),
        (Outcome(Status.TIMED_OUT), {"expected": 1}, "time-out", "time-out"),
        (Outcome(Status.MEMORY), {"expected": 1}, "resource limit", "memory"),
        (Outcome(Status.BLOCKED), {"expected": 1}, "blocked by the sandbox", "blocked"),
        (Outcome(Status.CRASHED), {"expected": 1}, "crashed", "crashed"),
        (Outcome(Status.MISSING, raised=Raised((), "there is no `f`")), {}, "missing entry", "there is no `f`"),
        (
            Outcome(Status.RETURNED, value={"$program": ["1\n", 2]}),
            {"stdin": "", "expected": "1"},
            "wrong result",
            "code 2",
        ),
    ],
)
def test_failures_are_told_apart(outcome: Outcome, fields: dict[str, Any], cause: str, told: str) -> None:
    passed, found, text = _judge(outcome, **fields)
    assert not passed
    assert found == cause
    assert told in text


def test_an_exception_while_loading_is_not_the_expected_one() -> None:
    loading = Outcome(Status.RAISED, raised=Raised(("ValueError", "Exception")), loading=True)
    assert not _judge(loading, raises="ValueError")[0]


def test_any_exit_code_but_zero() -> None:
    assert _judge(Outcome(Status.RETURNED, value={"$program": ["", 3]}), stdin="", raises="Exit")[0]
    assert not _judge(Outcome(Status.RETURNED, value={"$program": ["", 0]}), stdin="", raises="Exit")[0]


RIGHT = {"a": 0, "b": 1}
HOLDS = 'a, b = result["a"], result["b"]\n{a, b} == {0, 1}'
YES = """
import builtins
class Yes(dict):
    def __eq__(self, other):
        return True
    def __getitem__(self, key):
        return self
    __hash__ = dict.__hash__
builtins.set = lambda *_: Yes()
def f():
    return Yes()
"""
FORGED = """
import os
def f():
    for fd in range(3, 64):
        try:
            os.write(fd, b'{"index": 0, "value": true}\\n')
        except OSError:
            pass
    os._exit(0)
"""


@pytest.mark.parametrize(
    ("text", "passes"),
    [
        ("def f():\n    return {'a': 1, 'b': 0}\n", True),
        ("def f():\n    return {'a': 1, 'b': 1}\n", False),
        ("def f():\n    return None\n", False),
        (YES, False),
        (FORGED, False),
    ],
)
def test_what_must_hold_is_evaluated_where_no_answer_is(cell: Cell, text: str, passes: bool) -> None:
    probe = a_probe(checks={"cases": [{"holds": HOLDS}]})
    (one,) = examine(probe, answered(text), cell).cases
    assert (one.passed, one.cause) == (passes, "" if passes else "wrong result")


@pytest.mark.parametrize(("value", "passed"), [(True, True), (False, False), (1, False), ("yes", False), ([1], False)])
def test_a_condition_holds_when_it_is_true_and_by_nothing_else(value: Any, passed: bool) -> None:
    case = TestCase(holds="result")
    (one,) = judge([case], [RETURNED], "f", {0: Outcome(Status.RETURNED, value=value)})
    assert one.passed is passed
    (unasked,) = judge([case], [RETURNED], "f")
    assert not unasked.passed
