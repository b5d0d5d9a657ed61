"""Code under test that writes lines of its own, or ends the job: never a fault of the harness, never harm outside."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

from gate.sandbox.cell import Cell
from gate.suites.probes.checks import oracle
from gate.suites.probes.checks.calls import Call, Outcome, Status
from gate.suites.probes.checks.oracles.attack import Judged
from gate.suites.probes.checks.pytest_check import run_tests
from gate.suites.probes.checks.run import Setting, outcome_of, records, run_calls
from gate.suites.probes.checks.values import same, shown
from gate.suites.probes.extract import Code
from gate.suites.probes.graded import Standing
from gate.suites.probes.grading import grade
from gate.suites.probes.languages import toolchain
from gate.suites.probes.probe import LimitsPart
from tests.support.probe_checks import a_probe, answered

LIMITS = {"wall": 20, "cpu": 1}
TESTS = "import solution\ndef test_a():\n    assert solution.f(1) == 2\n"


def _status(cell: Cell, text: str, language: str = "python", suffix: str = "py") -> Status:
    setting = Setting(entry="f", limits=LimitsPart.model_validate(LIMITS))
    (one,) = run_calls(Code(text, language, f"solution.{suffix}"), [Call(args=(1,))], cell, setting).outcomes
    return one.status


@pytest.mark.parametrize("said", ["cell: no such program", "gate_runner.py: failed", ""])
def test_code_that_ends_the_job_while_loading_crashed(cell: Cell, said: str) -> None:
    assert _status(cell, f"import os\nos.write(2, {said.encode()!r})\nos._exit(3)") is Status.CRASHED


@pytest.mark.skipif(not toolchain().gcc, reason="this machine has no gcc")
def test_a_program_that_the_compiler_can_not_hold_is_a_fault_of_the_code(cell: Cell) -> None:
    macros = "#define A(x) x x x x x x x x x x\n#define B(x) A(A(A(A(A(A(A(A(x))))))))\n"
    assert _status(cell, f"{macros}int f(int x) {{ B(x += 1;) return x; }}", "c", "c") in (
        Status.MEMORY,
        Status.TIMED_OUT,
    )


@pytest.mark.parametrize("what", ["os.kill(os.getppid(), 9)", "os.kill(os.getppid(), 15)"])
def test_code_that_tries_to_end_the_process_of_the_tests_fails_them(cell: Cell, what: str) -> None:
    """Where the kernel scopes signals it gets an error; else it ends the tests, which fails them as well."""
    probe = a_probe(checks={"pytest": TESTS}, limits=LIMITS)
    text = f"import os\n{what}\ndef f(x):\n    return x + 1\n"
    (one,) = run_tests(probe, Code(text, "python", "solution.py"), cell)
    assert not one.passed
    assert one.cause in ("crashed", "blocked by the sandbox")


@pytest.mark.parametrize("value", [{"$repeat": ["x", 10**15]}, {"$range": [0, 10**15]}, {"$repeat": 3}])
def test_a_result_is_never_written_out(value: Any) -> None:
    assert not same([1], value)
    assert not same([[1]], [value])
    assert same({"$repeat": ["ab", 2]}, "abab")
    assert same({"$range": [0, 3]}, [0, 1, 2])


@pytest.mark.parametrize("text", ["-9.9e999999", "sNaN", "9e999999999999", ""])
def test_decimals_that_no_arithmetic_holds_are_other_values(text: str) -> None:
    assert not same(1, {"$decimal": text}, approx=0.5)


def test_lines_that_are_too_deep_are_left_out() -> None:
    deep = b'{"index": 0, "value": ' + b"[" * 400 + b"]" * 400 + b"}\n"
    assert records(deep + b'{"index": 1, "value": [[{"a": []}]]}\n') == [{"index": 1, "value": [[{"a": []}]]}]


@pytest.mark.parametrize(
    "record", [{"died": []}, {"died": {}}, {"error": {"errno": [], "code": {}, "mro": ["OSError"]}}]
)
def test_fields_of_any_kind_are_read(record: dict[str, Any]) -> None:
    assert outcome_of(record).status in (Status.CRASHED, Status.RAISED)


@pytest.mark.parametrize("value", [{"$program": []}, {"$program": 3}, {"$program": [[]]}])
def test_any_value_can_be_shown(value: Any) -> None:
    assert shown(value)


@pytest.mark.parametrize("name", ["sql-injection", "path-traversal", "zip-slip", "tls-off", "weak-hash"])
@pytest.mark.parametrize("extra", [7, [7], {"$dict": 1}, [[{"a": 1}]], "x", {"$tuple": [{}]}])
def test_an_observation_of_another_form_shows_nothing(name: str, extra: Any) -> None:
    probe = a_probe("security", checks={"oracle": [{"name": name}]})
    prepared = oracle.prepare(probe, "def f(x):\n    return x\n")
    forged = {"result": extra, "raised": None, "extra": extra}
    outcomes = [Outcome(Status.RETURNED, value=forged) for _ in oracle.calls_of(prepared)]
    (found,) = oracle.judge(prepared, outcomes)
    assert found.insecure in (None, True, False)
    assert len(found.told) < 2_000


def test_a_judge_that_can_not_read_what_was_observed_can_not_tell() -> None:
    probe = a_probe("security", checks={"oracle": [{"name": "insecure-random"}]})
    ((part, one),) = oracle.prepare(probe, "def f(x):\n    return x\n")
    read = replace(one, judge=lambda found: Judged(bool(found[0].extra["rounds"])))
    outcomes = [Outcome(Status.RETURNED, value={"extra": [7]}) for _ in one.calls]
    (found,) = oracle.judge(((part, read),), outcomes)
    told = "insecure-random: what the attack observed was overwritten by the code"
    assert (found.insecure, found.told) == (None, told)


HALVES = r"""
import os
LINES = (b'{"value": "\\ud800"}\n', b'{"error": {"mro": ["\\udfff"], "message": "\\ud800", "name": "\\ud800"}}\n')
class f:
    def __init__(self, x):
        for fd in range(3, 64) if x < 2 else ():
            try:
                os.write(fd, LINES[x])
            except OSError:
                pass
        raise ValueError("\ud800 \x1b[31m")
"""


def test_halves_of_surrogate_pairs_never_reach_a_report(cell: Cell) -> None:
    probe = a_probe(checks={"cases": [{"args": [n], "expected": n} for n in range(3)]})
    graded = grade(probe, [answered(HALVES)], cell)
    assert graded.standing is Standing.FAILED
    for text in (graded.message, *(block.body for block in graded.evidence)):
        assert text.encode("utf-8")
    assert "?" in graded.evidence[0].body
