"""Short ways to a probe, an answer and what the checks make of them."""

from __future__ import annotations

from typing import Any

from gate.sandbox.cell import Cell
from gate.suites.probes.answer import Answer
from gate.suites.probes.checks.examine import examine
from gate.suites.probes.checks.oracle import AttackResult
from gate.suites.probes.probe import Probe


def a_probe(dimension: str = "adversarial-correctness", **fields: Any) -> Probe:
    """A probe whose own answers are empty; fields that are not given have small defaults."""
    made: dict[str, Any] = {
        "schema": 1,
        "id": "a-probe",
        "dimension": dimension,
        "title": "A probe",
        "prompt": "Write `f`.",
        "entry": "f",
        "limits": {"wall": 20, "cpu": 1},
        "reference": {},
        "bad": {},
        "checks": {"manual": True},
        **fields,
    }
    return Probe.model_validate(made)


def answered(code: str, *, prose: str = "", tag: str = "python", **fields: Any) -> Answer:
    """An answer with one block of code after some prose."""
    return Answer(text=f"{prose}\n\n```{tag}\n{code}\n```\n", **fields)


def attacked(
    cell: Cell, name: str, code: str, options: dict[str, Any] | None = None, *, language: str = "python"
) -> AttackResult:
    """What one attack on a function `f` comes to."""
    checks = {"oracle": [{"name": name, "options": options or {}}]}
    probe = a_probe("security", language=language, checks=checks)
    (found,) = examine(probe, answered(code, tag=language), cell).attacks
    return found
