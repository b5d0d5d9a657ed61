"""A tag is published with the user's own git, or nothing is moved and the reason says what is missing."""

from __future__ import annotations

import os
import subprocess
import threading
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

import pytest

from gate.baselines.push import push_tag
from gate.errors import RepositoryError
from tests.support.repository import Repository

TAG = "robustness-anchor"
QUIET = {"GIT_CONFIG_GLOBAL": os.devnull, "GIT_CONFIG_NOSYSTEM": "1", "no_proxy": "*"}
_KEPT = {name: value for name, value in os.environ.items() if not name.startswith("GIT_")}


@pytest.fixture
def main(tmp_path: Path) -> Repository:
    repository = Repository(tmp_path / "main")
    repository.commit({"a": "1"})
    return repository


@pytest.fixture
def origin(main: Repository, tmp_path: Path) -> Path:
    path = tmp_path / "origin.git"
    main.git("init", "--quiet", "--bare", "--template=", str(path))
    main.git("remote", "add", "origin", str(path))
    return path


def push(main: Repository, commit: str = "") -> None:
    push_tag(main.path, TAG, commit or main.head, {**_KEPT, **QUIET})


def there(main: Repository) -> str:
    return main.git("ls-remote", "origin", f"refs/tags/{TAG}").partition("\t")[0]


def test_it_is_made_and_moved(main: Repository, origin: Path) -> None:
    first = main.head
    push(main)
    assert there(main) == first
    second = main.commit({"a": "2"})
    push(main, second)
    assert there(main) == second
    push(main, first)
    assert there(main) == first, "back, too: where it stands is a person's decision"


def test_a_ruleset_that_forbids_it_is_told_with_what_helps(main: Repository, origin: Path) -> None:
    hook = origin / "hooks/pre-receive"
    hook.parent.mkdir(exist_ok=True)
    hook.write_text("#!/bin/sh\necho 'error: GH013: Repository rule violations found for refs/tags' >&2\nexit 1\n")
    hook.chmod(0o755)
    with pytest.raises(RepositoryError) as caught:
        push(main)
    assert "nothing was moved" in caught.value.message
    assert "GH013" in caught.value.message
    assert "contents: write" in caught.value.remedy
    assert "ruleset" in caught.value.remedy
    assert there(main) == ""


def test_without_a_remote(main: Repository) -> None:
    with pytest.raises(RepositoryError) as caught:
        push(main)
    assert "git remote add origin" in caught.value.remedy


class _Refusing(BaseHTTPRequestHandler):
    status = 401

    def do_GET(self) -> None:
        self.send_response(self.status)
        if self.status == 401:
            self.send_header("WWW-Authenticate", 'Basic realm="here"')
        self.end_headers()

    def log_message(self, *args: object) -> None:
        pass


@pytest.fixture
def refusing() -> Iterator[ThreadingHTTPServer]:
    server = ThreadingHTTPServer(("127.0.0.1", 0), _Refusing)
    thread = threading.Thread(target=server.serve_forever, args=(0.01,))
    thread.start()
    yield server
    server.shutdown()
    thread.join()
    server.server_close()


@pytest.mark.parametrize(("status", "advice"), [(401, "gh auth setup-git"), (403, "contents: write")])
def test_a_token_that_may_not_is_told_and_never_shown(
    main: Repository, refusing: ThreadingHTTPServer, monkeypatch: pytest.MonkeyPatch, status: int, advice: str
) -> None:
    monkeypatch.setattr(_Refusing, "status", status)
    user = "x-access-token:ghs_secret@" if status == 403 else ""
    main.git("remote", "add", "origin", f"http://{user}127.0.0.1:{refusing.server_port}/octo/model.git")
    with pytest.raises(RepositoryError) as caught:
        push(main)
    assert advice in caught.value.remedy
    assert "ghs_secret" not in str(caught.value)


def test_no_hook_of_the_checkout_runs(main: Repository, origin: Path) -> None:
    hook = main.path / ".git/hooks/pre-push"
    hook.parent.mkdir(exist_ok=True)
    hook.write_text("#!/bin/sh\nexit 1\n")
    hook.chmod(0o755)
    push(main)
    assert there(main) == main.head


def test_nothing_else_is_published_whatever_the_checkout_asks_for(main: Repository, origin: Path) -> None:
    main.git("tag", "--annotate", "-m", "mine", "private")
    main.git("config", "push.followTags", "true")
    push(main)
    assert main.git("ls-remote", "origin").split() == [main.head, f"refs/tags/{TAG}"]


def test_a_push_that_hangs_promises_nothing(main: Repository, monkeypatch: pytest.MonkeyPatch) -> None:
    def hang(command: list[str], **options: object) -> None:
        raise subprocess.TimeoutExpired(command, 120.0)

    monkeypatch.setattr(subprocess, "run", hang)
    with pytest.raises(RepositoryError, match="is not known"):
        push_tag(main.path, TAG, "a" * 40, os.environ)
