"""`gate show`: several findings, local names and moves, and the verdict of a pull request on GitHub."""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from gate import render
from gate.deliver.patience import Patience
from gate.schema.verdict import ExampleChange, Provenance, Verdict
from tests.support import verdicts
from tests.support.command_line import Ended, Shell, refused
from tests.support.github.faults import Fault
from tests.support.github.fixture import HEAD, NUMBER, TOKEN, serve
from tests.support.github.server import GitHubServer
from tests.support.github.state import Token
from tests.support.repository import Repository

NAME = f"robustness-gate-default-pr-{NUMBER}"
ATTACK = "gaussian ε=0.05"


def verdict(**origin: Any) -> Verdict:
    """Two findings of one pull request, the second an adversarial regression of two examples."""
    moved = verdicts.flips(2)
    examples = tuple(ExampleChange(key, "repay", "flipped", "age +1.2 sd") for key in ("k7f2", "a91c"))
    attacked = replace(moved, case_id=f"tests/test_model.py::test_it#applicants#{ATTACK}", examples=examples)
    provenance = Provenance(head=HEAD, **{"pull_request": NUMBER, **origin})
    return Verdict(findings=(verdicts.failing(1, "test_iban", "KeyError"), attacked), provenance=provenance)


@pytest.fixture
def shell(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> Shell:
    monkeypatch.delenv("GH_TOKEN", raising=False)
    return Shell(monkeypatch, capsys)


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A folder in which `gate ci` has run."""
    (tmp_path / ".gate").mkdir()
    (tmp_path / ".gate" / "verdict.json").write_text(render.verdict_json(verdict()), "utf-8")
    return tmp_path


def remembered(folder: Path, *entries: dict[str, Any], tail: str = "") -> None:
    lines = "".join(json.dumps(entry) + "\n" for entry in entries)
    (folder / ".gate" / "local.jsonl").write_text(lines + tail, "utf-8")


def test_several_findings(shell: Shell, folder: Path) -> None:
    shown = shell("show", "F1", "f2", cwd=folder)
    assert shown.code == 0
    assert shell("show", "F1,f2", cwd=folder).out == shown.out
    assert "to waive it on main: gate accept newly-failing tests/test_schema.py::test_iban --reason" in shown.out
    assert " --amount 7 --reason" in shown.out
    assert "F1 newly-failing (error)" in shown.out
    assert "\n\nF2 negative-flip (error)" in shown.out


def test_nothing_is_shown_when_one_of_them_does_not_exist(shell: Shell, folder: Path) -> None:
    shown = shell("show", "F1", "F9", cwd=folder)
    refused(shown, 2, "the verdict has no finding F9")
    assert shown.out == ""


def test_names_and_moves_of_this_machine_are_joined(shell: Shell, folder: Path) -> None:
    moves = {f"applicants, {ATTACK}": "age 31 → 42", "applicants, gaussian ε=0.2": "age 31 → 70", "x": "y"}
    remembered(folder, {"key": "k7f2", "id": "customer 12", "moves": moves}, {"key": "a91c", "id": "customer 7"})
    shown = shell("show", "F2", cwd=folder).out
    assert "k7f2 (customer 12)" in shown
    assert "a91c (customer 7)" in shown
    assert shown.endswith("\n\nmoves in the suite's own units\n  customer 12  age 31 → 42\n")


def test_moves_are_of_the_findings_attack_alone(shell: Shell, folder: Path) -> None:
    remembered(folder, {"key": "k7f2", "id": "customer 12", "moves": {"applicants, other": "age 31 → 42"}})
    assert "moves in" not in shell("show", "F1", "F2", cwd=folder).out


def test_moves_can_not_command_the_terminal(shell: Shell, folder: Path) -> None:
    moves = {f"applicants, {ATTACK}": "age\x1b[31m 31\n::error::x"}
    remembered(folder, {"key": "k7f2", "id": "a\x1b[2Jb", "moves": moves})
    shown = shell("show", "F2", cwd=folder).out
    assert "\x1b" not in shown
    assert "\n::error" not in shown


def test_a_damaged_local_table_loses_its_damaged_lines_alone(shell: Shell, folder: Path) -> None:
    moves = {f"applicants, {ATTACK}": "age 31 → 42"}
    remembered(
        folder,
        {"key": "k7f2"},
        {"key": "k7f2", "id": "customer 12", "moves": [1]},
        {"key": "a91c", "id": "customer 7", "moves": moves},
        tail='{"key": "k7',
    )
    shown = shell("show", "F2", cwd=folder).out
    assert "a91c (customer 7)" in shown
    assert "  customer 7  age 31 → 42\n" in shown


@pytest.fixture
def remote(tmp_path: Path) -> Iterator[GitHubServer]:
    """A GitHub, and a checkout whose `origin` is there."""
    repository = Repository(tmp_path / "checkout")
    repository.git("remote", "add", "origin", "git@github.com:octo/model.git")
    with serve() as github:
        yield github


@pytest.fixture
def checkout(remote: GitHubServer, tmp_path: Path) -> Path:
    return tmp_path / "checkout"


def uploaded(github: GitHubServer, data: Verdict | bytes, *, commit: str = HEAD, name: str = NAME, **more: Any) -> None:
    content = data if isinstance(data, bytes) else render.verdict_json(data).encode()
    run = github.add_run("change", commit)
    github.add_artifact(name, run, {"verdict.json": content, "trials.jsonl": b""}, **more)


def ask(shell: Shell, github: GitHubServer, folder: Path, *arguments: str, **variables: str) -> Ended:
    given = {"GITHUB_TOKEN": TOKEN, "GITHUB_API_URL": github.url, **variables}
    return shell(
        "show", "F2", "--pr", str(NUMBER), *arguments, cwd=folder, **{k: v for k, v in given.items() if v != ""}
    )


def test_a_finding_of_a_pull_request(shell: Shell, remote: GitHubServer, checkout: Path) -> None:
    uploaded(remote, verdict())
    shown = ask(shell, remote, checkout)
    assert (shown.code, shown.err) == (0, "")
    assert shown.out.startswith("F2 negative-flip (error)")
    assert not (checkout / ".gate").exists()


def test_the_other_token_variable_will_do(shell: Shell, remote: GitHubServer, checkout: Path) -> None:
    uploaded(remote, verdict())
    assert ask(shell, remote, checkout, GITHUB_TOKEN="", GH_TOKEN=TOKEN).code == 0


def test_of_another_suite_and_repository(shell: Shell, remote: GitHubServer, tmp_path: Path) -> None:
    uploaded(remote, verdict(suite="fraud"), name=f"robustness-gate-fraud-pr-{NUMBER}")
    assert ask(shell, remote, tmp_path, "--suite", "fraud", "--repository", "octo/model").code == 0
    (tmp_path / "gate.toml").write_text('suite = "fraud"\n', "utf-8")
    assert ask(shell, remote, tmp_path, GITHUB_REPOSITORY="octo/model").code == 0


def test_local_names_are_joined_there_too(shell: Shell, remote: GitHubServer, checkout: Path) -> None:
    uploaded(remote, verdict())
    (checkout / ".gate").mkdir()
    moves = {f"applicants, {ATTACK}": "age 31 → 42"}
    remembered(checkout, {"key": "k7f2", "id": "customer 12", "moves": moves})
    shown = ask(shell, remote, checkout).out
    assert "k7f2 (customer 12)" in shown
    assert "  customer 12  age 31 → 42\n" in shown


def test_a_verdict_of_an_earlier_head_says_so(shell: Shell, remote: GitHubServer, checkout: Path) -> None:
    uploaded(remote, verdict(), commit="1" * 40)
    shown = ask(shell, remote, checkout)
    assert shown.code == 0
    assert f"this is the verdict of 1111111, and the pull request is at {HEAD[:7]} now" in shown.err


def test_without_a_token(shell: Shell, remote: GitHubServer, checkout: Path) -> None:
    refused(ask(shell, remote, checkout, GITHUB_TOKEN=""), 2, "there is no token", advice="gh auth token")
    assert remote.log == []


def test_with_a_token_that_may_not(shell: Shell, checkout: Path) -> None:
    with serve(tokens={TOKEN: Token(actions="none")}) as github:
        refused(ask(shell, github, checkout), 2, "may not do this", advice="a token that may read actions")


def test_with_a_token_that_is_wrong(shell: Shell, remote: GitHubServer, checkout: Path) -> None:
    shown = ask(shell, remote, checkout, GITHUB_TOKEN="ghs_wrong0123456789")
    refused(shown, 2, "does not accept the token", advice="a token that may read actions")
    assert "ghs_wrong" not in shown.err


def test_no_such_pull_request(shell: Shell, remote: GitHubServer, checkout: Path) -> None:
    del remote.state.pulls[NUMBER]
    refused(ask(shell, remote, checkout), 2, "octo/model#7: there is no such pull request", advice="--repository")


def test_no_run_has_left_a_verdict(shell: Shell, remote: GitHubServer, checkout: Path) -> None:
    uploaded(remote, verdict(), name=f"robustness-gate-fraud-pr-{NUMBER}")
    refused(ask(shell, remote, checkout), 2, "no run of this pull request has left a verdict", advice="--suite")


def test_an_expired_verdict(shell: Shell, remote: GitHubServer, checkout: Path) -> None:
    uploaded(remote, verdict(), expired=True)
    refused(ask(shell, remote, checkout), 2, "has expired", advice="run the workflow")


def test_no_such_finding(shell: Shell, remote: GitHubServer, checkout: Path) -> None:
    uploaded(remote, Verdict(provenance=Provenance(head=HEAD, pull_request=NUMBER)))
    refused(ask(shell, remote, checkout), 2, "the verdict has no finding F2", advice="it has no findings")


@pytest.mark.parametrize(
    "content", [b"", b"\xff", b"[]", b'{"schema": 999}', b"\0" * 2**25], ids=lambda data: repr(data[:20])
)
def test_a_damaged_verdict(shell: Shell, remote: GitHubServer, checkout: Path, content: bytes) -> None:
    uploaded(remote, content)
    shown = ask(shell, remote, checkout)
    refused(shown, 2)


def test_a_verdict_of_something_else(shell: Shell, remote: GitHubServer, checkout: Path) -> None:
    uploaded(remote, verdict(pull_request=99))
    refused(ask(shell, remote, checkout), 2, "of something else", advice="gate init")


@pytest.mark.parametrize("path", ["/pulls/", "/actions/artifacts\\?", "/zip"])
def test_github_is_down(shell: Shell, remote: GitHubServer, checkout: Path, path: str, monkeypatch: Any) -> None:
    monkeypatch.setattr(Patience, "wait", lambda *_: True)
    uploaded(remote, verdict())
    remote.faults.add(Fault(path=path, status=503, times=-1))
    refused(ask(shell, remote, checkout), 2, "status 503", advice="try again later")


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (("--verdict", "x.json"), "name two verdicts"),
        (("--repository", "model"), "can't be called 'model'"),
        (("--suite", "../x"), "`suite` can't be"),
    ],
)
def test_options_that_do_not_fit(
    shell: Shell, remote: GitHubServer, checkout: Path, arguments: tuple[str, ...], said: str
) -> None:
    refused(ask(shell, remote, checkout, *arguments), 2, said)
    assert remote.log == []


def test_options_that_need_a_pull_request(shell: Shell, folder: Path) -> None:
    refused(shell("show", "F1", "--suite", "fraud", cwd=folder), 2, "looked for on GitHub", advice="--pr")
