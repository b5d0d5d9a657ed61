"""Prices of models as main has them: a pull request's own price file lifts no limit in money."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from gate.baselines.base import Base
from gate.baselines.git import Git
from gate.baselines.price_table import prices_at
from gate.errors import SettingsError
from gate.settings import Settings
from tests.support.command_line import call
from tests.support.model_server import ModelServer
from tests.support.repository import Repository

pytest.importorskip("requests")

SUITE = """
import os, pytest, requests

@pytest.mark.parametrize("number", range(6))
def test_asks(number):
    body = {"model": "own", "messages": [{"role": "user", "content": f"number {number}"}], "max_tokens": 10}
    assert requests.post(os.environ["MODEL"] + "/v1/chat/completions", json=body).json()["choices"]
"""
DEAR = '{"models": [{"model": "own*", "input": 1000, "output": 1000}]}'
FREE = '{"models": [{"model": "own*", "input": 0, "output": 0}]}'


@pytest.fixture
def server() -> Iterator[ModelServer]:
    with ModelServer() as running:
        yield running


def test_the_price_file_of_a_pull_request_lifts_no_limit(tmp_path: Path, server: ModelServer) -> None:
    repository = Repository(tmp_path / "project")
    settings = 'prices = "prices.json"\nrun-money = 0.05\n'
    files = {"test_model.py": SUITE, "gate.toml": settings, ".gitignore": ".gate/\n__pycache__/\n"}
    repository.commit({**files, "prices.json": DEAR})
    case = '{"id":"test_model.py::test_asks[0]","at":"0123456789","outcome":"passed"}'
    header = '{"gate_baseline":1,"suite":"default"}'
    repository.commit({"baselines/default.jsonl": f"{header}\n{case}\n"}, "baseline")
    repository.branch("change")
    repository.commit({"prices.json": FREE, "notes.md": "x"}, "prices")
    ended = call("ci", "--base", "main", cwd=repository.path, MODEL=server.url, GATE_MODE="live")
    assert ended.code == 3, ended.out + ended.err
    assert len(server.requests) <= 2
    assert "beyond the limit of $0.05 a run" in ended.err + ended.out


def test_the_table_is_that_of_the_base(tmp_path: Path) -> None:
    repository = Repository(tmp_path / "project")
    commit = repository.commit({"prices.json": DEAR, "other.json": "nothing"})
    repository.commit({"prices.json": FREE, "new.json": FREE})
    git = Git(repository.path)
    base = Base(commit, "main", repository.head, proposed=True)

    def table(name: str) -> str | None:
        return prices_at(git, base, Settings(prices=name), None)

    assert table("prices.json") == DEAR
    assert table("./new.json") == '{"models": []}', "a model without a price is refused under a limit in money"
    assert table("") is None
    assert table(str(tmp_path / "elsewhere.json")) is None
    with pytest.raises(SettingsError, match="no table of prices"):
        table("other.json")
