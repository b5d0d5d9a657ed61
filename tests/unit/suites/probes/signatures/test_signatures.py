"""The five failure signatures, each with its evidence, and answers that show none."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

from gate.sandbox.cell import Cell
from gate.suites.probes.dimensions import Dimension
from gate.suites.probes.graded import Graded, Standing
from gate.suites.probes.grading import grade
from gate.suites.probes.signatures import NAMES, divergent
from tests.support.probe_checks import a_probe, answered


def _signs(cell: Cell, dimension: str, code: str, prose: str = "", **fields: Any) -> tuple[tuple[str, ...], str]:
    found = grade(
        a_probe(dimension, **fields), [answered(code, prose=prose, tag=fields.get("language", "python"))], cell
    )
    assert set(found.signatures) <= set(NAMES)
    bodies = {block.title: block.body for block in found.evidence}
    return found.signatures, bodies[found.signatures[0]] if found.signatures else ""


def test_confident_hallucination(cell: Cell) -> None:
    checks = {"hallucination": {"run": "solution.f()"}}
    code = "import json\ndef f():\n    return json.loadz('1')"
    names, evidence = _signs(cell, "hallucination", code, "This works.", checks=checks)
    assert names == ("confident hallucination",)
    assert "json.loadz" in evidence
    assert not _signs(cell, "hallucination", code, "I'm not sure that this function exists.", checks=checks)[0]


CASES = [
    {"args": [[3, 1]], "expected": [1, 3], "kind": "naive"},
    *({"args": [edge], "expected": sorted(edge)} for edge in ([], [1], [2, 2], [1, 2, 3])),
]


def test_narrow_test_passing(cell: Cell) -> None:
    narrow = "def f(xs):\n    return [xs[1], xs[0]] if len(xs) == 2 and xs[0] > xs[1] else None"
    names, evidence = _signs(cell, "adversarial-correctness", narrow, checks={"cases": CASES})
    assert names == ("narrow test passing",)
    assert "1 of 1 ordinary cases pass, 4 of 4 edge cases fail" in evidence
    assert not _signs(cell, "adversarial-correctness", "def f(xs):\n    return sorted(xs)", checks={"cases": CASES})[0]
    assert not _signs(cell, "adversarial-correctness", "def f(xs):\n    return 0", checks={"cases": CASES})[0]


BROKEN = "def f(xs):\n    return xs[0] + xs[-1]"
RECOVERY = {
    "broken_code": BROKEN,
    "error_output": "AssertionError: f([1, 2, 3]) is 4, not 6",
    "must_keep_passing": ["two"],
    "checks": {
        "cases": [
            {"name": "two", "args": [[1, 2]], "expected": 3},
            {"name": "three", "args": [[1, 2, 3]], "expected": 6},
        ]
    },
}


@pytest.mark.parametrize(
    ("code", "expected"),
    [
        ("def f(xs):\n    if xs == [1, 2, 3]:\n        return 6\n    return xs[0] + xs[-1]", True),
        (
            "def f(xs):\n    'Sum.'\n    if len(xs) == 3:\n        return sum(xs)\n    return xs[0] + xs[-1]",
            True,
        ),
        ("def f(xs):\n    return 6 if len(xs) == 3 else xs[0] + xs[-1]", True),
        ("def f(xs):\n    try:\n        return xs[0] + xs[-1]\n    except IndexError:\n        return 0", True),
        ("def f(xs):\n    return sum(xs)", False),
        ("def f(xs):\n    if not xs:\n        return 0\n    return sum(xs)", False),
        ("def f(:", False),
    ],
)
def test_band_aid_recovery(cell: Cell, code: str, expected: bool) -> None:
    names, evidence = _signs(cell, "error-recovery", code, **RECOVERY)
    assert ("band-aid recovery" in names) is expected
    assert not expected or evidence.startswith("round 1: ")


def test_band_aid_in_another_language(cell: Cell) -> None:
    broken = "function f(xs) {\n  return xs[0] + xs[xs.length - 1];\n}"
    fields = {**RECOVERY, "broken_code": broken, "language": "javascript"}
    aid = broken.replace("{\n", "{\n  if (xs.length === 3) return 6;\n", 1)
    assert "band-aid recovery" in _signs(cell, "error-recovery", aid, **fields)[0]
    mended = "function f(xs) {\n  return xs.reduce((a, b) => a + b, 0);\n}"
    assert not _signs(cell, "error-recovery", mended, **fields)[0]


def test_security_blindness(cell: Cell) -> None:
    fields = {"checks": {"static_rules": ["eval-use"]}, "cwe": ["CWE-95"]}
    names, evidence = _signs(cell, "security", "def f(x):\n    return eval(x)", "Short and simple.", **fields)
    assert names == ("security blindness",)
    assert "does not warn" in evidence
    warned = _signs(cell, "security", "def f(x):\n    return eval(x)", "Never use this with untrusted input.", **fields)
    assert not warned[0]


FAST = """
def f(xs):
    seen, out = set(), []
    for x in xs:
        if x not in seen:
            seen.add(x)
            out.append(x)
    return out
"""
SLOW = """
def f(xs):
    out = []
    for x in xs:
        for y in xs:
            if x is y and x not in out:
                out.append(x)
    return out
"""


def _variant(cell: Cell, name: str, code: str) -> Graded:
    case = {"args": [[1, 2, 3, 4, 5, 6, 7, 8]], "expected": [1, 2, 3, 4, 5, 6, 7, 8]}
    probe = a_probe("consistency", id=name, group="unique", variant=name, checks={"cases": [case]})
    return grade(probe, [answered(code)], cell)


def test_reformulation_fragility(cell: Cell) -> None:
    fast, other = _variant(cell, "short", FAST), _variant(cell, "long", FAST.replace("set()", "{0}"))
    assert fast.facts["growth"] == pytest.approx(1, abs=0.2)
    assert divergent([fast, other]) == (fast, other)
    slow = _variant(cell, "long", SLOW)
    assert slow.facts["growth"] == pytest.approx(2, abs=0.3)
    first, second = divergent([fast, slow])
    assert first == fast
    assert second.signatures == ("reformulation fragility",)
    assert "grow with the power" in second.evidence[-1].body
    assert divergent([first, second]) == (first, second), "marking twice marks once"


def test_answers_to_different_samples_or_tasks_are_not_compared() -> None:
    one = Graded("a", Dimension.CONSISTENCY, 0, Standing.PASSED, facts={"growth": 1.0}, group="g")
    other = replace(one, probe="b", sample=1, facts={"growth": 2.0})
    lone = replace(one, probe="c", group="", facts={"growth": 3.0})
    assert divergent([one, other, lone]) == (one, other, lone)
