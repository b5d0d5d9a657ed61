"""Calls of forked children are calls of the test: they cost what they cost, live and replayed."""

from __future__ import annotations

import os

import pytest

from tests.support.fake_model import Project, by_name
from tests.support.model_server import ModelServer

pytest.importorskip("urllib3")
if not hasattr(os, "fork"):
    pytest.skip("needs fork", allow_module_level=True)

SUITE = """
import multiprocessing, os, urllib3

def ask(text):
    body = {"model": "gpt-4o-mini", "messages": [{"role": "user", "content": text}]}
    url = os.environ["OPENAI_BASE_URL"] + "/chat/completions"
    assert urllib3.PoolManager().request("POST", url, json=body, retries=False).json()["choices"]

def test_forks():
    ask("parent")
    with multiprocessing.get_context("fork").Pool(2) as pool:
        pool.map(ask, ["one", "two", "three"], chunksize=1)

def test_after():
    ask("after")
"""


def test_they_are_in_the_costs(project: Project, monkeypatch: pytest.MonkeyPatch) -> None:
    project.write("test_a.py", SUITE)
    with ModelServer() as server:
        monkeypatch.setenv("OPENAI_BASE_URL", server.base_url)
        recorded, _ = project.run("--gate-mode=record", "-W", "ignore")
        replayed, _ = project.run("--gate-mode=replay", "-W", "ignore")
        assert len(server.requests) == 5
    live = {name: case.calls for name, case in by_name(recorded).items()}
    given = {name: case.calls for name, case in by_name(replayed).items()}
    assert {name: each and (each.live, each.tokens) for name, each in live.items()} == {
        "test_forks": (4, 4 * 13),
        "test_after": (1, 13),
    }
    assert {name: each and (each.replayed, each.live) for name, each in given.items()} == {
        "test_forks": (4, 0),
        "test_after": (1, 0),
    }
    forked, after = live["test_forks"], live["test_after"]
    assert forked is not None
    assert after is not None
    assert forked.money == pytest.approx(4 * after.money)
