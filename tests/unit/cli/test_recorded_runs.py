"""Suites whose tests ask a model: recorded once, replayed for nothing, and never passed on what was not answered."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.support.command_line import Ended, call
from tests.support.model_server import ModelServer
from tests.support.repository import Repository

pytest.importorskip("httpx")
pytest.importorskip("requests")

SUITE = """
import os
import httpx, pytest, requests

URL = os.environ["MODEL"] + "/v1/chat/completions"

@pytest.fixture(scope="module")
def greeting():
    return httpx.post(URL, json={"model": "m", "messages": [{"role": "user", "content": "greet"}]}).json()

def ask(text):
    body = {"model": "m", "messages": [{"role": "user", "content": text}]}
    return requests.post(URL, json=body, headers={"authorization": "Bearer sk-0123456789abcdef0123"}).json()

@pytest.mark.stochastic
@pytest.mark.parametrize("number", range(2))
def test_varies(number, greeting):
    assert ask(f"number {number}")["choices"]

def test_once(greeting):
    try:
        assert ask("PROMPT")["choices"]
    except Exception:
        pass
"""


@pytest.fixture
def server() -> Iterator[ModelServer]:
    with ModelServer() as running:
        yield running


@pytest.fixture
def repository(tmp_path: Path) -> Repository:
    repository = Repository(tmp_path / "project")
    repository.commit({"tests/test_model.py": SUITE, ".gitignore": ".gate/\n__pycache__/\n"}, "suite")
    return repository


def gate(repository: Repository, server: ModelServer, command: str, *arguments: str, mode: str) -> Ended:
    """A command in a mode: by its option where it has one, which precedes the variable."""
    if command in ("run", "ci"):
        other = "replay" if mode == "record" else "live"
        return call(command, "--mode", mode, *arguments, cwd=repository.path, MODEL=server.url, GATE_MODE=other)
    return call(command, *arguments, cwd=repository.path, MODEL=server.url, GATE_MODE=mode)


def outcomes(repository: Repository) -> dict[str, tuple[str, object]]:
    report = json.loads((repository.path / ".gate" / "candidate.json").read_text(encoding="utf-8"))
    return {
        test["nodeid"]: (test["outcome"], test.get("metadata", {}).get("gate", {}).get("trials"))
        for test in report["tests"]
    }


def test_a_replay_asks_nobody_and_ends_as_the_recorded_run(repository: Repository, server: ModelServer) -> None:
    recorded = gate(repository, server, "run", mode="record")
    assert recorded.code == 0, recorded.err
    assert len(server.requests) == 2 * 10 + 1 + 1
    first = outcomes(repository)
    stored = (repository.path / "recordings" / "tests" / "test_model.py.jsonl").read_text(encoding="utf-8")
    assert "sk-0123456789abcdef0123" not in stored

    replayed = gate(repository, server, "run", mode="replay")
    assert replayed.code == 0, replayed.err
    assert len(server.requests) == 22, "nobody was asked"
    second = outcomes(repository)
    assert [each[0] for each in second.values()] == [each[0] for each in first.values()]
    report = json.loads((repository.path / ".gate" / "candidate.json").read_text(encoding="utf-8"))
    assert report["gate"]["mode"] == "replay"
    calls = [test["metadata"]["gate"]["calls"] for test in report["tests"]]
    assert sum(each.get("replayed", 0) for each in calls) == 22
    assert not any(each.get("live") for each in calls)


def test_a_changed_prompt_needs_recording_and_no_other_test_does(repository: Repository, server: ModelServer) -> None:
    assert gate(repository, server, "run", mode="record").code == 0
    assert gate(repository, server, "baseline", "create", "--runs", "1", mode="replay").code == 0
    repository.commit({}, "recordings and baseline")
    repository.branch("change")
    repository.commit({"tests/test_model.py": SUITE.replace("PROMPT", "PROMPT!")}, "prompt")
    before = len(server.requests)
    ended = gate(repository, server, "ci", "--base", "main", mode="replay")
    assert len(server.requests) == before
    assert ended.code == 3, ended.out + ended.err
    assert "network guard: " in ended.out + ended.err
    verdict = json.loads((repository.path / ".gate" / "verdict.json").read_text(encoding="utf-8"))
    (found,) = [each for each in verdict["findings"] if each["level"] == "error"]
    assert (found["rule"], found["case_id"]) == ("stale-recording", "tests/test_model.py::test_once")
    missing = (repository.path / ".gate" / "missing.jsonl").read_text(encoding="utf-8")
    assert "PROMPT!" in missing
    assert "sk-0123456789abcdef0123" not in missing


def test_auto_without_a_key_is_a_replay_and_with_one_records_what_is_missing(
    repository: Repository, server: ModelServer
) -> None:
    without = call("run", cwd=repository.path, MODEL=server.url, GATE_MODE="auto", OPENAI_API_KEY="")
    assert len(server.requests) == 0
    assert "error" in {each[0] for each in outcomes(repository).values()}, without.err
    assert "network guard: " in without.err, "it is a replay, which the kernel keeps from the network where it can"
    with_key = call("run", cwd=repository.path, MODEL=server.url, GATE_MODE="auto", OPENAI_API_KEY="sk-x")
    assert with_key.code == 0, with_key.err
    assert "network guard: " not in with_key.err
    asked = len(server.requests)
    assert asked == 22
    again = call("run", cwd=repository.path, MODEL=server.url, GATE_MODE="auto", OPENAI_API_KEY="sk-x")
    assert again.code == 0
    assert len(server.requests) == asked


def test_a_second_run_of_the_same_content_draws_nothing_anew_and_keeps_what_is_stored(
    repository: Repository, server: ModelServer
) -> None:
    assert gate(repository, server, "run", mode="record").code == 0
    assert gate(repository, server, "baseline", "create", "--runs", "1", mode="replay").code == 0
    repository.commit({}, "recordings and baseline")
    repository.branch("change")
    repository.commit({"notes.md": "nothing that matters\n"}, "notes")
    assert gate(repository, server, "ci", "--base", "main", mode="record").code == 0
    path = repository.path / "recordings" / "tests" / "test_model.py.jsonl"
    asked, first, stored = len(server.requests), outcomes(repository), _of_trials(path)
    again = gate(repository, server, "ci", "--base", "main", mode="record")
    assert again.code == 0, again.err
    assert len(server.requests) == asked + 2, "the fixture and the test that is no trial are asked anew"
    assert "carried over" in again.out + again.err
    second = outcomes(repository)
    assert [each[0] for each in second.values()] == [each[0] for each in first.values()]
    assert _of_trials(path) == stored


def _of_trials(path: Path) -> list[str]:
    return [line for line in path.read_text(encoding="utf-8").splitlines() if "test_varies" in line]


KEYLESS = """
import os
import requests

def test_model():
    assert "GATE_MODEL_KEY" not in os.environ
    body = {"model": "m", "messages": []}
    assert requests.post(os.environ["MODEL"] + "/v1/chat/completions", json=body).json()["choices"]
"""


def test_auto_records_with_a_key_for_a_server_of_ones_own(tmp_path: Path, server: ModelServer) -> None:
    repository = Repository(tmp_path / "own")
    repository.commit({"tests/test_model.py": KEYLESS}, "suite")
    ended = call("run", cwd=repository.path, MODEL=server.url, GATE_MODE="auto", GATE_MODEL_KEY="mine")
    assert ended.code == 0, ended.err
    assert len(server.requests) == 1
    assert [outcome for outcome, _ in outcomes(repository).values()] == ["passed"]
