"""What a replay lacked comes from every process, and what no file may hold is named instead of breaking the run."""

from __future__ import annotations

import pytest

from gate.record.recordings.missing import read_missing
from tests.support.fake_model import Project, by_name

pytest.importorskip("urllib3")
pytest.importorskip("xdist")

SUITE = """
import os, urllib3

URL = "https://api.openai.com/v1/chat"

def test_propfind():
    urllib3.request("PROPFIND", URL, body=b"{}", retries=False)

def test_long():
    urllib3.request("GET", URL + "?q=" + "a" * 9000, retries=False)

def test_plain():
    urllib3.request("POST", URL, body=b"{}", retries=False)

def test_of_a_fork():
    child = os.fork()
    if not child:
        try:
            urllib3.request("PROPFIND", URL + "/fork", body=b"{}", retries=False)
        finally:
            os._exit(0)
    os.waitpid(child, 0)
"""


@pytest.mark.parametrize("arguments", [(), ("-p", "xdist", "-n2")])
def test_requests_of_every_kind(project: Project, arguments: tuple[str, ...]) -> None:
    project.write("test_a.py", SUITE)
    report, result = project.run("--gate-mode=replay", "--gate-missing=missing.jsonl", *arguments)
    said = "\n".join(result.outlines)
    assert "INTERNALERROR" not in said
    assert {name for name, case in by_name(report).items() if str(case.outcome) == "passed"} == set()
    (entry,) = read_missing((project.path / "missing.jsonl").read_bytes())
    assert entry.request.method == "POST"
    assert "PROPFIND https://api.openai.com/v1/chat: expected a method of HTTP" in said
    assert "PROPFIND https://api.openai.com/v1/chat/fork: expected" in said
    assert "expected a URL" in said
