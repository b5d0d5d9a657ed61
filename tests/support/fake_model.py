"""A project whose tests ask a seeded fake model that counts its calls in a file outside the project."""

from __future__ import annotations

import importlib.util
import json
import subprocess
from pathlib import Path
from typing import Any

import pytest

from gate.ingest import read_report
from gate.schema.report import Case, Report, Trials
from gate.trials.carry import carried_by_case, read_entries
from gate.trials.plan import Ask, Plan, plan_to_text
from tests.support.forks import Forks

MODEL = """
import os, random
COUNT = {count!r}
_random = random.Random(int(os.environ.get("FAKE_SEED", "0")))

def ask(rate=1.0):
    with open(COUNT, "a") as stream:
        stream.write(".")
    return _random.random() < rate
"""


class Project:
    """One project.

    Args:
        folder: below it stand the project and, beside it, what it leaves.
        repository: whether git tracks it.
    """

    def __init__(self, folder: Path, forks: Forks, *, repository: bool = False) -> None:
        self.path = folder / "project"
        self._forks = forks
        self.count = folder / "calls"
        self.write("fake_model.py", MODEL.format(count=str(self.count)))
        if repository:
            self.write(".gitignore", "*.json\n*.jsonl\n__pycache__\n")
            self.git("init", "-q")

    def write(self, name: str, text: str) -> None:
        path = self.path / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")

    def git(self, *arguments: str) -> None:
        identity = ["-c", "user.name=A", "-c", "user.email=a@example.org", "-c", "commit.gpgsign=false"]
        subprocess.run(["git", *identity, *arguments], cwd=self.path, check=True, capture_output=True)

    def track(self) -> None:
        """Give every file to git, as a commit would."""
        self.git("add", "--all")

    @property
    def calls(self) -> int:
        """Calls of the fake model since the last look."""
        made = self.count.stat().st_size if self.count.exists() else 0
        self.count.unlink(missing_ok=True)
        return made

    def plan(self, **asks: Ask) -> Plan:
        """A plan that asks about tests of `test_a.py`, by name."""
        return Plan(session="head", asks={f"test_a.py::{name}": ask for name, ask in asks.items()})

    def pytest(self, *arguments: str) -> pytest.RunResult:
        """What a run said."""
        return self._forks.run(self.path, ["-p", "no:cacheprovider", "-p", "gate", *arguments])

    def run(self, *arguments: str, plan: Plan | None = None) -> tuple[Report, pytest.RunResult]:
        """The report of a run, and what it said."""
        options = ["--gate-report=c.json", *arguments]
        if plan is not None:
            self.write("plan.json", plan_to_text(plan))
            options.append("--gate-plan=plan.json")
        result = self.pytest(*options)
        return read_report((self.path / "c.json").read_bytes(), "c.json"), result

    def carried(self, plan: Plan, name: str = "t.jsonl") -> Plan:
        """The plan with the trials that an earlier run left."""
        entries = read_entries((self.path / name).read_text(encoding="ascii"), name)
        return Plan(session=plan.session, asks=plan.asks, carried=carried_by_case(entries))

    def raw(self) -> dict[str, Any]:
        """The report as it stands in the file."""
        found: dict[str, Any] = json.loads((self.path / "c.json").read_text(encoding="ascii"))
        return found


def by_name(report: Report) -> dict[str, Case]:
    """Cases by what follows the file in their ids."""
    return {case.id.partition("::")[2]: case for case in report.cases}


def outcomes(case: Case) -> str:
    """The outcomes of all trials of a case."""
    assert case.trials is not None
    return "".join(session.outcomes for session in case.trials.sessions)


def trials(case: Case) -> Trials:
    assert case.trials is not None
    return case.trials


def subtests_plugin() -> list[str]:
    """Options that make the `subtests` fixture available; the test that asks is skipped where nothing does."""
    if importlib.util.find_spec("_pytest.subtests"):
        return []
    pytest.importorskip("pytest_subtests")
    return ["-p", "pytest_subtests.plugin"]
