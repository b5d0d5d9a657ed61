"""A probe proves itself by an answer that passes and one that fails."""

from __future__ import annotations

from typing import Any

from gate.sandbox.cell import Cell
from gate.suites.probes.selftest import self_test
from tests.support.probe_checks import a_probe

GOOD, BAD = "```python\ndef f():\n    return 1\n```", "```python\ndef f():\n    return 2\n```"


def _problems(cell: Cell, reference: dict[str, Any], bad: dict[str, Any], **fields: Any) -> tuple[str, ...]:
    probe = a_probe(reference=reference, bad=bad, **{"checks": {"cases": [{"expected": 1}]}, **fields})
    return self_test(probe, cell).problems


def test_a_probe_that_proves_itself(cell: Cell) -> None:
    assert not _problems(cell, {"text": GOOD}, {"text": BAD, "cause": "wrong result"})
    assert not _problems(cell, {"files": {"solution.py": "def f(): return 1"}}, {"text": BAD})


def test_what_it_does_not_prove(cell: Cell) -> None:
    assert "the reference answer is failed (wrong result)" in _problems(cell, {"text": BAD}, {"text": BAD})[0]
    assert _problems(cell, {"text": GOOD}, {"text": GOOD}) == ("the bad answer passes",)
    assert "not time-out" in _problems(cell, {"text": GOOD}, {"text": BAD, "cause": "time-out"})[0]


def test_rounds_and_grades_of_its_author(cell: Cell) -> None:
    fields = {"dimension": "error-recovery", "broken_code": "def f():\n    return 2"}
    assert not _problems(cell, {"text": [BAD, GOOD]}, {"text": [BAD, BAD, BAD], "cause": "not fixed"}, **fields)
    spec = {"dimension": "spec-tolerance", "checks": {"manual": True}}
    assert not _problems(cell, {"text": GOOD, "grade": 2}, {"text": BAD, "grade": 0, "cause": "unreasonable"}, **spec)


def test_a_machine_that_lacks_the_toolchain_proves_nothing(cell: Cell) -> None:
    probe = a_probe(packages=["no-such-distribution"], reference={"text": GOOD}, bad={"text": BAD})
    found = self_test(probe, cell)
    assert (found.problems, bool(found.unproved)) == ((), True)
