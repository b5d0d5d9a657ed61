"""A thread that outlives its test asks in the name of that test, in a recording and in a replay."""

from __future__ import annotations

import json

import pytest

from tests.support.fake_model import Project, by_name
from tests.support.model_server import ModelServer

pytest.importorskip("urllib3")

SUITE = """
import socket, threading, urllib3

GO, DONE, RUNS = threading.Event(), threading.Event(), []

def ask(text):
    body = {"model": "m", "messages": [{"role": "user", "content": text}]}
    return urllib3.request("POST", URL, json=body, retries=False).json()["choices"]

def late():
    GO.wait(60)
    try:
        LATE
    finally:
        DONE.set()

def test_starts():
    RUNS.append(threading.Thread(target=late, daemon=True))
    RUNS[0].start()
    ask("first")

def test_next():
    GO.set()
    assert not RUNS or DONE.wait(60)
    assert ask("same")
"""


def cases(project: Project) -> dict[str, list[str]]:
    """Which texts are stored of each test."""
    found: dict[str, list[str]] = {}
    for line in (project.path / "recordings" / "test_a.py.jsonl").read_text().splitlines()[1:]:
        entry = json.loads(line)
        found.setdefault(entry["case"].rpartition("::")[2], []).append(entry["key"])
    return found


def write(project: Project, url: str, late: str = 'ask("same")') -> None:
    project.write("test_a.py", SUITE.replace("URL", repr(f"{url}/v1/chat/completions")).replace("LATE", late))


def test_its_answers_are_those_of_the_test_that_started_it(project: Project) -> None:
    with ModelServer() as server:
        write(project, server.url)
        project.run("--gate-mode=record")
        asked = len(server.requests)
    assert asked == 3
    stored = cases(project)
    assert sorted(map(len, stored.values())) == [1, 2]
    assert len(stored["test_starts"]) == 2
    for order in ((), ("-k", "test_next"), ("test_a.py::test_next", "test_a.py::test_starts")):
        replayed, _ = project.run("--gate-mode=replay", *order)
        assert {str(case.outcome) for case in replayed.cases} == {"passed"}, order
        assert all(case.calls is not None and not case.calls.missing for case in replayed.cases)
        assert not any("outside" in reason for reason in replayed.completeness.reasons)


@pytest.mark.parametrize(
    ("late", "told"),
    [
        ('ask("edited")', "no answer is stored for POST"),
        ('socket.create_connection(("192.0.2.1", 9))', "network is closed"),
    ],
)
def test_what_it_lacks_is_no_matter_of_the_next_test_and_is_told(project: Project, late: str, told: str) -> None:
    with ModelServer() as server:
        write(project, server.url)
        project.run("--gate-mode=record")
        write(project, server.url, late)
    replayed, _ = project.run("--gate-mode=replay")
    found = by_name(replayed)
    assert str(found["test_next"].outcome) == "passed"
    assert found["test_next"].calls is not None and found["test_next"].calls.missing == 0
    (reason,) = replayed.completeness.reasons
    assert "by what test_a.py::test_starts had started, after its end" in reason
    assert told in reason
