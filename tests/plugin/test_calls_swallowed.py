"""What a suite swallows is charged to whom it concerns: all users of a fixture, or the run."""

from __future__ import annotations

import pytest

from tests.support.fake_model import Project, by_name

pytest.importorskip("urllib3")
pytest.importorskip("xdist")

CONFTEST = """
import socket
import pytest, urllib3

def connect():
    try:
        socket.create_connection(("192.0.2.1", 80), timeout=1)
    except OSError:
        pass

def ask():
    try:
        urllib3.request("POST", "https://api.openai.com/v1/chat", body=b"{}", retries=False)
    except Exception:
        pass

@pytest.fixture(scope="session")
def asks():
    ask()

@pytest.fixture(scope="module")
def rests_on(asks):
    pass

@pytest.fixture(scope="module")
def looks_up(request):
    request.getfixturevalue("asks")

@pytest.fixture(scope="module")
def connects():
    connect()
"""
SUITE = """
import pytest
from conftest import connect

def test_asks(asks): pass
def test_asks_too(asks): pass
def test_rests_on_it(rests_on): pass
def test_looks_it_up(looks_up): pass
def test_looks_it_up_too(looks_up): pass
def test_connects(connects): pass
def test_connects_too(connects): pass
def test_is_not_concerned(): pass
@pytest.mark.stochastic
def test_trials(asks): pass
@pytest.mark.stochastic
def test_trials_of_their_own(): connect()
"""
LACKING = {"test_asks", "test_asks_too", "test_rests_on_it", "test_looks_it_up", "test_looks_it_up_too", "test_trials"}


def test_every_user_of_a_fixture_is_charged(project: Project) -> None:
    project.write("conftest.py", CONFTEST)
    project.write("test_a.py", SUITE)
    report, result = project.run("--gate-mode=replay")
    cases = by_name(report)
    passed = {name for name, case in cases.items() if str(case.outcome) == "passed"}
    assert passed == {"test_is_not_concerned"}
    assert {name for name, case in cases.items() if case.calls and case.calls.missing} == LACKING
    assert "the network is closed in a replay: socket.connect to 192.0.2.1" in "\n".join(result.outlines)
    assert report.completeness.complete


@pytest.mark.parametrize(("call", "arguments"), [("connect", ("-p", "xdist", "-n1")), ("ask", ())])
def test_what_is_outside_of_tests_is_charged_to_the_run(
    project: Project, call: str, arguments: tuple[str, ...]
) -> None:
    project.write("conftest.py", CONFTEST)
    project.write("test_a.py", f"from conftest import {call}\n{call}()\ndef test_one(): pass\n")
    report, _ = project.run("--gate-mode=replay", *arguments)
    (reason,) = report.completeness.reasons
    assert "outside of every test" in reason
    assert ("192.0.2.1" in reason) == (call == "connect")
    assert [str(case.outcome) for case in report.cases] == ["passed"]
