"""The GitHub of the tests itself: it accepts what GitHub's description allows and objects to the rest."""

from __future__ import annotations

import base64
import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
import requests

from tests.support.github.description import COMMENT, COMMENTS, ENTERPRISE, PUBLIC
from tests.support.github.fixture import HEAD, NUMBER, TOKEN, serve
from tests.support.github.server import GitHubServer
from tests.support.github.validate import Checker, as_draft4

HEADERS = {
    "Authorization": f"Bearer {TOKEN}",
    "Accept": "application/vnd.github+json",
    "X-GitHub-Api-Version": "2022-11-28",
    "User-Agent": "test",
}


def ask(github: GitHubServer, method: str, path: str, **more: Any) -> requests.Response:
    headers = {**HEADERS, **more.pop("headers", {})}
    return requests.request(method, f"{github.url}/repos/octo/model{path}", headers=headers, timeout=10, **more)


@pytest.mark.parametrize(
    ("method", "path", "more", "complaint"),
    [
        ("GET", "/stars", {}, "no such operation"),
        ("PUT", "/issues/7/comments", {"json": {"body": "x"}}, "no such operation"),
        ("GET", "/issues/seven/comments", {}, "path `issue_number`"),
        ("GET", "/issues/7/comments?per_page=many", {}, "query `per_page`"),
        ("GET", "/issues/7/comments?colour=red", {}, "query `colour` is not described"),
        ("POST", "/issues/7/comments", {"json": {"text": "x"}}, "'body' is a required property"),
        ("POST", "/issues/7/comments", {"json": {"body": 7}}, "7 is not of type 'string'"),
        ("POST", "/issues/7/comments", {"json": {"body": "x", "bold": True}}, "unknown property `bold`"),
        ("POST", "/issues/7/comments", {"data": {"body": "x"}}, "content type"),
        ("GET", "/issues/7/comments", {"headers": {"Accept": "text/html"}}, "Accept"),
        ("GET", "/issues/7/comments", {"headers": {"X-GitHub-Api-Version": ""}}, "X-GitHub-Api-Version"),
    ],
)
def test_a_request_that_github_does_not_describe(method: str, path: str, more: dict[str, Any], complaint: str) -> None:
    with pytest.raises(AssertionError, match="does not allow"), serve() as github:
        assert ask(github, method, path, **more).status_code == 500
        assert complaint in github.violations[0]


def test_an_answer_that_github_does_not_describe(monkeypatch: pytest.MonkeyPatch) -> None:
    with pytest.raises(AssertionError, match="does not allow"), serve() as github:
        comment = github.add_comment(NUMBER, "text")
        whole = github.answers._comment(comment, github.url)
        for broken in ({**whole, "id": "1"}, {**whole, "created_at": "today"}, {**whole, "html_url": "no address"}):
            monkeypatch.setattr(github.answers, "_comment", lambda *_, broken=broken: broken)
            before = len(github.violations)
            assert ask(github, "GET", f"/issues/comments/{comment.id}").status_code == 500
            assert len(github.violations) == before + 1


@pytest.mark.parametrize("name", [PUBLIC, ENTERPRISE])
def test_the_examples_of_the_description_are_allowed_but_not_when_broken(github: GitHubServer, name: str) -> None:
    checker = Checker(name)
    for path, status in ((COMMENTS, 200), (COMMENT, 200)):
        operation = checker.operation(
            "GET", path.replace("{owner}", "o").replace("{repo}", "r").replace("{", "").replace("}", "")
        )
        assert operation is not None
        good = checker.example(path, "get", status)
        assert checker.response(operation, status, "application/json", json.dumps(good).encode()) == []
        one = good[0] if isinstance(good, list) else good
        del one["html_url"]
        assert checker.response(operation, status, "application/json", json.dumps(good).encode())


def test_nullable_becomes_null_among_the_types() -> None:
    schema = {"type": "object", "properties": {"nullable": {"type": "string", "nullable": True}}}
    assert as_draft4(schema)["properties"]["nullable"] == {"anyOf": [{"type": "string"}, {"type": "null"}]}


def test_links_lead_over_all_pages_and_back(github: GitHubServer) -> None:
    for place in range(25):
        github.add_comment(NUMBER, str(place))
    first = ask(github, "GET", "/issues/7/comments?per_page=10")
    assert set(first.links) == {"next", "last"}
    last = requests.get(first.links["last"]["url"], headers=HEADERS, timeout=10)
    assert [entry["body"] for entry in last.json()] == ["20", "21", "22", "23", "24"]
    assert set(last.links) == {"first", "prev"}


def test_a_comment_that_is_not_there(github: GitHubServer) -> None:
    assert ask(github, "GET", "/issues/comments/5").status_code == 404
    assert ask(github, "GET", "/issues/8/comments").status_code == 404
    assert ask(github, "GET", "/pulls/8").status_code == 404


def test_permissions_and_files_as_json(github: GitHubServer) -> None:
    github.state.permissions["alice"] = "admin"
    assert ask(github, "GET", "/collaborators/alice/permission").json()["permission"] == "admin"
    assert ask(github, "GET", "/collaborators/bob/permission").json()["permission"] == "read"
    github.add_file("main", "a/b.txt", b"hi")
    assert base64.b64decode(ask(github, "GET", "/contents/a/b.txt?ref=main").json()["content"]) == b"hi"


def test_a_pull_request_whose_fork_is_deleted(github: GitHubServer) -> None:
    github.add_pull_request(8, HEAD, head_repository=None)
    assert ask(github, "GET", "/pulls/8").json()["head"]["repo"] is None


def test_as_a_process(github: GitHubServer, tmp_path: Path) -> None:
    state = {
        "repository": "octo/model",
        "tokens": {TOKEN: {"issues": "write"}},
        "pulls": [{"number": NUMBER, "head_sha": HEAD, "base_sha": HEAD}],
        "files": [["main", "a", base64.b64encode(b"hi").decode()]],
    }
    (tmp_path / "state.json").write_text(json.dumps(state), "utf-8")
    command = [sys.executable, "-m", "tests.support.github.server", "--state", str(tmp_path / "state.json")]
    root = Path(__file__).resolve().parents[3]
    with subprocess.Popen(command, cwd=root, stdout=subprocess.PIPE, text=True) as process:
        assert process.stdout is not None
        try:
            address = f"http://127.0.0.1:{int(process.stdout.readline())}"
            requests.post(
                f"{address}/repos/octo/model/issues/7/comments", headers=HEADERS, json={"body": "x"}, timeout=10
            )
            requests.get(f"{address}/no/such/path", headers=HEADERS, timeout=10)
            told = requests.get(f"{address}/_state", timeout=10).json()
        finally:
            process.terminate()
    assert [comment["body"] for comment in told["comments"]] == ["x"]
    assert [entry["status"] for entry in told["log"]] == [201, 500]
    assert len(told["violations"]) == 1
    assert TOKEN not in json.dumps(told)
