"""Nothing that judges is imported once the suite has run, and nobody of the same user reads or changes the process."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

import gate
from tests.support.command_line import NUMBER, PullRequest, environment
from tests.support.github.fixture import TOKEN, serve
from tests.support.repository import Repository

FAILING = "def test_one(): pass\ndef test_two(): assert 0\n"
WATCHED = """
import json, sys
from gate.cli import exit_code_of
from gate.record import locally

seen, after = [], False

def hook(event, arguments):
    if after and event == "import":
        seen.append(arguments[0])

def run_suite(*arguments, run=locally.run_suite, **more):
    global after
    try:
        return run(*arguments, **more)
    finally:
        after = True

locally.run_suite = run_suite
sys.addaudithook(hook)
code = exit_code_of(["ci"])
after = False
hidden = True
if sys.platform == "linux":
    import ctypes
    hidden = ctypes.CDLL(None).prctl(3, 0, 0, 0, 0) == 0  # PR_GET_DUMPABLE
print("SEEN", json.dumps([code, seen, hidden]))
"""
REWRITES = """
import pathlib
import gate

def pytest_unconfigure():
    folder = pathlib.Path(gate.__file__).parent
    for name in ("compare/judge.py", "compare/__init__.py", "render/__init__.py", "deliver/publish.py", "errors.py"):
        (folder / name).write_text("raise SystemExit(0)\\n")
    assert (folder / "compare/judge.py").read_text() == "raise SystemExit(0)\\n"
"""


def python(*arguments: str, cwd: Path, **variables: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, *arguments],
        cwd=cwd,
        env=environment(variables),
        capture_output=True,
        text=True,
        encoding="utf-8",
        check=False,
        timeout=120,
    )


def test_nothing_is_imported_after_the_suite(tmp_path: Path) -> None:
    """Over a whole run: a failing test, a comment on a served GitHub, files, outputs, annotations."""
    pull = PullRequest(tmp_path, {"test_a.py": FAILING})
    folder = pull.checkout("work")
    with serve() as github:
        github.add_pull_request(NUMBER, pull.head, pull.base)
        ended = python("-c", WATCHED, cwd=folder, **pull.variables(github.url, GITHUB_TOKEN=TOKEN))
        assert len(github.comments(NUMBER)) == 1, ended.stderr
    (line,) = [line for line in ended.stdout.splitlines() if line.startswith("SEEN ")]
    code, seen, hidden = json.loads(line.removeprefix("SEEN "))
    assert code == 1, ended.stderr
    assert seen == []
    assert hidden


def test_a_suite_that_rewrites_the_gate_on_the_disk_changes_nothing(tmp_path: Path) -> None:
    installed = tmp_path / "installed"
    shutil.copytree(Path(gate.__file__).parent, installed / "gate", ignore=shutil.ignore_patterns("__pycache__"))
    pull = PullRequest(tmp_path, {"test_a.py": FAILING, "conftest.py": REWRITES})
    folder = pull.checkout("work")
    ended = python(
        "-P", "-m", "gate", "ci", cwd=folder, **pull.variables("http://127.0.0.1:9"), PYTHONPATH=str(installed)
    )
    assert (installed / "gate" / "compare" / "judge.py").read_text() == "raise SystemExit(0)\n", ended.stderr
    assert ended.returncode == 1, ended.stderr
    assert "Less robust than main" in ended.stdout
    assert pull.step().outputs["verdict"] == "regression"


@pytest.mark.skipif(sys.platform != "linux", reason="Linux has the call")
def test_the_process_is_hidden_and_its_children_are_not(tmp_path: Path) -> None:
    Repository(tmp_path / "r").commit({"a": "1"})
    script = (
        "import os, subprocess, sys; from gate.cli.ready import hide; hide();"
        "mode = lambda pid: os.stat(f'/proc/{pid}/environ').st_uid;"
        "child = subprocess.run([sys.executable, '-c', 'import os; print(os.stat(\"/proc/self/environ\").st_uid)'],"
        " capture_output=True, text=True).stdout;"
        "import ctypes; print(ctypes.CDLL(None).prctl(3, 0, 0, 0, 0), mode(os.getpid()), child)"
    )
    ended = python("-c", script, cwd=tmp_path)
    dumpable, owner, of_child = map(int, ended.stdout.split())
    assert (dumpable, owner, of_child) == (0, 0, os.getuid()), ended.stderr
