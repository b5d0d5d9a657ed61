"""The part of `gate demo` about prompts: mutants of an agent's prompt, replayed, and the rule that no test guards."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from collections import Counter
from importlib.resources import files
from pathlib import Path
from typing import TYPE_CHECKING

from gate.errors import GateError, UsageError

if TYPE_CHECKING:
    from gate.cli.console import Console
    from gate.schema.report import Report

PROJECT = "banking_agent"
EXPECTED = {"killed": 2, "survived": 3}
"""The model of the example does what its prompt says, so theory knows what has to come out."""
COMMAND = ("run",)
_TIMEOUT = 300.0
_NOT_COPIED = shutil.ignore_patterns("__pycache__", ".*")
_FOREIGN = ("GATE_", "PYTEST_", "BANK_")


def show_mutants(console: Console, folder: Path) -> None:
    """Mutate the prompt of the example in a new folder, and tell what became of each mutant.

    Raises:
        GateError: another result than theory predicts.
    """
    console.say("demo: the mutants of an agent's prompt of two rules, from recordings; nobody is asked")
    place = folder / PROJECT
    shutil.copytree(project(), place, ignore=_NOT_COPIED)
    console.detail(f"$ gate {' '.join(COMMAND)}")
    run = _run(place)
    report = _report(place)
    found = Counter(case.mutation.status for case in report.cases if case.mutation is not None) if report else Counter()
    if report is None or run.returncode or found != EXPECTED:
        raise GateError(
            f"the mutants ended as {dict(found)} instead of {EXPECTED}; the gate said:\n{run.stdout}{run.stderr}",
            where="gate demo",
            remedy="please report this; `gate demo --keep DIR` keeps the project to look into",
        )
    for line in lines(report):
        console.result(line)
    console.result("")


def lines(report: Report) -> list[str]:
    """What became of each mutant and of each rule, one line each."""
    from gate.render.escape import terminal

    found = ["Mutants of the agent's prompt:"]
    for case in report.cases:
        if case.mutation is not None:
            killer = f" by {case.mutation.killer.rpartition('::')[2]}" if case.mutation.killer else ""
            found.append(f"  {case.mutation.status:<9} {terminal(case.mutation.description + killer)}")
    for case in report.cases:
        found += [f"  {rule.state}: {terminal(rule.text)}" for rule in case.rules]
        for metric in case.metrics:
            if metric.value is not None:
                found.append(f"  {metric.name}: {100 * metric.value:.0f} %")
    return found


def project() -> Path:
    """Folder of the example: in the installed package, else in the checkout.

    Raises:
        UsageError: neither is there.
    """
    package = Path(str(files("gate")))
    for folder in (package / "_demo" / PROJECT, package.parent / "examples" / PROJECT):
        if (folder / "agent.py").is_file():
            return folder
    raise UsageError(
        "this installation lacks the agent of the demo",
        where=str(package / "_demo" / PROJECT),
        remedy="install robustness-gate again",
    )


def _run(place: Path) -> subprocess.CompletedProcess[str]:
    environ = {name: value for name, value in os.environ.items() if not name.startswith(_FOREIGN)}
    return subprocess.run(
        [sys.executable, "-P", "-m", "gate", *COMMAND],
        cwd=place,
        env={**environ, "PYTHONDONTWRITEBYTECODE": "1"},
        capture_output=True,
        text=True,
        encoding="utf-8",
        errors="replace",
        check=False,
        timeout=_TIMEOUT,
    )


def _report(place: Path) -> Report | None:
    from gate.ingest import read_report

    path = place / ".gate" / "candidate.json"
    return read_report(path.read_bytes(), path.name) if path.is_file() else None
