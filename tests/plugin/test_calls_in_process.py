"""Clients of this process that read the address of the proxy are answered in the process, in words of their own."""

from __future__ import annotations

import pytest

from tests.support.fake_model import Project, by_name
from tests.support.model_server import ModelServer

pytest.importorskip("requests")

SUITE = """
import os, subprocess, sys
import requests

def test_here():
    found = requests.post(os.environ["OPENAI_BASE_URL"] + "/chat/completions", json={"model": "m"})
    found.raise_for_status()

CHILD = '''
import os, urllib.request
try:
    urllib.request.urlopen(os.environ["OPENAI_BASE_URL"] + "/chat/completions", b"{}")
except urllib.error.HTTPError as error:
    print(error.code)
'''

def test_of_a_child():
    ended = subprocess.run([sys.executable, "-c", "import urllib.error;" + CHILD], capture_output=True, text=True)
    assert ended.stdout.strip() == "599", ended
"""


def test_a_missing_request_names_the_model_and_not_the_proxy(project: Project, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("OPENAI_BASE_URL", raising=False)
    project.write("test_a.py", SUITE)
    report, result = project.run("--gate-mode=replay", "-k", "here")
    first = (project.path / "c.json").read_bytes()
    said = "\n".join(result.outlines)
    assert "no answer is stored for POST https://api.openai.com/v1/chat/completions" in said
    assert "gate run --mode auto" in said, "with the remedy"
    assert "127.0.0.1" not in first.decode() + said
    assert by_name(report)["test_here"].calls is not None
    project.run("--gate-mode=replay", "-k", "here")
    assert (project.path / "c.json").read_bytes() == first, "a second replay is the same bytes"


def test_children_go_through_the_proxy(project: Project, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("OPENAI_BASE_URL", raising=False)
    project.write("test_a.py", SUITE)
    _, result = project.run("--gate-mode=replay", "-k", "child")
    assert "AssertionError" not in "\n".join(result.outlines)


def test_a_missing_request_is_counted_once_and_shows_the_suite_alone(project: Project) -> None:
    project.write("test_a.py", SUITE)
    report, result = project.run("--gate-mode=replay", "-k", "here")
    assert result.parseoutcomes() == {"failed": 1, "deselected": 1}
    (case,) = report.cases
    assert case.calls is not None
    assert case.calls.missing == 1
    said = "\n".join(result.outlines)
    assert "def test_here" in said
    assert "session.py" not in said, "no frame of the gate"
    assert "adapters.py" not in said, "nor of the client library"


def test_one_that_is_swallowed_fails_the_test(project: Project) -> None:
    project.write(
        "test_a.py",
        SUITE.replace("    found =", "    try: found =").replace("    found.raise", "    except Exception: pass #"),
    )
    _, result = project.run("--gate-mode=replay", "-k", "here")
    assert result.parseoutcomes() == {"passed": 1, "errors": 1, "deselected": 1}


PUT = """
import http.client, os
from urllib.parse import urlsplit

def test_put():
    parts = urlsplit(os.environ["MODEL"])
    connection = http.client.HTTPConnection(parts.hostname, parts.port)
    connection.putrequest("GET", "/echo")
    connection.endheaders()
    assert connection.getresponse().status == 200
    connection.close()

def test_request():
    parts = urlsplit(os.environ["MODEL"])
    connection = http.client.HTTPConnection(parts.hostname, parts.port)
    connection.request("GET", "/echo")
    assert connection.getresponse().read()
"""


@pytest.mark.parametrize("arguments", [(), ("-p", "xdist", "-n1")])
def test_what_can_not_be_recorded_is_named(
    project: Project, monkeypatch: pytest.MonkeyPatch, arguments: tuple[str, ...]
) -> None:
    project.write("test_a.py", PUT)
    with ModelServer() as server:
        monkeypatch.setenv("MODEL", server.url)
        report, result = project.run("--gate-mode=record", *arguments)
    said = "recordings: a call to 127.0.0.1 by `putrequest` of http.client can't be recorded; use `request`"
    assert result.outlines.count(said) == 1
    assert [name for name, case in by_name(report).items() if case.calls and case.calls.live] == ["test_request"]
