"""Tests written for pytest: they run in one process, the code under test in another that only answers calls."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

from gate.sandbox.cell.values import MIB, Job, Limits
from gate.suites.probes.checks.calls import CAUSES, OF_ENDING, Status
from gate.suites.probes.checks.cases import CaseResult
from gate.suites.probes.checks.harness import text_of
from gate.suites.probes.checks.run import not_loaded, outcome_of, records
from gate.suites.probes.extract import Code
from gate.suites.probes.languages import package_folders
from gate.suites.probes.probe import Probe

if TYPE_CHECKING:
    from gate.sandbox.cell import Cell

_MOST_TESTS = 30
"""So many tests may take their whole time before the job ends."""


def run_tests(probe: Probe, code: Code, cell: Cell) -> tuple[CaseResult, ...]:
    """One result a test. A test that is skipped counts for nothing; none at all is a fault of the probe.

    The tests are Python's, import the answer's module by the name of its file, and may use `pytest.raises`,
    `pytest.approx`, `parametrize`, fixtures of their own and `tmp_path`.
    """
    stem = code.file.rsplit("/", 1)[-1].removesuffix(".py")
    folders = package_folders()
    plan = {
        "file": code.file,
        "module": stem,
        "paths": [str(one) for one in folders] if probe.packages else [],
        "test_paths": [str(one) for one in folders],
        "tests": probe.checks.pytest,
        "wall": probe.limits.wall,
    }
    written = {
        name: text.encode("utf-8", "surrogatepass") for name, text in {**code.files, code.file: code.text}.items()
    }
    ended = cell.run(
        Job(
            argv=(cell.python, "-I", "-S", "gate_tests.py"),
            files={
                **written,
                "gate_tests.py": text_of("test_process.py"),
                "gate_remote.py": text_of("remote.py"),
                "gate_answering.py": text_of("answering.py"),
                "gate_apart.py": text_of("apart.py"),
                "gate_encoding.py": text_of("encoding.py"),
                "gate_failure.py": text_of("failure.py"),
                "plan.json": json.dumps(plan).encode(),
            },
            limits=Limits(
                wall=min(probe.limits.wall * _MOST_TESTS, 600.0),
                cpu=min(probe.limits.cpu * _MOST_TESTS, 600.0),
                memory=(probe.limits.memory + 128) * MIB,
                disk=probe.limits.disk * MIB,
                output=8 * MIB,
            ),
            readable=folders,
        )
    )
    lines = records(ended.verdict)
    load = next((one["load"] for one in lines if isinstance(one.get("load"), dict)), None)
    if load is None:  # the first line is written before the code under test is started, which may end the tests
        started = any("started" in one for one in lines)
        cause = CAUSES[OF_ENDING.get(ended.ending, Status.CRASHED)] if started else "harness error"
        return (_all(cause, ended.stderr.decode("utf-8", "replace")[-300:]),)
    if load:
        outcome = not_loaded(load)
        return (_all(CAUSES[outcome.status], outcome.told),)
    names: list[object] = next((one["tests"] for one in lines if isinstance(one.get("tests"), list)), [])
    results = [
        _result(one, probe.checks.pytest) for one in lines if isinstance(one.get("test"), int) and "skipped" not in one
    ]
    if not names or not any("finished" in one for one in lines):
        cause = CAUSES[OF_ENDING.get(ended.ending, Status.CRASHED)] if names else "harness error"
        results.append(_all(cause, "the tests did not end" if names else "there is no test"))
    return tuple(results)


def _all(cause: str, told: str) -> CaseResult:
    return CaseResult("pytest", "adversarial", False, cause, told)


def _result(record: dict[str, object], tests: str) -> CaseResult:
    """A test whose name has `naive` in it is an ordinary one."""
    name = str(record.get("name", ""))
    kind = "naive" if "naive" in name else "adversarial"
    if record.get("passed") is True:
        return CaseResult(name, kind, True)
    if "failed" in record:
        line = record.get("at")
        lines = tests.split("\n")
        shown = lines[line - 1].strip() if isinstance(line, int) and 0 < line <= len(lines) else ""
        return CaseResult(name, kind, False, "wrong result", f"{shown}: {str(record['failed']).removesuffix(': ')}")
    status = outcome_of(record).status
    return CaseResult(name, kind, False, CAUSES[status], str(status if status is not Status.RETURNED else "crashed"))
