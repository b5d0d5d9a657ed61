"""What main's own run excuses, through the whole of `gate ci`: from GitHub on a pull request, by hand in a shell."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.support.command_line import HELD, NUMBER, PullRequest, Shell, candidate, project, refused
from tests.support.github.fixture import TOKEN, serve
from tests.support.github.server import GitHubServer
from tests.support.github.state import Token

RED = {"test_a.py::test_one": "failed", "test_a.py::test_two": "passed"}
REDDER = {"test_a.py::test_one": "failed", "test_a.py::test_two": "failed"}
NAME = "robustness-gate-default-main"
BROKEN = {"test_a.py": "def test_one(): assert 0\ndef test_two(): pass\n"}


@pytest.fixture
def shell(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> Shell:
    return Shell(monkeypatch, capsys)


@pytest.fixture
def github() -> Iterator[GitHubServer]:
    with serve() as server:
        yield server


@pytest.fixture
def pull(tmp_path: Path) -> PullRequest:
    return PullRequest(tmp_path, BROKEN)


def written(folder: Path, name: str, outcomes: dict[str, str] = RED, **more: object) -> str:
    (folder / name).write_text(json.dumps(candidate(outcomes, **more)), "utf-8")
    return name


def known(folder: Path) -> list[bool]:
    verdict = json.loads((folder / ".gate" / "verdict.json").read_text("utf-8"))
    return [finding.get("known_on_base", False) for finding in verdict["findings"]]


def gate(shell: Shell, pull: PullRequest, github: GitHubServer, *arguments: str, **variables: str) -> tuple[int, Path]:
    """Gate a checkout of the pull request whose suite ran elsewhere."""
    github.add_pull_request(NUMBER, pull.head, pull.base)
    folder = pull.checkout(f"checkout-{len(list(pull.folder.iterdir()))}")
    report = written(folder, "candidate.json")
    given = {"GITHUB_TOKEN": TOKEN, **variables}
    ended = shell("ci", "--report", report, *arguments, cwd=folder, **pull.variables(github.url, **given))
    return ended.code, folder


def test_what_main_shows_too_fails_no_pull_request(shell: Shell, pull: PullRequest, github: GitHubServer) -> None:
    code, folder = gate(shell, pull, github)
    assert (code, known(folder)) == (1, [False])
    run = github.add_run("main", pull.base, "push", conclusion="failure")
    github.add_artifact(NAME, run, {"candidate.json": json.dumps(candidate(RED)).encode()})
    code, folder = gate(shell, pull, github)
    assert (code, known(folder)) == (0, [True])
    assert "main's own" in github.comments(NUMBER)[0].body


def test_main_regressed_after_branching_and_the_pull_request_is_innocent(
    shell: Shell, tmp_path: Path, github: GitHubServer
) -> None:
    pull = PullRequest(tmp_path, {"x.txt": "x"})
    before = pull.base
    pull.origin.git("checkout", "--quiet", "main")
    pull.base = pull.origin.commit(BROKEN)
    pull.merge = pull.origin.merge_like_github("main", "change", NUMBER)
    left = {"candidate.json": json.dumps(candidate(HELD)).encode()}
    github.add_artifact(NAME, github.add_run("main", before, "push"), left)
    code, folder = gate(shell, pull, github)
    assert (code, known(folder)) == (1, [False]), "main's run before it regressed excuses nothing"
    run = github.add_run("main", pull.base, "push", conclusion="failure")
    github.add_artifact(NAME, run, {"candidate.json": json.dumps(candidate(RED)).encode()})
    github.state.history = [before, pull.base]
    code, folder = gate(shell, pull, github)
    assert (code, known(folder)) == (0, [True])
    written(folder, "candidate.json", REDDER)
    variables = pull.variables(github.url, GITHUB_TOKEN=TOKEN)
    assert shell("ci", "--report", "candidate.json", cwd=folder, **variables).code == 1, "its own failure fails it"
    assert sorted(known(folder)) == [False, True]


def test_what_the_pull_request_itself_uploads_does_not(shell: Shell, pull: PullRequest, github: GitHubServer) -> None:
    own = {"candidate.json": json.dumps(candidate(RED)).encode()}
    github.add_artifact(NAME, github.add_run("change", pull.head), own)
    github.add_artifact(NAME, github.add_run("main", pull.head, "push"), own)
    github.add_artifact(NAME, github.add_run("main", pull.base, "push", head_repository="stranger/model"), own)
    code, folder = gate(shell, pull, github)
    assert (code, known(folder)) == (1, [False])


@pytest.mark.parametrize("name", ["GATE_MAIN_REPORT", "GATE_CI_MAIN_REPORT", "INPUT_MAIN-REPORT"])
def test_no_variable_names_one(shell: Shell, pull: PullRequest, github: GitHubServer, name: str) -> None:
    code, folder = gate(shell, pull, github, **{name: "candidate.json"})
    assert (code, known(folder)) == (1, [False])


def test_neither_does_the_command_line_of_its_workflow(shell: Shell, pull: PullRequest, github: GitHubServer) -> None:
    folder = pull.checkout("checkout")
    report = written(folder, "candidate.json")
    ended = shell(
        "ci", "--report", report, "--main-report", report, cwd=folder, **pull.variables(github.url, GITHUB_TOKEN=TOKEN)
    )
    refused(ended, 2, "a pull request can't name the report of main's own run", advice="leave it out")


def test_a_missing_permission_is_a_notice_where_it_matters(shell: Shell, pull: PullRequest) -> None:
    with serve(tokens={TOKEN: Token(actions="none")}) as github:
        assert gate(shell, pull, github)[0] == 1
        assert "actions: read" in github.comments(NUMBER)[0].body
        github.add_pull_request(NUMBER, pull.head, pull.base)
        folder = pull.checkout("green")
        report = written(folder, "candidate.json", HELD)
        ended = shell("ci", "--report", report, cwd=folder, **pull.variables(github.url, GITHUB_TOKEN=TOKEN))
        assert ended.code == 0
        assert "actions: read" not in github.comments(NUMBER)[0].body + ended.out + ended.err


def test_several_reports_are_not_excused_by_one(shell: Shell, tmp_path: Path, github: GitHubServer) -> None:
    pull = PullRequest(tmp_path, BROKEN, {"gate.toml": 'reports = ["more.json"]\n'})
    run = github.add_run("main", pull.base, "push")
    github.add_artifact(NAME, run, {"candidate.json": json.dumps(candidate(RED)).encode()})
    folder = pull.checkout("checkout")
    github.add_pull_request(NUMBER, pull.head, pull.base)
    written(folder, "more.json", {"other.py::test": "passed"})
    report = written(folder, "candidate.json")
    ended = shell("ci", "--report", report, cwd=folder, **pull.variables(github.url, GITHUB_TOKEN=TOKEN))
    assert ended.code == 1
    assert "`reports` joins several" in github.comments(NUMBER)[0].body.replace("\\", "")


@pytest.fixture
def checkout(tmp_path: Path) -> Path:
    """A branch in a shell, of a repository with a baseline."""
    repository = project(tmp_path / "shell")
    repository.branch("change")
    repository.commit(BROKEN)
    return repository.path


@pytest.mark.parametrize(("main", "code"), [(RED, 0), (REDDER, 0), (HELD, 1)], ids=["same", "worse", "green"])
def test_by_hand_in_a_shell(shell: Shell, checkout: Path, main: dict[str, str], code: int) -> None:
    report, other = written(checkout, "candidate.json"), written(checkout, "main.json", main)
    ended = shell("ci", "--report", report, "--main-report", other, cwd=checkout)
    assert ended.code == code, ended.out + ended.err
    assert known(checkout) == [code == 0]


@pytest.mark.parametrize(
    ("more", "said"),
    [
        ({"gate": {"schema": 1, "suite": "other"}}, "is of the suite `other`"),
        ({"gate": {"schema": 999}}, "newer"),
        ({"exit_code": 2}, "is not whole"),
    ],
)
def test_a_file_that_may_not_stand_for_main_is_refused(
    shell: Shell, checkout: Path, more: dict[str, object], said: str
) -> None:
    report, other = written(checkout, "candidate.json"), written(checkout, "main.json", **more)
    refused(shell("ci", "--report", report, "--main-report", other, cwd=checkout), 3, "main.json", said)


def test_a_file_that_is_not_there(shell: Shell, checkout: Path) -> None:
    report = written(checkout, "candidate.json")
    refused(shell("ci", "--report", report, "--main-report", "no.json", cwd=checkout), 3, "no.json", "no such report")
