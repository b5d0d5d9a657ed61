"""Tests written for pytest run apart from the code under test, which can't reach them."""

from __future__ import annotations

from gate.sandbox.cell import Cell
from gate.suites.probes.checks.cases import CaseResult
from gate.suites.probes.checks.pytest_check import run_tests
from gate.suites.probes.extract import Code
from tests.support.probe_checks import a_probe

TESTS = """
import pytest
from solution import LIMIT, Empty, Stack, add, apply, gen, sort_in_place

@pytest.fixture
def five():
    return 5

@pytest.mark.parametrize("a, b, c", [(1, 2, 3), ("a", "b", "ab")])
def test_add(a, b, c):
    assert add(a, b) == c

def test_naive_stack():
    stack = Stack()
    stack.push((1, [2]))
    assert len(stack) == 1 and stack.pop() == (1, [2]) and isinstance(stack, Stack)
    with pytest.raises(Empty, match="empty"):
        stack.pop()

def test_generators_callbacks_and_lists(five, tmp_path):
    assert list(gen(3)) == [0, 1, 2] and apply(lambda x: x + five, [1]) == [6] and LIMIT == 10
    numbers = [3, 1]
    sort_in_place(numbers)
    assert numbers == [1, 3] and tmp_path.is_dir()

def test_wrong():
    assert add(1, 1) == 3

def test_hangs():
    assert add("hang", 1) == 3

def test_dies():
    assert add("die", 1) == 3

def test_after():
    assert add(0.1, 0.2) == pytest.approx(0.3)

def test_equal_to_all():
    assert add("forge", 1) == 3

@pytest.mark.parametrize("x", [1])
class TestMore:
    def test_method(self):
        assert add(2, 2) == 4
"""
CODE = """
class Empty(LookupError):
    pass
LIMIT = 10
class Yes:
    def __eq__(self, other):
        return True
class Stack:
    def __init__(self):
        self.held = []
    def push(self, one):
        self.held.append(one)
    def pop(self):
        if not self.held:
            raise Empty("it is empty")
        return self.held.pop()
    def __len__(self):
        return len(self.held)
def add(a, b):
    if a == "hang":
        import time
        time.sleep(600)
    if a == "die":
        import os
        os.kill(os.getpid(), 11)
    return Yes() if a == "forge" else a + b
def gen(n):
    yield from range(n)
def apply(f, xs):
    return [f(x) for x in xs]
def sort_in_place(xs):
    xs.sort()
"""


def _run(cell: Cell, tests: str, code: str) -> dict[str, CaseResult]:
    probe = a_probe(checks={"pytest": tests}, limits={"wall": 5, "cpu": 2})
    return {one.name: one for one in run_tests(probe, Code(code, "python", "solution.py"), cell)}


def test_each_test_has_a_result_of_its_own(cell: Cell) -> None:
    found = _run(cell, TESTS, CODE)
    assert {name for name, one in found.items() if one.passed} == {
        "test_add[0]",
        "test_add[1]",
        "test_naive_stack",
        "test_generators_callbacks_and_lists",
        "test_after",
        "TestMore.test_method",
    }
    assert {name: one.cause for name, one in found.items() if not one.passed} == {
        "test_wrong": "wrong result",
        "test_hangs": "time-out",
        "test_dies": "crashed",
        "test_equal_to_all": "wrong result",
    }
    assert found["test_wrong"].told.startswith("assert add(1, 1) == 3")
    assert found["test_naive_stack"].kind == "naive"


ATTACK = """
import os, signal
def _try_all():
    seen = []
    for folder, _, names in os.walk("."):
        for name in names:
            try:
                seen.append(open(os.path.join(folder, name), errors="replace").read())
            except OSError:
                pass
    for process in [os.getppid(), *range(1, 12)]:
        for what in ("mem", "environ", "cmdline"):
            try:
                seen.append(open(f"/proc/{process}/{what}", errors="replace").read(100_000))
            except (OSError, ValueError):
                pass
    for descriptor in range(3, 64):
        try:
            os.write(descriptor, b'{"test": 0, "name": "test_it", "passed": true}\\n{"finished": true}\\n')
        except OSError:
            pass
    return any("4711" in text for text in seen)
_KNOWN = _try_all()
def f():
    return 4711 if _KNOWN or _try_all() else 0
"""


def test_the_code_under_test_reaches_neither_the_tests_nor_the_verdict(cell: Cell) -> None:
    found = _run(cell, "from solution import f\ndef test_it():\n    assert f() == 4711\n", ATTACK)
    assert found
    assert not any(one.passed for one in found.values())


def test_what_can_not_be_loaded_is_told(cell: Cell) -> None:
    tests = "from solution import f\ndef test_it():\n    assert f()\n"
    assert [one.cause for one in _run(cell, tests, "def f(:").values()] == ["syntax error"]
    assert [one.cause for one in _run(cell, tests, "import os\nos._exit(0)").values()] == ["crashed"]
    (missing,) = _run(cell, tests, "def g(): pass").values()
    assert not missing.passed
    (none,) = _run(cell, "x = 1", "x = 1").values()
    assert none.cause == "harness error"


def test_exceptions_that_need_more_than_a_message_are_raised_as_well(cell: Cell) -> None:
    tests = (
        "import pytest, solution\ndef test_a():\n    with pytest.raises(UnicodeDecodeError):\n        solution.f()\n"
    )
    probe = a_probe(checks={"pytest": tests})
    code = Code("def f():\n    return b'\\xff'.decode('utf-8', 'strict')\n", "python", "solution.py")
    assert [(one.name, one.passed) for one in run_tests(probe, code, cell)] == [("test_a", True)]
