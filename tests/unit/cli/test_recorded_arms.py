"""Suspects of a suite whose answers are recorded: fresh trials where calls may leave, main's own trials elsewhere."""

from __future__ import annotations

import contextlib
import json
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path

import pytest

from gate.baselines.git import Git
from gate.cli.arms import Beside, Place, run_beside
from gate.record.run import World
from gate.sandbox.worlds import read_left
from gate.settings import Settings
from tests.support.command_line import Ended, Shell, environment, findings
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
QUICK = {"PYTEST_DISABLE_PLUGIN_AUTOLOAD": "1"}  # most of a short run is the loading of plugins
CHECKED = "was checked against main in the same session"


@pytest.fixture
def server() -> Iterator[ModelServer]:
    with ModelServer() as running:
        yield running


@pytest.fixture
def gate(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> Shell:
    return Shell(monkeypatch, capsys)


def worse(folder: Path) -> Repository:
    """A pull request after which no answer is good."""
    repository = Repository(folder)
    repository.commit({**FILES, "gate.toml": 'arguments = "tests -p no:cacheprovider"\n'}, "suite")
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
        return gate("ci", "--base", "main", cwd=repository.path, MODEL=server.url, GATE_MODE=mode, **QUICK)

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


def test_fresh_trials_keep_to_the_limits_of_a_run_over_all_turns(server: ModelServer, tmp_path: Path) -> None:
    repository = worse(tmp_path / "project")
    environ = environment({"MODEL": server.url, **QUICK})

    @contextlib.contextmanager
    def enter() -> Iterator[Place]:
        with tempfile.TemporaryDirectory() as scratch:
            world = World(sys.executable, repository.path, environ)
            yield Place(world, Path(scratch), lambda tree: None, read_left)

    beside = Beside(Git(repository.path), repository.git("rev-parse", "main"), enter)
    with run_beside(beside, Settings(arguments="tests -p no:cacheprovider", mode="record", run_calls=6)) as run:
        first, second = run("head", [CASE], 4), run("base", [CASE], 4)
    assert (first.outcomes, first.reason) == ({CASE: "0000"}, "")
    assert "limit of 6 calls a run" in second.reason
    assert 4 <= len(server.requests) <= 6
    assert not (repository.path / "recordings").exists()


@pytest.mark.parametrize("command", [("ci", "--base", "main"), ("run", "--confirm", "main")])
def test_first_look_and_fresh_trials_share_the_limit_of_a_run(
    gate: Shell, server: ModelServer, tmp_path: Path, command: tuple[str, ...]
) -> None:
    repository = worse(tmp_path / "project")
    limit = 9
    repository.git("switch", "-q", "main")
    settings = f'arguments = "tests -p no:cacheprovider"\nmode = "live"\nrun-calls = {limit}\n'
    repository.commit({"gate.toml": settings}, "limit")
    repository.git("switch", "-q", "change")
    repository.git("rebase", "-q", "main")
    ended = gate(*command, cwd=repository.path, MODEL=server.url, **QUICK)
    assert f"limit of {limit} calls a run" in ended.out + ended.err
    assert len(server.requests) == limit, "however many times the suite ran"


def test_a_second_run_of_suspects_goes_on_from_what_the_first_recorded(
    gate: Shell, server: ModelServer, tmp_path: Path
) -> None:
    repository = worse(tmp_path / "project")
    repository.git("switch", "-q", "main")
    settings = 'arguments = "tests -p no:cacheprovider"\nconfirm-limit = 0\n'
    less_sure = '{"gate_baseline":1}\n' + line(CASE, "1110010110" * 5) + "\n"
    repository.commit({"gate.toml": settings, "baselines/default.jsonl": less_sure}, "each at its own share")
    repository.git("switch", "-q", "change")
    repository.git("rebase", "-q", "main")

    def ci(mode: str) -> Ended:
        return gate("ci", "--base", "main", cwd=repository.path, MODEL=server.url, GATE_MODE=mode, **QUICK)

    recorded = ci("record")
    assert recorded.code == 1, recorded.out + recorded.err
    assert "going on with the suspects alone" in recorded.out + recorded.err
    assert len(server.requests) == stored(repository) == 10, "each answer was asked once and is stored"
    decided = json.loads((repository.path / ".gate/verdict.json").read_text(encoding="utf-8"))["decisions"][0]
    assert ci("replay").code == 1
    again = json.loads((repository.path / ".gate/verdict.json").read_text(encoding="utf-8"))["decisions"][0]
    assert again == decided
    assert len(server.requests) == 10
