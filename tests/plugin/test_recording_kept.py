"""Recording anew without a key, or with a wrong one, costs no answer that is stored."""

from __future__ import annotations

import pytest

from gate.record.recordings.entry import Entry, Meta
from gate.record.recordings.exchange import Answer
from gate.record.recordings.store import Store
from tests.support.fake_model import Project
from tests.support.model_server import ModelServer

pytest.importorskip("urllib3")

SUITE = """
import os, pytest, urllib3

def ask(path="/v1/chat/completions"):
    body = {"model": "m", "messages": [{"role": "user", "content": "hi"}]}
    return urllib3.request("POST", URL + path, json=body, retries=False)

@pytest.fixture(scope="module")
def client():
    return os.environ["NO_SUCH_KEY"]

def test_dies(): os.environ["NO_SUCH_KEY"]; ask()
def test_skips(): pytest.skip("no key")
@pytest.mark.skipif(True, reason="no key")
def test_marked(): ask()
@pytest.mark.xfail
def test_expected(): os.environ["NO_SUCH_KEY"]; ask()
@pytest.mark.stochastic
def test_trials(): os.environ["NO_SUCH_KEY"]; ask()
def test_fixture(client): ask()
def test_refused(): assert ask("/status/401").status == 200
def test_forbidden(): ask("/status/403")
def test_unpaid(): ask("/status/402")
def test_asks_no_more(): pass
def test_asks(): ask()
"""
KEPT = ("dies", "skips", "marked", "expected", "trials", "fixture", "refused", "forbidden", "unpaid")
CLIENT = "test_a.py::fixture client"


def entry(case: str) -> Entry:
    return Entry("0" * 32, case, 0, 0, Answer(200, (), (b"old",)), Meta("2025-11-30"), request={"method": "POST"})


def test_what_did_not_ask_or_was_refused_keeps_its_answers(project: Project) -> None:
    cases = [f"test_a.py::test_{name}" for name in (*KEPT, "asks_no_more", "asks")]
    store = Store(project.path / "recordings")
    store.put([entry(case) for case in (*cases, CLIENT)])
    with ModelServer() as server:
        project.write("test_a.py", SUITE.replace("URL", repr(server.url)))
        _, result = project.run("--gate-mode=record")
    after = Store(project.path / "recordings")
    old = [each.case for each in after.entries() if each.answer.body == b"old"]
    assert sorted(old) == sorted([*(f"test_a.py::test_{name}" for name in KEPT), CLIENT])
    assert not any(each.failed == 0 and each.answer.status in (401, 402, 403) for each in after.entries())
    assert "test_a.py::test_asks" in {each.case for each in after.entries()}
    result.stdout.fnmatch_lines(["*older answers of test_a.py::test_dies were kept*"])


STOPPED = """
import os, pytest, urllib3

def ask(text):
    body = {"model": "m", "messages": [{"role": "user", "content": text}]}
    return urllib3.request("POST", URL, json=body, retries=False)

def test_first(): ask("a")

def test_second():
    ask("b")
    if os.path.exists("stop"):
        raise KeyboardInterrupt
    ask("c")
"""


def test_a_recording_that_somebody_interrupts_is_gone_on_with(project: Project) -> None:
    with ModelServer() as server:
        project.write("test_a.py", STOPPED.replace("URL", repr(f"{server.url}/v1/chat/completions")))
        project.run("--gate-mode=record")
        (project.path / "stop").touch()
        project.run("--gate-mode=record")
        (project.path / "stop").unlink()
        asked = len(server.requests)
        assert asked == 3 + 2
        _, result = project.run("--gate-mode=record")
        assert len(server.requests) == asked + 1, "only what had not been asked"
        result.stdout.fnmatch_lines(["*recordings: goes on from a recording that was stopped*"])
        project.run("--gate-mode=record")
        assert len(server.requests) == asked + 1 + 3
