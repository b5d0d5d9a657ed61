"""`gate baseline floor` from end to end: five reseeded runs, then a pull request with no more flips than they have."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from gate.cli import baseline_floor
from gate.ingest import read_report
from tests.support.command_line import Shell, findings, refused
from tests.support.repository import Repository

ROOT = Path(__file__).parents[3]
SUITE = """
from model import EXTRA


def test_model(robustness):
    wrong = {robustness.reseed, EXTRA} - {0}
    expected = ["yes"] * 40
    predicted = ["no" if place in wrong else "yes" for place in range(40)]
    robustness.predictions("people", ids=range(40), expected=expected, predicted=predicted)
    robustness.metric("seed", 0 if robustness.reseed == 0 else 1, "lower", tolerance=1)
"""


@pytest.fixture
def gate(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> Shell:
    return Shell(monkeypatch, capsys)


def project(gate: Shell, folder: Path, suite: str) -> Repository:
    repository = Repository(folder)
    repository.commit({".gitignore": "/.gate/\n__pycache__/\n", "model.py": "EXTRA = 0\n", "test_m.py": suite})
    ended = gate("baseline", "create", "--runs", "1", cwd=folder, PYTHONPATH=str(folder))
    assert ended.code == 0, ended.err
    return repository


def test_as_many_flips_as_an_honest_retrain_has_pass_and_more_do_not(gate: Shell, tmp_path: Path) -> None:
    repository = project(gate, tmp_path / "p", SUITE)
    folder = repository.path
    ended = gate("baseline", "floor", cwd=folder, PYTHONPATH=str(folder))
    assert ended.code == 0, ended.err
    assert "people: 1, 1, 1, 1, 1 negative flips of 40; at most 1 pass" in ended.out
    data = (folder / "baselines" / "default.jsonl").read_bytes()
    (case,) = read_report(data, "b", limit=10**6).cases
    assert case.predictions[0].floor is not None
    assert case.metrics[0].value == 0  # the model of the baseline stays
    repository.commit({})
    repository.branch("change")
    repository.commit({"model.py": "EXTRA = 7\n"})
    ended = gate("ci", "--base", "main", cwd=folder, PYTHONPATH=str(folder), GATE_RESEED="3")
    assert (ended.code, findings(folder)) == (0, []), ended.out
    repository.commit({"test_m.py": SUITE.replace("EXTRA} - {0}", "EXTRA, 8} - {0}")})
    ended = gate("ci", "--base", "main", cwd=folder, PYTHONPATH=str(folder))
    assert ended.code == 1
    assert ("negative-flip", "2 negative flips, 0 positive") in findings(folder)
    assert "5 reseeds: at most 1" in (folder / ".gate" / "comment.md").read_text(encoding="utf-8")


def test_a_suite_that_does_not_train_anew_is_told_so(
    gate: Shell, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    repository = project(gate, tmp_path / "p", SUITE)
    same = read_report((repository.path / "baselines" / "default.jsonl").read_bytes(), "b", limit=10**6)
    monkeypatch.setattr(baseline_floor, "_reseeded", lambda *_: same)
    ended = gate("baseline", "floor", cwd=repository.path)
    assert ended.code == 0
    assert "no run flipped anything" in ended.err


MODEL = """
import os

SEED = int(os.environ.get("GATE_RESEED", "0"))
CUT = 19.5 + (SEED % 3) + EXTRA


def predict(rows):
    return ["yes" if value > CUT else "no" for value in rows["a"]]
"""
TABLE = "a,y\n" + "".join(f"{place}.25,{'yes' if place > 19 else 'no'}\n" for place in range(40))
CONFIG = """
[data]
path = "rows.csv"
target = "y"
[model]
import = "swept_model:predict"
[sweep]
name = "people"
epsilons = [0.01]
worst-case = false
threshold = 0.9
"""


def swept(extra: int) -> str:
    return f"EXTRA = {extra}\n{MODEL}"


def test_a_sweep_is_trained_anew_too_and_its_witnesses_are_left_alone(gate: Shell, tmp_path: Path) -> None:
    repository = Repository(tmp_path / "p")
    folder = repository.path
    settings = '[tool.gate]\nreport = ".gate/sweep.json"\n'
    files = {"swept_model.py": swept(0), "rows.csv": TABLE, "sweep.toml": CONFIG, "pyproject.toml": settings}
    repository.commit({".gitignore": "/.gate/\n__pycache__/\n", **files})
    sweep = ("sweep", "--config", "sweep.toml", "--output", ".gate/sweep.json")
    in_process = {"cwd": folder, "PYTHONPATH": str(folder), "PYTHONDONTWRITEBYTECODE": "1"}
    assert run_apart(sweep, folder) == 0
    ended = gate("baseline", "adopt", ".gate/sweep.json", **in_process)
    assert ended.code == 0, ended.err
    (folder / ".gate" / "witnesses.jsonl").write_bytes(b"kept\n")
    ended = gate("baseline", "floor", "--sweep", "sweep.toml", **in_process)
    assert ended.code == 0, ended.err
    assert "people: 1, 2, 0, 1, 2 negative flips of 40" in ended.out
    assert (folder / ".gate" / "witnesses.jsonl").read_bytes() == b"kept\n"
    (case,) = read_report((folder / "baselines" / "default.jsonl").read_bytes(), "b", limit=10**6).cases
    assert case.predictions[0].floor is not None
    allowed = case.predictions[0].floor.bound
    repository.commit({})
    repository.branch("change")
    for extra, found in ((allowed, False), (allowed + 1, True)):
        repository.commit({"swept_model.py": swept(extra)})
        assert run_apart(sweep, folder) == 0
        gate("ci", "--base", "main", **in_process)
        assert any(rule == "negative-flip" for rule, _ in findings(folder)) == found


def test_a_sweep_that_can_not_be_made_is_told(gate: Shell, tmp_path: Path) -> None:
    repository = project(gate, tmp_path / "p", SUITE)
    ended = gate("baseline", "floor", "--sweep", "none.toml", cwd=repository.path, PYTHONPATH=str(repository.path))
    refused(ended, 3, "the sweep of reseed 1 ended with 2", advice="GATE_RESEED=1 gate sweep --config none.toml")


def run_apart(arguments: tuple[str, ...], folder: Path) -> int:
    """In a process of its own, since a model's module is imported once."""
    # no bytecode: the model is written anew within a second and with as many bytes, which its bytecode can't tell
    environ = {**os.environ, "PYTHONPATH": f"{ROOT}{os.pathsep}{folder}", "PYTHONDONTWRITEBYTECODE": "1"}
    return subprocess.run([sys.executable, "-m", "gate", *arguments], cwd=folder, env=environ, check=False).returncode


def test_without_a_baseline_nothing_is_run(gate: Shell, tmp_path: Path) -> None:
    repository = Repository(tmp_path / "p")
    repository.commit({"test_m.py": SUITE})
    refused(gate("baseline", "floor", cwd=repository.path), 3, "there is no baseline", advice="gate baseline create")
