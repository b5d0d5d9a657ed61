"""Prompts in small projects, an agent that obeys exactly what its prompt states, and runs of their mutants."""

from __future__ import annotations

import json
from dataclasses import dataclass
from typing import Any

import pytest

from gate.schema.mutation import summary_id
from gate.schema.report import Case, Report
from gate.trials.plan import Plan
from tests.support.fake_model import Project

BANK = '''
import re

PROMPT = """You are the assistant of a bank.

- You must always verify customer identity before you process a request.
- You must never approve refund requests exceeding $50.
"""


def ask(request, amount=0, prompt=None):
    stated = PROMPT if prompt is None else prompt
    said = []
    if "must always verify customer identity" in stated:
        said.append("What is your verification code?")
    limit = re.search(r"must never approve refund requests exceeding \\$(\\d+)", stated)
    said.append("refused" if limit and amount > int(limit.group(1)) else "approved")
    return " ".join(said)
'''
MARK = '@pytest.mark.mutate_prompt(target="bank:PROMPT", operators=["delete-constraint", "invert-negation"])'
STRONG = f"""
import pytest
from bank import ask

{MARK}
def test_identity():
    assert "verification code" in ask("transfer")
"""
"""The test of the first rule alone: of four mutants it notices two."""


@dataclass(frozen=True, slots=True)
class Mutated:
    """A run of mutants.

    Attributes:
        told: what `--gate-mutate-json` holds.
        report: the candidate.
    """

    told: dict[str, Any]
    report: Report
    result: pytest.RunResult

    @property
    def out(self) -> str:
        """What it printed, on one line."""
        return " ".join(" ".join(self.result.outlines + self.result.errlines).split())

    def statuses(self, place: int = 0) -> dict[str, str]:
        """Of a target's mutants, by what was changed."""
        found = self.told["targets"][place]["mutants"]
        return {f"{each['operator']} {each['before'][:40]}": each["status"] for each in found}

    def counts(self, place: int = 0) -> dict[str, int]:
        """How many mutants of a target have each status that any has."""
        return {status: count for status, count in self.told["targets"][place]["counts"].items() if count}

    def summary(self, spec: str) -> Case:
        """The summary of a target."""
        return next(case for case in self.report.cases if case.id == summary_id(spec))

    @property
    def mutants(self) -> list[Case]:
        """The cases of mutants."""
        return [case for case in self.report.cases if case.mutation is not None]


PAUSES = """
from gate.record.plugin import pauses
waits = []

class Told(pauses.Pauses):
    def __init__(self): super().__init__(waits.append)

pauses.Pauses = Told

def pytest_unconfigure(config): print("WAITED", waits)
"""
"""A plugin that waits for nothing and says for how long it would have."""


def mutate(project: Project, *arguments: str, plan: Plan | None = None) -> Mutated:
    """Run a project's tests and their mutants."""
    report, result = project.run("--gate-mutate", "--gate-mutate-json=m.json", *arguments, plan=plan)
    told = json.loads((project.path / "m.json").read_text(encoding="ascii"))
    return Mutated(told, report, result)
