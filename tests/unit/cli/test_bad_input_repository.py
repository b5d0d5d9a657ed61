"""Checkouts that can't be judged: no git, no repository, another owner's, too shallow; and the odd ones that can."""

from __future__ import annotations

import json
import os
import re
import shlex
import subprocess
from pathlib import Path

import pytest

from tests.support.command_line import HELD, NUMBER, PullRequest, Shell, call, candidate, environment, project, refused
from tests.support.github.runner import commands
from tests.support.repository import Repository

NOBODY = 65534
CLOSED = "http://127.0.0.1:9"
NAME = "r.json"


@pytest.fixture
def gate(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> Shell:
    return Shell(monkeypatch, capsys)


@pytest.fixture(scope="module")
def pull(tmp_path_factory: pytest.TempPathFactory) -> PullRequest:
    """A pull request; each test takes its own clone."""
    return PullRequest(tmp_path_factory.mktemp("repository"), {"x.txt": "x"})


def with_report(folder: Path, **outcomes: str) -> Path:
    """A report of a run made elsewhere, so that no test has to run a suite."""
    worse = {f"test_a.py::test_{name}": outcome for name, outcome in outcomes.items()}
    (folder / NAME).write_text(json.dumps(candidate({**HELD, **worse})), encoding="utf-8")
    return folder


@pytest.mark.parametrize("command", [["ci"], ["ci", "--report", NAME], ["init", "--yes"], ["config", "--base", "main"]])
def test_no_git_on_the_path(tmp_path: Path, pull: PullRequest, command: list[str]) -> None:
    empty = tmp_path / "bin"
    empty.mkdir()
    ended = call(*command, cwd=pull.origin.path, PATH=str(empty))
    refused(ended, 2, "gate: git is not installed, or not on the PATH", advice="install git")


def test_no_git_in_a_workflow_is_told_to_the_workflow(tmp_path: Path, pull: PullRequest) -> None:
    empty = tmp_path / "bin"
    empty.mkdir()
    ended = call("ci", cwd=pull.origin.path, **pull.variables(CLOSED, PATH=str(empty)))
    refused(ended, 2, "git is not installed")
    assert "install git (Debian" in pull.told("usage", 2, pull.origin.path).summary
    ((name, message),) = commands(ended.out)
    assert (name, message.startswith("git is not installed")) == ("error", True)


def test_comparing_two_files_needs_no_git(tmp_path: Path, pull: PullRequest) -> None:
    folder = with_report(tmp_path)
    baseline = str(pull.origin.path / "baselines" / "default.jsonl")
    assert call("compare", baseline, NAME, cwd=folder, PATH=str(tmp_path)).code == 0


def test_not_a_repository(gate: Shell, tmp_path: Path) -> None:
    refused(gate("ci", cwd=tmp_path), 2, f"gate: {tmp_path}: this is not a git repository", advice="checkout")


def test_a_workflow_without_a_checkout(gate: Shell, tmp_path: Path, pull: PullRequest) -> None:
    ended = gate("ci", cwd=tmp_path, **pull.variables(CLOSED))
    refused(ended, 2, "this is not a git repository", advice="in a workflow `actions/checkout` comes first")
    assert pull.step().outputs["exit-code"] == "2"


def test_nothing_committed_yet(gate: Shell, tmp_path: Path) -> None:
    Repository(tmp_path / "new")
    refused(gate("ci", cwd=tmp_path / "new"), 2, "nothing is committed yet", advice="commit first")


def test_a_baseline_outside_of_git_says_that_it_names_no_commit(gate: Shell, tmp_path: Path) -> None:
    ended = gate("baseline", "adopt", NAME, cwd=with_report(tmp_path))
    assert ended.code == 0
    assert "warning: the baseline names no commit: this is not a git repository" in ended.err


@pytest.mark.skipif(not hasattr(os, "geteuid") or os.geteuid() != 0, reason="only root may give files to another user")
def test_dubious_ownership_goes_away_with_the_command_that_it_names(tmp_path: Path) -> None:
    repository = project(tmp_path / "project")
    with_report(repository.path)
    for path in (repository.path, *repository.path.rglob("*")):
        os.chown(path, NOBODY, NOBODY, follow_symlinks=False)
    home = tmp_path / "home"
    home.mkdir()
    variables = {"HOME": str(home), "XDG_CONFIG_HOME": str(home), "GIT_CONFIG_NOSYSTEM": "1", "SUDO_UID": "0"}
    command = ["ci", "--base", "main", "--report", NAME]
    ended = call(*command, cwd=repository.path, **variables)
    if ended.code == 0:
        pytest.skip("the configuration of git on this machine trusts every folder")
    refused(ended, 2, f"gate: {repository.path}: git refuses this repository because another user owns it")
    (remedy,) = re.findall(r"next: `(git config [^`]+)`", ended.err)
    subprocess.run(shlex.split(remedy), env=environment(variables), check=True, timeout=60)
    assert call(*command, cwd=repository.path, **variables).code == 0


def test_a_detached_head_is_judged(gate: Shell, tmp_path: Path) -> None:
    """As every merge commit of a pull request is."""
    repository = project(tmp_path / "project")
    repository.branch("change")
    repository.commit({"x.txt": "x"})
    repository.git("checkout", "--quiet", "--detach")
    with_report(repository.path)
    ended = gate("ci", "--report", NAME, cwd=repository.path)
    assert (ended.code, "As robust as main" in ended.out) == (0, True), ended.err
    with_report(repository.path, two="failed")
    assert gate("ci", "--report", NAME, cwd=repository.path).code == 1


def test_a_merge_commit_at_depth_1_names_the_depth_that_is_enough(gate: Shell, pull: PullRequest) -> None:
    folder = with_report(pull.checkout("merge-1", depth=1))
    ended = gate("ci", "--report", NAME, cwd=folder, **pull.variables(CLOSED))
    said = f"gate: the clone lacks the base {pull.base[:7]} (first parent of the merge commit)"
    refused(ended, 2, said, advice="set `fetch-depth: 2` at actions/checkout")
    assert "`fetch-depth: 2`" in pull.told("usage", 2, folder).summary
    folder = with_report(pull.checkout("merge-2", depth=2))
    assert gate("ci", "--report", NAME, cwd=folder, **pull.variables(CLOSED)).code == 0


def test_a_shallow_head_names_the_depth_that_is_enough(gate: Shell, pull: PullRequest) -> None:
    """`ref: ${{ github.event.pull_request.head.sha }}` at actions/checkout."""
    folder = with_report(pull.checkout("head-1", depth=1, ref=f"refs/pull/{NUMBER}/head"))
    ended = gate("ci", "--report", NAME, cwd=folder, **pull.variables(CLOSED))
    refused(ended, 2, f"the clone lacks the base {pull.base[:7]}", advice="set `fetch-depth: 0` at actions/checkout")


def test_a_shallow_clone_in_a_shell(gate: Shell, pull: PullRequest) -> None:
    folder = with_report(pull.checkout("shell", depth=1))
    ended = gate("ci", "--report", NAME, cwd=folder)
    refused(ended, 2, "no branch to compare with", "`origin/main`", advice="`git fetch --unshallow`")
    ended = gate("ci", "--report", NAME, "--base", "origin/main", cwd=folder)
    refused(ended, 2, "gate: --base: no commit is called `origin/main` here", advice="git fetch origin")


def test_a_name_that_is_an_option_of_git_is_no_commit(gate: Shell, pull: PullRequest) -> None:
    ended = gate("ci", "--base=--output=stolen", "--report", NAME, cwd=pull.origin.path)
    refused(ended, 2, "no commit is called `--output=stolen` here")
    assert not (pull.origin.path / "stolen").exists()
