"""Limits on live calls: a run ends within them whatever its number of workers, and names what was not measured."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from tests.support.command_line import Ended, PullRequest, call, findings
from tests.support.model_server import ModelServer
from tests.support.repository import Repository

pytest.importorskip("requests")

SUITE = """
import os, pytest, requests

def ask(text):
    body = {"model": "gpt-4o-mini", "messages": [{"role": "user", "content": text}], "max_tokens": 10}
    return requests.post(os.environ["MODEL"] + "/v1/chat/completions", json=body).json()["choices"]

@pytest.mark.parametrize("number", range(6))
def test_asks(number):
    assert ask(f"number {number}")

def test_swallows():
    try:
        ask("swallowed")
    except Exception:
        pass

def test_asks_nobody():
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


def run(repository: Repository, server: ModelServer, *arguments: str, **environ: str) -> Ended:
    return call("run", "--", "-p", "no:cacheprovider", *arguments, cwd=repository.path, MODEL=server.url, **environ)


def report(repository: Repository) -> dict[str, Any]:
    found: dict[str, Any] = json.loads((repository.path / ".gate" / "candidate.json").read_text(encoding="utf-8"))
    return found


def outcomes(repository: Repository) -> dict[str, str]:
    return {test["nodeid"].partition("::")[2]: test["outcome"] for test in report(repository)["tests"]}


def test_a_run_stops_at_its_limit_and_names_what_it_did_not_measure(
    repository: Repository, server: ModelServer
) -> None:
    ended = run(repository, server, GATE_MODE="record", GATE_RUN_CALLS="4")
    assert ended.code == 3, ended.err
    assert len(server.requests) == 4
    assert "a live call would go beyond the limit of 4 calls a run: 4 calls" in ended.err
    assert "not measured: tests/test_model.py::test_asks[4], tests/test_model.py::test_asks[5]" in ended.err
    assert "test_model.py::test_swallows" in ended.err
    found = outcomes(repository)
    assert [name for name, outcome in found.items() if outcome != "passed"] == [
        "test_asks[4]",
        "test_asks[5]",
        "test_swallows",
    ]
    assert not (repository.path / "recordings" / "ledger").exists(), "no limit of a month, no ledger"


def test_workers_share_the_limit_of_a_run(repository: Repository, server: ModelServer) -> None:
    pytest.importorskip("xdist")
    ended = run(repository, server, "-n", "2", GATE_MODE="record", GATE_RUN_CALLS="3")
    assert ended.code == 3, ended.err
    assert len(server.requests) == 3
    assert "beyond the limit of 3 calls a run" in ended.err
    assert sorted(outcomes(repository).values()).count("passed") == 3 + 1


def test_the_limit_of_a_month_holds_over_runs(repository: Repository, server: ModelServer) -> None:
    assert run(repository, server, GATE_MODE="record", GATE_MONTH_TOKENS="10000").code == 0
    (ledger,) = (repository.path / "recordings" / "ledger").glob("*.ndjson")
    (line,) = ledger.read_text(encoding="utf-8").splitlines()
    assert (json.loads(line)["calls"], json.loads(line)["tokens"]) == (7, 7 * 13)
    ended = run(repository, server, GATE_MODE="record", GATE_MONTH_TOKENS="100")
    assert ended.code == 3, ended.err
    assert "this run is expected to take 7 calls, 91 tokens" in ended.err
    assert "beyond the limit of 100 tokens a month" in ended.err
    assert len(server.requests) == 7, "nothing was spent"


def test_own_prices_decide_what_a_call_costs(repository: Repository, server: ModelServer) -> None:
    table = {"models": [{"model": "gpt-4o-mini*", "input": 1e4, "output": 1e5}]}
    (repository.path / "prices.json").write_text(json.dumps(table), encoding="utf-8")
    ended = run(repository, server, GATE_MODE="record", GATE_RUN_MONEY="2", GATE_PRICES="prices.json")
    assert ended.code == 3, ended.err
    assert "beyond the limit of $2.00 a run" in ended.err
    assert 0 < len(server.requests) < 7


def test_the_limits_of_the_base_hold_on_a_pull_request(tmp_path: Path, server: ModelServer) -> None:
    request = PullRequest(tmp_path, {"test_a.py": SUITE}, {"gate.toml": "run-calls = 2\n"})
    checkout = request.checkout("work")
    environ = request.variables("https://api.example.org", GATE_MODE="live", GATE_RUN_CALLS="99")
    ended = call("ci", cwd=checkout, MODEL=server.url, **environ)
    assert ended.code == 3, ended.out + ended.err
    assert len(server.requests) == 2
    assert "`run-calls` from the environment was ignored" in ended.out
    (reason,) = [what for rule, what in findings(checkout) if rule == "incomplete-run"]
    assert "beyond the limit of 2 calls a run" in reason
    assert "not measured: test_a.py::test_asks[2]" in reason


DECLARED = """
import os, uuid, requests

def test_asks():
    body = {"model": "m", "messages": [{"role": "user", "content": "hello"}], "metadata": {"trace": uuid.uuid4().hex}}
    url = os.environ["MODEL"] + "/v1/chat/completions?t=" + uuid.uuid4().hex
    assert requests.post(url, json=body).json()["choices"]

def test_fails():
    assert requests.get(os.environ["MODEL"] + "/status/429").ok
"""


def test_volatile_parts_do_not_count_and_failures_are_replayed(repository: Repository, server: ModelServer) -> None:
    (repository.path / "tests" / "test_model.py").write_text(DECLARED, encoding="utf-8")
    settings = 'volatile = ["query:t", "json:metadata.trace"]\nreplay-failures = true\n'
    (repository.path / "gate.toml").write_text(settings, encoding="utf-8")
    for mode in ("record", "replay"):
        ended = run(repository, server, GATE_MODE=mode)
        assert outcomes(repository) == {"test_asks": "passed", "test_fails": "failed"}, ended.err
        failed = report(repository)["tests"][1]
        assert "<Response [429]>" in failed["call"]["crash"]["message"], "the failure, not that an answer is lacking"
        assert "missing" not in failed["metadata"]["gate"]["calls"]
    assert len(server.requests) == 2
