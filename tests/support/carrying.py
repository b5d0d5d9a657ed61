"""A project whose trials carry over from run to run, and changes to it."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

from gate.trials.plan import Ask, Plan
from tests.support.fake_model import Project
from tests.support.forks import Forks

ASK = Ask(n0=50, s0=50, cap=60, share=0.05 / 12, delta=0.3, power=0.9)
TESTS = """
import pathlib, pytest
from app import answer
import app.more

@pytest.mark.stochastic
def test_good():
    assert answer()

@pytest.mark.stochastic(max_trials=60)
def test_broken():
    assert not answer(), "always"
"""
CALLS_AT_FIRST = 7 + 2


def app_project(folder: Path, forks: Forks, *, repository: bool = True) -> Project:
    """A project of an application with a test that holds and one that always fails."""
    project = Project(folder, forks, repository=repository)
    project.write("app/__init__.py", "from fake_model import ask\ndef answer(): return ask()\n")
    project.write("app/more.py", "MODE = 1\n")
    project.write("app/unused.py", "UNUSED = 1\n")
    project.write("test_a.py", TESTS)
    project.write("test_other.py", "import app.more\ndef test_c(): assert app.more.MODE\n")
    project.write("conftest.py", "def pytest_addoption(parser): parser.addoption('--model', default='small')\n")
    project.write("prompt.txt", "Answer yes.\n")
    project.write("notes.md", "Notes.\n")
    project.write("README.md", "Read me.\n")
    return project


def first_run(project: Project, *arguments: str, calls: int = CALLS_AT_FIRST) -> Plan:
    """Run once and give the plan of the next run."""
    project.track()
    plan = project.plan(test_good=ASK, test_broken=ASK)
    project.run("--gate-trials=t.jsonl", *arguments, plan=plan)
    assert project.calls == calls
    return project.carried(plan)


def commit_nothing(project: Project) -> None:
    project.git("commit", "-q", "--allow-empty", "-m", "nothing")


def change(name: str, text: str = "# changed\n") -> Callable[[Project], None]:
    def act(project: Project) -> None:
        path = project.path / name
        project.write(name, (path.read_text() if path.exists() else "") + text)

    act.__name__ = name
    return act


def remove(name: str) -> Callable[[Project], None]:
    def act(project: Project) -> None:
        (project.path / name).unlink()

    act.__name__ = f"without {name}"
    return act
