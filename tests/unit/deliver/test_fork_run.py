"""What a fork's run left is hostile: nothing but one whole report of the suite comes out of its artifact."""

from __future__ import annotations

import io
import stat
import struct
import zipfile
from collections.abc import Callable

import pytest

from gate.deliver import fork_run
from gate.deliver.artifacts import Run, read_run
from gate.deliver.fork_run import NothingToJudge, fetch_candidate, find_pull_request, needs_trusted_step
from gate.errors import ReportError
from tests.support.fork_run import ARTIFACT, FORK, report
from tests.support.github.fixture import HEAD, NUMBER, client
from tests.support.github.server import GitHubServer, packed

LIMIT = 10**9
ZIPPED = {"candidate.json": report()}


def a_run(github: GitHubServer) -> Run:
    made = github.add_run("change", HEAD, head_repository=FORK)
    return read_run(client(github), made.id)


def fetched(github: GitHubServer, content: bytes) -> bytes:
    run = a_run(github)
    github.add_artifact(ARTIFACT, github.state.runs[run.id], content)
    return fetch_candidate(client(github), run, suite="default", number=NUMBER, limit=LIMIT)


def linked() -> bytes:
    made = io.BytesIO()
    with zipfile.ZipFile(made, "w") as archive:
        entry = zipfile.ZipInfo("candidate.json")
        entry.external_attr = (stat.S_IFLNK | 0o777) << 16
        archive.writestr(entry, "/etc/passwd")
    return made.getvalue()


def doubled() -> bytes:
    made = io.BytesIO()
    with zipfile.ZipFile(made, "w") as archive:
        for _ in range(2):
            archive.writestr(zipfile.ZipInfo("candidate.json"), report())
    return made.getvalue()


def announcing(size: int) -> bytes:
    """An archive whose list of files tells a size that it does not have."""
    data = bytearray(packed({"candidate.json": bytes(1000)}))
    place = data.index(b"PK\x01\x02")
    struct.pack_into("<L", data, place + 24, size)
    return bytes(data)


def changed(old: bytes, new: bytes) -> bytes:
    assert old in report()
    return packed({"candidate.json": report().replace(old, new)})


FORGED: dict[str, tuple[Callable[[], bytes], str]] = {
    "a holds verdict alone": (lambda: packed({"verdict.json": b"{}"}), "holds no candidate.json"),
    "a script": (lambda: packed({**ZIPPED, "run.sh": b"#!/bin/sh"}), "does not belong there"),
    "zeros": (lambda: packed({"candidate.json": bytes(17 * 2**20)}), "packed more than 200"),
    "2 GB announced": (lambda: announcing(2 * 10**9), "more than the limit"),
    "a path out": (lambda: packed({"../../candidate.json": report()}), "does not belong there"),
    "a path from the root": (lambda: packed({"/candidate.json": report()}), "does not belong there"),
    "a link": (linked, "as a link"),
    "an entry twice": (doubled, "twice"),
    "no archive": (lambda: b"PK\x03\x04 is not enough", "is damaged"),
    "nothing": (lambda: packed({}), "holds no candidate.json"),
    "a nested archive": (lambda: packed({"candidate.json": packed(ZIPPED)}), "zip"),
    "another suite": (lambda: packed({"candidate.json": report(suite="other")}), "of the suite 'other'"),
    "another format": (lambda: packed({"candidate.json": b"<testsuite/>"}), "format 'junit'"),
    "deep": (lambda: changed(b'"mode": "replay"', b'"a":' + b"[" * 50_000 + b"]" * 50_000), "deep"),
    "a newer schema": (lambda: changed(b'"schema": 1', b'"schema": 999'), "999"),
    "no number": (lambda: changed(b'"schema": 1', b'"schema": NaN'), "NaN"),
    "an endless count": (lambda: changed(b'"collected": 2', b'"collected": 1e999'), "inf"),
    "cut": (lambda: packed({"candidate.json": report()[:-40]}), "ends in the middle"),
    "no text": (lambda: packed({"candidate.json": b"\xff\xfe\x00"}), "UTF"),
    "a long name": (lambda: packed({"candidate.json": report({"t.py::" + "x" * 5_000: "passed"})}), "id of 5,006"),
}


@pytest.mark.filterwarnings("ignore:Duplicate name")
def test_forged_artifacts(github: GitHubServer) -> None:
    for what, (content, reason) in FORGED.items():
        with pytest.raises(ReportError) as caught:
            fetched(github, content())
        assert reason in caught.value.message, (what, caught.value.message)
        assert ARTIFACT in caught.value.where


def test_an_honest_artifact(github: GitHubServer) -> None:
    content = packed({**ZIPPED, "missing.jsonl": b"{}", "trials.jsonl": b"", "verdict.json": b"no JSON at all"})
    assert fetched(github, content) == report()


def test_more_cases_than_anyone_has(github: GitHubServer, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(fork_run, "MOST_CASES", 1)
    with pytest.raises(ReportError, match="has 2 cases, more than 1"):
        fetched(github, packed(ZIPPED))


def test_more_bytes_than_a_fork_may_leave(github: GitHubServer, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(fork_run, "MOST_BYTES", 100)
    with pytest.raises(ReportError, match="limit of 100"):
        fetched(github, packed(ZIPPED))


def test_a_branch_may_be_called_anything(github: GitHubServer) -> None:
    """Its name goes into a query, and changes nothing there."""
    name = "a&state=all&head=octo:main#/../?x"
    github.add_pull_request(NUMBER, HEAD, head_repository=FORK, head_ref=name)
    made = github.add_run(name, HEAD, head_repository=FORK)
    found = find_pull_request(client(github), read_run(client(github), made.id))
    assert not isinstance(found, NothingToJudge)
    assert found.number == NUMBER


@pytest.mark.parametrize(
    ("head", "actor", "needed"),
    [
        ("octo/model", "octocat", False),
        ("Octo/Model", "octocat", False),
        ("octo/model", "dependabot[bot]", True),
        ("stranger/model", "octocat", True),
        (None, "octocat", True),
    ],
)
def test_who_has_no_secrets(head: str | None, actor: str, needed: bool) -> None:
    assert needs_trusted_step("octo/model", head, actor) is needed
