"""Prices of models as main has them: a pull request's own price file lifts no limit in money."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

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


@pytest.mark.parametrize(("main", "asked"), [(DEAR, 1), (None, 0)])
def test_the_price_file_of_a_pull_request_lifts_no_limit(
    tmp_path: Path, server: ModelServer, main: str | None, asked: int
) -> None:
    repository = Repository(tmp_path / "project")
    settings = 'prices = "prices.json"\nrun-money = 0.05\n'
    files: dict[str, str | bytes | None] = {"test_model.py": SUITE, "gate.toml": settings}
    repository.commit(files | ({"prices.json": main} if main else {}) | {".gitignore": ".gate/\n__pycache__/\n"})
    case = '{"id":"test_model.py::test_asks[0]","at":"0123456789","outcome":"passed"}'
    header = '{"gate_baseline":1,"suite":"default"}'
    repository.commit({"baselines/default.jsonl": f"{header}\n{case}\n"}, "baseline")
    repository.branch("change")
    repository.commit({"prices.json": FREE, "notes.md": "x"}, "prices")
    ended = call("ci", "--base", "main", cwd=repository.path, MODEL=server.url, GATE_MODE="live")
    assert ended.code == 3, ended.out + ended.err
    assert len(server.requests) <= asked + 1
    assert "beyond the limit of $0.05 a run" in ended.err + ended.out or "isn't known" in ended.err + ended.out
