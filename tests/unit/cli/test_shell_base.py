"""`gate ci` in a shell: compared with where the branch left the base, and judged by what the base says."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tests.support.command_line import BASELINE, HELD, Shell, candidate, findings, project
from tests.support.repository import Repository

NAME = "r.json"
NEW = json.dumps({"id": "test_b.py::test_new", "outcome": "passed"}) + "\n"
LOOSE = '[rules.newly-failing]\nlevel = "off"\n'
WAYS = [(), ("--base", "main")]


@pytest.fixture
def gate(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> Shell:
    return Shell(monkeypatch, capsys)


@pytest.fixture
def behind(tmp_path: Path) -> Repository:
    """A branch whose main has got a test since."""
    made = project(tmp_path / "project")
    made.branch("change")
    made.commit({"x.txt": "x"})
    made.checkout("main")
    made.commit({"test_b.py": "def test_new(): pass\n", "baselines/default.jsonl": BASELINE + NEW})
    made.checkout("change")
    measured(made.path)
    return made


def measured(folder: Path, **outcomes: str) -> None:
    """A run made elsewhere, so that no test has to run a suite."""
    worse = {f"test_a.py::test_{name}": outcome for name, outcome in outcomes.items()}
    (folder / NAME).write_text(json.dumps(candidate({**HELD, **worse})), encoding="utf-8")


@pytest.mark.parametrize("way", WAYS, ids=str)
def test_a_branch_that_is_behind_lost_nothing(gate: Shell, behind: Repository, way: tuple[str, ...]) -> None:
    ended = gate("ci", "--report", NAME, *way, cwd=behind.path)
    assert (ended.code, findings(behind.path)) == (0, []), ended.out
    fork = behind.git("merge-base", "main", "change")[:7]
    assert f"base: {fork} (merge base with `main`" in ended.err
    assert f"base {fork}" in ended.out


def test_a_base_that_is_an_ancestor_is_taken_as_it_is(gate: Shell, behind: Repository) -> None:
    behind.git("merge", "--quiet", "--no-edit", "main")
    ended = gate("ci", "--report", NAME, "--base", "main", cwd=behind.path)
    assert ended.code == 1
    assert [rule for rule, _ in findings(behind.path)] == ["missing-case"], (
        "what main has is here now, and not measured"
    )


@pytest.mark.parametrize("committed", [False, True])
@pytest.mark.parametrize("way", WAYS, ids=str)
def test_on_a_branch_the_base_decides(gate: Shell, tmp_path: Path, way: tuple[str, ...], committed: bool) -> None:
    made = project(tmp_path / "project")
    made.branch("change")
    made.commit({"x.txt": "x", **({"gate.toml": LOOSE} if committed else {})})
    made.write({"gate.toml": LOOSE})
    measured(made.path, two="failed")
    ended = gate("ci", "--report", NAME, *way, cwd=made.path, GATE_OBSERVE="true")
    assert ended.code == 1, ended.out
    found = findings(made.path)
    assert [rule for rule, _ in found] == ["newly-failing", "settings-changed"]
    assert "`observe` from the environment was ignored" in " ".join(ended.out.split())


def test_on_the_base_itself_the_working_tree_decides(gate: Shell, tmp_path: Path) -> None:
    made = project(tmp_path / "project")
    made.write({"gate.toml": LOOSE})
    measured(made.path, two="failed")
    ended = gate("ci", "--report", NAME, cwd=made.path)
    assert (ended.code, findings(made.path)) == (0, []), ended.out
    assert "base: " in ended.err
    assert "(HEAD, which is `main`)" in ended.err
