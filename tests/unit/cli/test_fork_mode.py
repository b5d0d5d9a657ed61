"""On a fork `auto` means `replay`: its code reaches no model, though a key is at hand."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from gate.deliver.event import Event
from tests.support.command_line import PullRequest, call
from tests.support.model_server import ModelServer

pytest.importorskip("requests")

ASKS = """
import os, requests

def test_one():
    body = {"model": "m", "messages": []}
    assert requests.post(os.environ["MODEL"] + "/v1/chat/completions", json=body).ok
def test_two(): pass
"""


def test_auto_on_a_fork(tmp_path: Path) -> None:
    request = PullRequest(tmp_path, {"test_a.py": ASKS})
    payload = json.loads(request.event.read_text(encoding="utf-8"))
    payload["pull_request"]["head"]["repo"] = {"full_name": "stranger/model"}
    request.event.write_text(json.dumps(payload), encoding="utf-8")
    checkout = request.checkout("work")
    with ModelServer() as server:
        environ = request.variables("https://api.example.org", GATE_MODE="auto", OPENAI_API_KEY="sk-x")
        ended = call("ci", cwd=checkout, MODEL=server.url, **environ)
    assert server.requests == [], ended.err
    verdict = json.loads((checkout / ".gate" / "verdict.json").read_text(encoding="utf-8"))
    assert verdict["provenance"]["mode"] == "replay"
    assert ended.code == 3, ended.out + ended.err
    assert "POST" in (checkout / ".gate" / "missing.jsonl").read_text(encoding="utf-8")


@pytest.mark.parametrize(
    ("number", "head", "fork"),
    [(7, "stranger/model", True), (7, None, True), (7, "octo/model", False), (None, "octo/model", False)],
)
def test_what_a_fork_is(number: int | None, head: str | None, fork: bool) -> None:
    event = Event("octo/model", "pull_request", pull_request=number, head_repository=head)
    assert event.from_fork is fork
