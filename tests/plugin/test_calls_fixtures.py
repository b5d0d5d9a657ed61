"""Fixtures of wider scopes get their own answers: in every order, selection and number of processes."""

from __future__ import annotations

import json

import pytest

from tests.support.fake_model import Project
from tests.support.model_server import ModelServer

pytest.importorskip("urllib3")
pytest.importorskip("xdist")

CONFTEST = """
import os, urllib3, pytest

def ask(text):
    body = {"model": "m", "messages": [{"role": "user", "content": text}]}
    url = os.environ["OPENAI_BASE_URL"] + "/chat/completions"
    found = urllib3.request("POST", url, json=body, retries=False).json()
    return found["id"] + found["choices"][0]["message"]["content"]

@pytest.fixture(scope="session")
def session():
    yield ask("the same")
    ask("the end")

@pytest.fixture(scope="module")
def module():
    return ask("the same")

@pytest.fixture(scope="class")
def own():
    return ask("the same")

@pytest.fixture(scope="session")
def later(request):
    return ask(f"later {request.param}")

def pytest_collection_modifyitems(items):
    if os.environ.get("ORDER"):
        items.reverse()

@pytest.fixture
def said(record_property):
    return lambda *values: record_property("said", values)
"""
TESTS = """
import pytest
from conftest import ask

class TestOne:
    def test_x(self, session, module, own, said):
        said(session, module, own, ask("after " + session))

    @pytest.mark.parametrize("later", ["NAME", "both"], indirect=True)
    def test_later(self, later, said):
        said(later)

class TestTwo:
    def test_x(self, module, own, said):
        said(module, own, ask("after " + own))

def test_y(session, module, own, said):
    said(session, module, own)
"""


@pytest.fixture
def suite(project: Project) -> Project:
    project.write("conftest.py", CONFTEST)
    project.write("test_a.py", TESTS.replace("NAME", "one"))
    project.write("test_b.py", TESTS.replace("NAME", "two"))
    return project


def run(suite: Project, mode: str, *arguments: str) -> dict[str, object]:
    """What each test was given; every test has passed."""
    suite.run(f"--gate-mode={mode}", *arguments)
    tests = suite.raw()["tests"]
    assert {test["outcome"] for test in tests} == {"passed"}, [test for test in tests if test["outcome"] != "passed"]
    return {test["nodeid"]: test["user_properties"][0]["said"] for test in tests}


def stored(suite: Project) -> list[tuple[str, int]]:
    lines = [
        json.loads(line)
        for path in sorted((suite.path / "recordings").rglob("*.jsonl"))
        for line in path.read_text(encoding="utf-8").splitlines()
    ]
    return [(line["case"], line["n"]) for line in lines if "fixture" in line.get("case", "")]


NAMES = [
    ("conftest::fixture later['both']", 0),
    ("conftest::fixture later['one']", 0),
    ("conftest::fixture later['two']", 0),
    ("conftest::fixture session", 0),
    ("conftest::fixture session", 0),  # its end, another request
    ("test_a.py::TestOne::fixture own of conftest", 0),
    ("test_a.py::TestTwo::fixture own of conftest", 0),
    ("test_a.py::fixture module of conftest", 0),
    ("test_a.py::test_y::fixture own of conftest", 0),
    ("test_b.py::TestOne::fixture own of conftest", 0),
    ("test_b.py::TestTwo::fixture own of conftest", 0),
    ("test_b.py::fixture module of conftest", 0),
    ("test_b.py::test_y::fixture own of conftest", 0),
]


WORKERS = ("-p", "xdist", "-n2")


@pytest.mark.parametrize("mode", ["record", "auto"])
def test_order_selection_and_processes_change_nothing(
    suite: Project, monkeypatch: pytest.MonkeyPatch, mode: str
) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", "sk-x")
    with ModelServer() as server:
        monkeypatch.setenv("OPENAI_BASE_URL", server.base_url)
        recorded = run(suite, mode, *WORKERS)
        assert len(recorded) == 10
        assert sorted(stored(suite)) == sorted(NAMES), "each once, whoever set it up"
        assert len(server.requests) == len(NAMES) + 4, "and nothing is paid twice"
    if mode == "record":
        selected = run(suite, "replay", "-k", "test_b and x")
        assert selected == {name: recorded[name] for name in selected}
    monkeypatch.setenv("ORDER", "reversed")
    for arguments in [WORKERS, ()] if mode == "record" else [()]:
        assert run(suite, "replay", *arguments) == recorded
        assert suite.raw()["gate"]["recordings"]["unused"] == []


def test_a_second_recording_replaces_the_first_whoever_sets_up(suite: Project, monkeypatch: pytest.MonkeyPatch) -> None:
    with ModelServer() as server:
        monkeypatch.setenv("OPENAI_BASE_URL", server.base_url)
        first = run(suite, "record")
        second = run(suite, "record", *WORKERS)
    assert second != first
    assert sorted(stored(suite)) == sorted(NAMES)
    assert run(suite, "replay") == second
    assert not list((suite.path / "recordings" / ".state").glob("run-*")), "no claim is left"
