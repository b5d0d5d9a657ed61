"""`gate ci` on stochastic tests, in real repositories: what it decides, and that it tells every call of the model."""

from __future__ import annotations

import signal
import subprocess
import sys
from pathlib import Path

import pytest

from tests.support.command_line import Shell, environment
from tests.support.stochastic_project import (
    FILES,
    SUITE,
    GateRuns,
    StochasticProject,
    baseline,
    line,
    model,
    name,
    stochastic_project,
    suite,
)

BROKEN = {"model.py": model(case3=0.0)}
KILLING = """\
    import os, pathlib, signal
    if case == 6 and pathlib.Path(os.environ["MODEL_CALLS"]).with_name("die").exists():
        os.kill(os.getppid(), signal.SIGKILL)
        os.kill(os.getpid(), signal.SIGKILL)
    assert ask"""
AWAY = """
_ask = ask

def ask(name):
    if name == "case3":
        raise ConnectionError("refused")
    return _ask(name)
"""


@pytest.fixture
def gate(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> GateRuns:
    return GateRuns(Shell(monkeypatch, capsys))


def test_an_unchanged_branch_is_green_and_its_trials_follow_the_content(gate: GateRuns, tmp_path: Path) -> None:
    project = stochastic_project(tmp_path)
    project.commit()
    first = gate(project)
    assert (first.code, first.failing, first.told) == (0, [], len(first.calls))
    assert first.told >= 12 * 5
    assert "12 stochastic" in first.out
    again = gate(project)
    project.commit({"README.md": "Another text.\n"})
    documents = gate(project)
    for later in (again, documents):
        assert (later.code, later.calls, later.told) == (0, "", 0)
        assert later.decided == first.decided
    assert again.verdict["budget"]["heads"] == 1
    assert documents.verdict["budget"]["heads"] == 2


def test_a_broken_test_among_twelve_is_found_confirmed_and_stays_found(gate: GateRuns, tmp_path: Path) -> None:
    project = stochastic_project(tmp_path)
    project.commit(BROKEN)
    first = gate(project)
    fresh = first.calls.count("b") * 4  # three of the head for one of the base
    assert (first.code, first.failing, first.told) == (1, [name(3)], len(first.calls))
    assert first.decided[name(3)][1] == "both arms"
    assert 0 < fresh <= 4 * 15
    assert f"1 suspect of the first look was checked against main in the same session; that took {fresh}" in first.out
    project.commit()
    empty = gate(project)
    assert (empty.code, empty.failing, empty.calls, empty.told) == (1, [name(3)], "", 0)
    assert empty.decided == first.decided
    project.commit({"model.py": model(case4=0.0)})
    edited = gate(project)
    assert (edited.code, edited.failing, edited.told) == (1, [name(4)], len(edited.calls))
    assert edited.calls.count("h") >= 12 * 4, "everything is measured anew"


def test_a_base_that_moved_on_is_compared_with_anew_by_confirmations_alone(gate: GateRuns, tmp_path: Path) -> None:
    project = stochastic_project(tmp_path)
    project.commit(BROKEN)
    gate(project)
    project.repository.checkout("main")
    project.commit({"README.md": "Main moves on.\n"})
    project.repository.checkout("change")
    project.repository.git("merge", "--quiet", "--no-edit", "main")
    later = gate(project)
    base = later.calls.count("b")
    assert (later.code, later.failing, later.told) == (1, [name(3)], len(later.calls))
    assert base > 0
    assert len(later.calls) == base * 4


def test_a_run_that_was_killed_leaves_its_trials_and_so_does_the_next_one(gate: GateRuns, tmp_path: Path) -> None:
    project = stochastic_project(tmp_path, {SUITE: suite().replace("    assert ask", KILLING)})
    project.commit()
    (tmp_path / "die").touch()
    made = ""
    for _ in range(2):
        command = [sys.executable, "-m", "gate", "-q", "ci"]
        killed = subprocess.run(command, cwd=project.path, env=environment(project.variables), check=False)
        assert killed.returncode == -signal.SIGKILL
        assert made in ("", _of_first(project)), "the second run makes none of them again"
        made = _of_first(project)
    (tmp_path / "die").unlink()
    found = gate(project)
    assert (found.code, found.told) == (0, len(found.calls))
    assert _of_first(project) == made


def _of_first(project: StochasticProject) -> str:
    """Calls of the cases before the one in which all is killed."""
    return "".join((project.counted / f"case{case}").read_text() for case in range(6))


def test_a_case_that_can_not_be_reached_is_an_error_and_no_failed_trial(gate: GateRuns, tmp_path: Path) -> None:
    project = stochastic_project(tmp_path)
    project.commit({"model.py": model() + AWAY})
    found = gate(project)
    assert (found.code, found.failing, found.told) == (3, [], len(found.calls))
    assert name(3) not in found.decided
    assert "infrastructure" in found.out


def test_a_rate_below_its_floor_fails_whatever_main_does(gate: GateRuns, tmp_path: Path) -> None:
    """Main lies below it too, so there is no drop."""
    marked = suite(3).replace("stochastic\n", "stochastic(min_rate=0.8)\n")
    known = baseline(*(line(name(case), "1000" * 10, min_rate=0.8) for case in range(3)))
    project = stochastic_project(tmp_path, {SUITE: marked, "baselines/default.jsonl": known})
    project.commit({"model.py": model(case0=1.0, case1=1.0, case2=0.25)})
    found = gate(project)
    assert (found.code, found.failing, found.told) == (1, [name(2)], len(found.calls))
    assert found.decided[name(2)] == ("regression", "floor")


def test_trials_of_a_renamed_file_are_compared_with_those_of_its_old_name(gate: GateRuns, tmp_path: Path) -> None:
    project = stochastic_project(tmp_path)
    project.commit({SUITE: None, "tests/test_other.py": FILES[SUITE], **BROKEN})
    found = gate(project)
    assert (found.code, found.told) == (1, len(found.calls))
    assert found.failing == ["tests/test_other.py::test_case[3]"]
    assert found.decided[found.failing[0]][1] == "both arms"
    assert found.calls.count("b") > 0
