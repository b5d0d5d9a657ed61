"""A suite that was written for Clastogen, as it is: its marker, its words, and its list of suppressions."""

from __future__ import annotations

import hashlib

from tests.support.fake_model import Project
from tests.support.mutation_project import BANK, mutate

RULE = "You must always verify customer identity before you process a request"
SUITE = """
import pytest
from bank import ask

@pytest.mark.clastogen(target="bank:PROMPT", max_mutants=50, max_steps=30, beta=0.2)
def test_identity():
    assert "verification code" in ask("transfer")
"""


def test_a_suite_of_clastogen_runs_unchanged(project: Project) -> None:
    deleted = hashlib.sha256(f"delete_constraint:bank:PROMPT:{RULE}->[DELETED]".encode()).hexdigest()[:12]
    project.write("bank.py", BANK)
    project.write("test_a.py", SUITE)
    project.write(".clastogen/suppressions.toml", f'[[suppressions]]\nmutant_id = "{deleted}"\nreason = "known"\n')
    found = {
        (case.mutation.operator, "identity" in case.mutation.rule_text): case
        for case in mutate(project).mutants
        if case.mutation is not None
    }
    status = {key: case.mutation.status for key, case in found.items() if case.mutation is not None}
    assert status["delete-constraint", True] == "suppressed"
    assert status["invert-negation", True] == "killed"
    assert status["delete-constraint", False] == "survived"
    trials = found["invert-negation", True].trials
    assert trials is not None
    assert (trials.asked["max_trials"], trials.asked["power"]) == ("30", "0.8")
