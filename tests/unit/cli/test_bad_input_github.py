"""GitHub that can't be told: no token, a wrong one, one that may not, no API; the verdict stays what it was."""

from __future__ import annotations

import contextlib
import json
import socket
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from gate.cli import tools
from gate.deliver import patience
from gate.deliver.client import GitHub
from tests.support.command_line import HELD, NUMBER, PullRequest, Shell, candidate, refused
from tests.support.github.fixture import serve
from tests.support.github.runner import commands
from tests.support.github.server import GitHubServer
from tests.support.github.state import READ_ONLY, Token

TOKEN = "ghs_0123456789abcdefghijKLMNOPqrstuvwxyz"
NAME = "r.json"
CLOSED = "http://127.0.0.1:9"


@pytest.fixture
def gate(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> Shell:
    return Shell(monkeypatch, capsys)


@pytest.fixture(scope="module")
def pull(tmp_path_factory: pytest.TempPathFactory) -> PullRequest:
    """A pull request whose suite, run elsewhere, has one test that newly fails."""
    made = PullRequest(tmp_path_factory.mktemp("github"), {"x.txt": "x"})
    worse = json.dumps(candidate({**HELD, "test_a.py::test_two": "failed"}))
    for depth in (1, 2):
        (made.checkout(f"depth-{depth}", depth=depth) / NAME).write_text(worse)
    return made


@pytest.fixture
def hurried(monkeypatch: pytest.MonkeyPatch) -> None:
    """Nobody waits: neither between two attempts nor for an answer that does not come."""
    monkeypatch.setattr(patience, "illness_wait", lambda attempt: 0.0)
    monkeypatch.setitem(GitHub.__init__.__kwdefaults__, "timeouts", (0.5, 0.2))


@contextmanager
def github(pull: PullRequest, tokens: dict[str, Token]) -> Iterator[GitHubServer]:
    with serve(tokens=tokens) as server:
        server.add_pull_request(NUMBER, pull.head, pull.base)
        yield server


def check_all_but_the_comment(pull: PullRequest, out: str, err: str, said: str) -> None:
    """A verdict of one regression, told in the log, the summary, the annotations, the outputs and the files."""
    assert "Traceback" not in err
    (warning,) = [line for line in err.splitlines() if line.startswith("warning: ")]
    assert warning.startswith("warning: no comment: ")
    assert said in warning
    step = pull.step()
    assert step.outputs["verdict"] == "regression"
    assert (step.outputs["exit-code"], step.outputs["findings"], step.outputs["comment-url"]) == ("1", "1", "")
    verdict = json.loads(Path(step.outputs["report"]).read_text("utf-8"))
    assert verdict["exit_code"] == 1
    assert [notice for notice in verdict["notices"] if "no comment: " in notice]
    assert "no comment: " in step.summary
    assert "newly fails" in step.summary
    assert [name for name, _ in commands(out)] == ["error"]
    assert TOKEN not in out + err + step.summary + json.dumps(verdict)


@pytest.mark.parametrize(
    ("given", "known", "said"),
    [
        ("", {TOKEN: Token()}, "there is no token (input `token`, or GITHUB_TOKEN)"),
        (TOKEN, {}, "GitHub does not accept the token (401: Bad credentials); give the step `token:"),
        (TOKEN, {TOKEN: READ_ONLY}, "add `permissions: pull-requests: write` to the job"),
        (TOKEN, {TOKEN: Token(issues="none", pull_requests="none")}, "`permissions: pull-requests: write`"),
        (f"{TOKEN}\nnext line", {TOKEN: Token()}, "the token has characters that no token has; give the step"),
    ],
    ids=["absent", "wrong", "read only", "without permission", "two lines"],
)
def test_a_token_that_may_not_comment(
    gate: Shell, pull: PullRequest, given: str, known: dict[str, Token], said: str
) -> None:
    with github(pull, known) as server:
        variables = pull.variables(server.url, **({"GITHUB_TOKEN": given} if given else {}))
        ended = gate("ci", "--report", NAME, cwd=pull.folder / "depth-2", **variables)
        assert server.comments(NUMBER) == []
    assert ended.code == 1, ended.err
    check_all_but_the_comment(pull, ended.out, ended.err, said)


def test_a_token_that_may_comments(gate: Shell, pull: PullRequest) -> None:
    """What the others lack."""
    with github(pull, {TOKEN: Token()}) as server:
        variables = pull.variables(server.url, GITHUB_TOKEN=TOKEN)
        ended = gate("ci", "--report", NAME, cwd=pull.folder / "depth-2", **variables)
        assert len(server.comments(NUMBER)) == 1
    assert (ended.code, "warning: " in ended.err) == (1, False), ended.err


def test_a_warning_is_told_to_those_who_want_no_progress(gate: Shell, pull: PullRequest) -> None:
    ended = gate("--quiet", "ci", "--report", NAME, cwd=pull.folder / "depth-2", **pull.variables(CLOSED))
    assert (ended.code, ended.err.splitlines()) == (
        1,
        ["warning: no comment: there is no token (input `token`, or GITHUB_TOKEN)"],
    )


@pytest.mark.usefixtures("hurried")
def test_an_api_that_refuses_every_connection(gate: Shell, pull: PullRequest) -> None:
    with socket.socket() as closed:
        closed.bind(("127.0.0.1", 0))  # taken, and nobody listens
        variables = pull.variables(f"http://127.0.0.1:{closed.getsockname()[1]}", GITHUB_TOKEN=TOKEN)
        ended = gate("ci", "--report", NAME, cwd=pull.folder / "depth-2", **variables)
    assert ended.code == 1, ended.err
    said = "GitHub can't be reached: the connection failed or was cut; check GITHUB_API_URL"
    check_all_but_the_comment(pull, ended.out, ended.err, said)


class Silent:
    """Takes connections and never answers; counts them."""

    def __init__(self) -> None:
        self._socket = socket.create_server(("127.0.0.1", 0))
        self.url = f"http://127.0.0.1:{self._socket.getsockname()[1]}"
        self.taken: list[socket.socket] = []
        self._thread = threading.Thread(target=self._take, daemon=True)
        self._thread.start()

    def _take(self) -> None:
        while True:
            try:
                self.taken.append(self._socket.accept()[0])
            except OSError:
                return

    def close(self) -> None:
        with contextlib.suppress(OSError):
            self._socket.shutdown(socket.SHUT_RDWR)  # ends the wait for a connection
        self._thread.join(10)
        for one in (self._socket, *self.taken):
            one.close()


@pytest.fixture
def silent() -> Iterator[Silent]:
    server = Silent()
    yield server
    server.close()


@pytest.mark.usefixtures("hurried")
def test_an_api_that_hangs(gate: Shell, pull: PullRequest, silent: Silent) -> None:
    variables = pull.variables(silent.url, GITHUB_TOKEN=TOKEN)
    ended = gate("ci", "--report", NAME, cwd=pull.folder / "depth-2", **variables)
    assert ended.code == 1, ended.err
    assert len(silent.taken) >= patience.ATTEMPTS
    check_all_but_the_comment(pull, ended.out, ended.err, "GitHub can't be reached: no answer in time")


@pytest.mark.usefixtures("hurried")
def test_an_api_that_would_be_needed_for_the_base(gate: Shell, pull: PullRequest, silent: Silent) -> None:
    """At depth 1 the base can only come by the API; without it nothing can be judged."""
    for url, why in ((CLOSED, "the connection failed or was cut"), (silent.url, "no answer in time")):
        variables = pull.variables(url, GITHUB_TOKEN=TOKEN)
        ended = gate("ci", "--report", NAME, cwd=pull.folder / "depth-1", **variables)
        said = f"the clone lacks the base {pull.base[:7]}, and the contents API did not give `gate.toml`"
        refused(ended, 2, f"gate: {said}: GitHub can't be reached: {why}", advice="set `fetch-depth: 2`")
        pull.told("usage", 2, pull.folder / "depth-1")


@pytest.mark.parametrize("given", ["", "two words"], ids=["absent", "odd"])
def test_no_token_for_the_base(gate: Shell, pull: PullRequest, given: str) -> None:
    variables = pull.variables(CLOSED, **({"GITHUB_TOKEN": given} if given else {}))
    ended = gate("ci", "--report", NAME, cwd=pull.folder / "depth-1", **variables)
    refused(ended, 2, "gate: the clone lacks the base", advice="or give a token that may read contents")


@pytest.mark.parametrize(
    ("known", "why"),
    [
        ({}, "GitHub does not accept the token (401"),
        ({TOKEN: Token(contents="none")}, "the token may not do this (403"),
    ],
    ids=["wrong", "without permission"],
)
def test_a_token_that_may_not_read_the_base(gate: Shell, pull: PullRequest, known: dict[str, Token], why: str) -> None:
    with github(pull, known) as server:
        variables = pull.variables(server.url, GITHUB_TOKEN=TOKEN)
        ended = gate("ci", "--report", NAME, cwd=pull.folder / "depth-1", **variables)
    refused(ended, 2, f"the contents API did not give `gate.toml`: {why}", advice="give the token `contents: read`")


@pytest.mark.parametrize("content", [b"", b"{", b"\xff", b"[" * 100_000, b"[]", b"{}", None], ids=repr)
def test_an_event_that_can_not_be_read(gate: Shell, pull: PullRequest, tmp_path: Path, content: bytes | None) -> None:
    event = tmp_path / "event.json"
    if content is not None:
        event.write_bytes(content)
    variables = pull.variables(CLOSED, GITHUB_EVENT_PATH=str(event))
    ended = gate("ci", "--report", NAME, cwd=pull.folder / "depth-2", **variables)
    refused(ended, 2, "gate: GITHUB_EVENT_PATH: ")
    pull.told("usage", 2, pull.folder / "depth-2")


def test_an_error_of_our_own_is_told_as_one(gate: Shell, pull: PullRequest, monkeypatch: pytest.MonkeyPatch) -> None:
    def fail(*_: object, **__: object) -> None:
        raise ZeroDivisionError(TOKEN)

    monkeypatch.setattr(tools, "find_base", fail)
    ended = gate("ci", "--report", NAME, cwd=pull.folder / "depth-2", **pull.variables(CLOSED))
    assert ended.code == 4
    assert "internal error: ZeroDivisionError" in ended.err
    step = pull.told("internal", 4, pull.folder / "depth-2")
    assert "internal error: ZeroDivisionError" in step.summary
    assert TOKEN not in step.summary + ended.out
