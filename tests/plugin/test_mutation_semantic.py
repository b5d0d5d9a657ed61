"""A semantic operator that is a command: run once a rule, recorded, replayed without it, not asked for a preview."""

from __future__ import annotations

import json

import pytest

from tests.support.fake_model import Project
from tests.support.mutation_project import BANK, mutate

TEST = """
import pytest, bank

@pytest.mark.mutate_prompt(target="bank:PROMPT", operators=[{command}], p0=1.0)
def test_a(): assert "must always verify" in bank.PROMPT
"""
SCRIPT = """
import pathlib, sys
rule = sys.stdin.read()
with open("runs", "a") as stream:
    stream.write(".")
if "verify" in rule:
    print("Verify who it is when you like.")
"""


def write(project: Project, command: str = '["python3", "rewrite.py"]', script: str = SCRIPT) -> None:
    project.write("bank.py", BANK)
    project.write("rewrite.py", script)
    project.write("test_a.py", TEST.format(command=command))


def runs(project: Project) -> int:
    path = project.path / "runs"
    return path.stat().st_size if path.exists() else 0


def test_a_command_rewrites_each_rule_once_and_is_replayed(project: Project) -> None:
    write(project)
    recorded = mutate(project, "--gate-mode=record")
    found = recorded.told["targets"][0]["mutants"]
    assert [(each["operator"], each["after"], each["status"]) for each in found] == [
        ("semantic", "Verify who it is when you like.", "killed")
    ]
    assert runs(project) == 2  # two rules
    (project.path / "rewrite.py").unlink()
    replayed = mutate(project, "--gate-mode=replay")
    assert replayed.told["targets"][0]["mutants"][0]["mutant"] == found[0]["mutant"]
    assert replayed.counts() == {"killed": 1}
    assert runs(project) == 2
    assert replayed.report.completeness.complete
    assert replayed.report.recordings is not None
    assert not replayed.report.recordings.stale


def test_what_a_replay_lacks_is_told(project: Project) -> None:
    write(project)
    run = mutate(project, "--gate-mode=replay")
    assert run.told["targets"][0]["mutants"] == []
    assert runs(project) == 0
    assert not run.report.completeness.complete
    assert any("outside of every test" in reason for reason in run.report.completeness.reasons)


def test_a_preview_asks_nobody(project: Project) -> None:
    write(project, command='"delete-constraint", ["python3", "rewrite.py"]')
    result = project.pytest("--gate-mutate", "--collect-only", "--gate-mutate-json=p.json", "--gate-report=c.json")
    told = json.loads((project.path / "p.json").read_text(encoding="ascii"))
    assert [each["operator"] for each in told["targets"][0]["mutants"]] == ["delete-constraint"] * 2
    assert "not asked for a preview" in " ".join(result.outlines)
    assert runs(project) == 0


@pytest.mark.parametrize(
    ("command", "script", "said"),
    [
        ('["no-such-program-here"]', SCRIPT, "the semantic operator no-such-program-here: can't be started"),
        ('["python3", "rewrite.py"]', "raise SystemExit('no key')", "ended with 1: no key"),
        ('["python3", "rewrite.py"]', "import sys; sys.stdout.buffer.write(b'\\xff')", "wrote no UTF-8"),
        ('["python3", "rewrite.py"]', "import sys; print(sys.stdin.read())", "as it was"),
        ("[]", SCRIPT, "a command as a list of words"),
        ('["python3", 3]', SCRIPT, "a command as a list of words"),
        ('["python3", "a"], lambda rule: rule', SCRIPT, "at most one function or command"),
    ],
)
def test_a_command_that_fails_is_told_before_any_test(project: Project, command: str, script: str, said: str) -> None:
    write(project, command, script)
    result = project.pytest("--gate-mutate")
    assert result.ret == 4
    assert said in " ".join(" ".join(result.errlines + result.outlines).split())
