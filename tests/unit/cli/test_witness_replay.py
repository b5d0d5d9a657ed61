"""Witnesses from run to run: a regression that comes back is found by asking once about each, and nothing leaks."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from gate.cli.suite import said_of_witnesses
from gate.suites.perturbation.witness_file import loads
from tests.support.command_line import Ended, call, findings
from tests.support.repository import Repository

pytest.importorskip("pandas")
pytestmark = pytest.mark.xdist_group("witnesses")  # one process makes the story once

NUMBER, TEXT, PLACE, NAME = 7654321.125, "Zanzibar Canary", "Canaryville", "patient Canary"
CANARIES = ["7654321", "7.65432", "Canary", "8191.5"]
DATA = f"""
import json
import numpy as np
import pandas as pd

near = np.concatenate([-np.linspace(0.5, 1, 20), np.linspace(0.5, 1, 20)])
frame = pd.DataFrame(
    {{
        "a": near,
        "income": np.where(np.arange(40) == 21, {NUMBER}, 1000.5 * np.arange(40)),
        "count": np.where(np.arange(40) == 21, 765432100, np.arange(40)),
        "place": np.where(np.arange(40) % 2, "{PLACE}", "Elsewhere"),
        "note": ["{TEXT} %d" % row for row in range(40)],
        "salary": np.where(np.arange(40) == 22, 8191.5, np.arange(40)),
    }},
    index=["{NAME} %d" % row for row in range(40)],
)
frame.to_pickle("data/frame.pkl")
"""
SUITE = """
import json
import os

import numpy as np
import pandas as pd
from model import THRESHOLD


def predict(rows):
    with open("data/calls.txt", "a") as stream:
        stream.write(f"{len(rows)}\\n")
    second = 1 / (1 + np.exp(-20 * (rows["a"].to_numpy() - THRESHOLD)))
    return np.column_stack([1 - second, second])


def test_texts(robustness):
    frame = pd.read_pickle("data/frame.pkl")
    robustness.text_sweep(lambda texts: ["yes"] * len(texts), list(frame["note"]), operators=["upper-case", "ocr"])


def test_sweep(robustness):
    frame = pd.read_pickle("data/frame.pkl")
    y = np.where(frame["a"] > 0, "yes", "no")
    robustness.sweep(
        predict, frame, y, name="people", epsilons=[0.1], protected=["salary"], worst_case=True, budget=40, swaps=1
    )
"""
FRAGILE, SOUND = "THRESHOLD = 0.46\n", "THRESHOLD = 0.0\n"
IGNORED = "/.gate/\n/data/\n__pycache__/\n.pytest_cache/\n"


def gate(*arguments: str, cwd: Path) -> Ended:
    return call(*arguments, cwd=cwd, PYTHONPATH=str(cwd))


def save(repository: Repository, files: dict[str, str | None] | None = None) -> None:
    """Commit what a user would: nothing that is ignored."""
    repository.write(files or {})
    repository.git("add", "--all")
    repository.git("commit", "--quiet", "--no-verify", "-m", "change")


def asked(folder: Path) -> list[int]:
    """How many rows each call of the model was about, and forget them."""
    path = folder / "data" / "calls.txt"
    found = [int(line) for line in path.read_text(encoding="ascii").split()]
    path.unlink()
    return found


@pytest.fixture(scope="module")
def story(tmp_path_factory: pytest.TempPathFactory) -> tuple[Repository, list[int]]:
    """A fragile model is on main, is mended there, and a pull request breaks it again and drops the witnesses."""
    repository = Repository(tmp_path_factory.mktemp("story") / "project")
    folder = repository.path
    save(repository, {".gitignore": IGNORED, "model.py": FRAGILE, "test_model.py": SUITE})
    (folder / "data").mkdir()
    exec(compile(DATA.replace('"data/', f'"{folder}/data/'), "data", "exec"), {})
    created = gate("baseline", "create", "--runs", "1", cwd=folder)
    assert created.code == 0, created.err
    save(repository)
    save(repository, {"model.py": SOUND})
    asked(folder)
    assert gate("run", cwd=folder).code == 0
    kept = (folder / "baselines" / "default.witnesses").read_text(encoding="utf-8").count("\n") - 2
    assert asked(folder)[6] == kept  # without a base the checkout's own are tried
    refreshed = gate("baseline", "refresh", ".gate/candidate.json", cwd=folder)
    assert refreshed.code == 0, refreshed.err
    save(repository)
    repository.branch("change")
    save(repository, {"model.py": FRAGILE, "baselines/default.witnesses": None})
    ended = gate("ci", "--base", "main", cwd=folder)
    assert ended.code == 1, ended.out + ended.err
    return repository, asked(folder)


def test_a_regression_that_comes_back_is_found_with_one_query_a_witness(story: tuple[Repository, list[int]]) -> None:
    repository, calls = story
    stored = loads(repository.git("show", "main:baselines/default.witnesses").encode())
    ((case, name), kept) = next(iter(stored.items()))
    assert (case, name) == ("test_model.py::test_sweep", "people")
    before_search = [40, 40, 40, 20, 20, 40]  # clean, asked twice and in halves, noise
    assert calls[: len(before_search)] == before_search
    assert calls[len(before_search)] == len(kept) > 0
    regression = "adversarial-regression", f"{len(kept)} adversarial regressions, worst case ε=0.1"
    assert regression in findings(repository.path)
    assert "a stored witness" in (repository.path / ".gate" / "comment.md").read_text(encoding="utf-8")


def test_witnesses_of_a_mended_model_stay_and_the_file_is_committed_beside_the_baseline(
    story: tuple[Repository, list[int]],
) -> None:
    repository, _ = story
    first = repository.git("show", "main~2:baselines/default.witnesses")
    assert repository.git("show", "main:baselines/default.witnesses") == first
    assert "baselines/default.witnesses" not in repository.git("ls-tree", "-r", "--name-only", "change").split()


def test_no_value_of_any_column_leaves(story: tuple[Repository, list[int]]) -> None:
    repository, _ = story
    folder = repository.path
    written = [path for path in (folder / ".gate").rglob("*") if path.is_file() and path.name != "local.jsonl"]
    assert {"candidate.json", "verdict.json", "comment.md", "report.html", "witnesses.jsonl"} <= {
        path.name for path in written
    }
    written += [path for path in (folder / "baselines").rglob("*") if path.is_file()]
    for path in written:
        text = path.read_text(encoding="utf-8")
        assert not [canary for canary in CANARIES if canary in text], path
    history = repository.git("log", "--all", "--patch", "--text")
    assert "people" in history
    assert not [canary for canary in CANARIES if canary in history]
    local = (folder / ".gate" / "local.jsonl").read_text(encoding="ascii")  # what only this machine may know
    assert NAME in local
    moved = [json.loads(line).get("moves", {}) for line in local.splitlines()]
    assert any("→" in told for each in moved for told in each.values())


def test_stale_witnesses_are_said(story: tuple[Repository, list[int]]) -> None:
    repository, _ = story
    folder = repository.path
    repository.git("checkout", "--quiet", "main")
    repository.git("branch", "--quiet", "--force", "other")
    repository.git("checkout", "--quiet", "other")
    repository.write({"test_model.py": SUITE.replace("robustness.sweep(", "frame['a'] *= 1.01\n    robustness.sweep(")})
    ended = gate("ci", "--base", "main", cwd=folder)
    verdict = json.loads((folder / ".gate" / "verdict.json").read_text(encoding="utf-8"))
    (said,) = [notice for notice in verdict["notices"] if "witnesses" in notice]
    assert "could not be tried (its row has changed: " in said, ended.err
    assert said == said_of_witnesses(folder / ".gate" / "candidate.json")
