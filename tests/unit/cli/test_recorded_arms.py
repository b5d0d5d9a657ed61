"""Suspects of a suite whose answers are recorded: fresh trials where calls may leave, main's own trials elsewhere."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.support.command_line import Ended, Shell, findings
from tests.support.model_server import ModelServer
from tests.support.repository import Repository
from tests.support.stochastic_project import line

pytest.importorskip("requests")

CASE = "tests/test_model.py::test_answers"
CODE = "def good(text):\n    return bool(text)\n"
SUITE = """
import os
import pytest, requests
from judged import good

@pytest.mark.stochastic
def test_answers():
    body = {"model": "m", "messages": [{"role": "user", "content": "say a colour"}]}
    found = requests.post(os.environ["MODEL"] + "/v1/chat/completions", json=body, timeout=30).json()
    assert good(found["choices"][0]["message"]["content"])
"""
FILES = {
    "judged.py": CODE,
    "tests/test_model.py": SUITE,
    "pytest.ini": "[pytest]\npythonpath = .\n",
    ".gitignore": "/.gate/\n__pycache__/\n",
    "baselines/default.jsonl": '{"gate_baseline":1}\n' + line(CASE, "1" * 50) + "\n",
}
CHECKED = "was checked against main in the same session"


@pytest.fixture
def server() -> Iterator[ModelServer]:
    with ModelServer() as running:
        yield running


@pytest.fixture
def gate(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> Shell:
    return Shell(monkeypatch, capsys)


def worse(folder: Path, settings: str = "") -> Repository:
    """A pull request after which no answer is good."""
    repository = Repository(folder)
    repository.commit({**FILES, "gate.toml": f'arguments = "tests -p no:cacheprovider"\n{settings}'}, "suite")
    repository.branch("change")
    repository.commit({"judged.py": CODE.replace("bool(text)", "not text")}, "worse")
    return repository


def stored(repository: Repository) -> int:
    text = (repository.path / "recordings/tests/test_model.py.jsonl").read_text(encoding="utf-8")
    return sum("case" in json.loads(each) for each in text.splitlines())


def test_fresh_trials_ask_live_and_store_nothing_and_a_replay_makes_none(
    gate: Shell, server: ModelServer, tmp_path: Path
) -> None:
    repository = worse(tmp_path / "project")

    def ci(mode: str) -> Ended:
        return gate("ci", "--base", "main", cwd=repository.path, MODEL=server.url, GATE_MODE=mode)

    recorded = ci("record")
    assert recorded.code == 1, recorded.out + recorded.err
    assert CHECKED in recorded.out
    first = stored(repository)
    assert 0 < first < len(server.requests), "fresh trials of both sides came on top, and none of them is stored"
    asked = len(server.requests)
    replayed = ci("replay")
    assert replayed.code == 1, replayed.out + replayed.err
    assert CHECKED not in replayed.out
    assert [rule for rule, _ in findings(repository.path)] == ["newly-failing"]
    verdict = json.loads((repository.path / ".gate/verdict.json").read_text(encoding="utf-8"))
    assert verdict["decisions"][0]["how"] == "sequential", "main's own trials decide"
    assert (len(server.requests), stored(repository)) == (asked, first)


def test_fresh_trials_keep_to_the_limits_of_the_run(gate: Shell, server: ModelServer, tmp_path: Path) -> None:
    repository = worse(tmp_path / "project", "run-calls = 9\n")
    ended = gate("ci", "--base", "main", cwd=repository.path, MODEL=server.url, GATE_MODE="live")
    assert "could not be confirmed" in ended.out, ended.out + ended.err
    assert len(server.requests) <= 3 * 9, "the first look, the fresh trials, and the trials that go on: each is a run"
