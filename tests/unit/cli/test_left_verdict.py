"""No verdict of another run is ever shown for this one, and what is pointed to can be looked at."""

from __future__ import annotations

import json
import re
import shlex
import subprocess
import sys
import threading
from pathlib import Path

import pytest

from gate.cli.files import forget_verdict
from gate.errors import UsageError
from tests.support import fork_server, readme
from tests.support.command_line import HELD, PullRequest, Shell, candidate, environment, project
from tests.support.repository import Repository

NAME = "r.json"
WORSE = candidate({**HELD, "test_a.py::test_two": "failed"})
LEFT = ("verdict.json", "comment.md", "report.html")


@pytest.fixture
def gate(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> Shell:
    return Shell(monkeypatch, capsys)


@pytest.fixture
def repository(gate: Shell, tmp_path: Path) -> Repository:
    """With the verdict of a run that found something."""
    made = project(tmp_path / "project")
    (made.path / NAME).write_text(json.dumps(WORSE), encoding="utf-8")
    assert gate("ci", "--report", NAME, cwd=made.path).code == 1
    assert gate("show", "F1", cwd=made.path).code == 0
    assert all((made.path / ".gate" / name).is_file() for name in LEFT)
    return made


@pytest.mark.parametrize(
    "arguments",
    [("--base", "nothing"), ("--suite", "a/b"), ("--main-report", "nothing.json")],
    ids=" ".join,
)
def test_a_run_that_ends_in_an_error_leaves_no_old_verdict(
    gate: Shell, repository: Repository, arguments: tuple[str, ...]
) -> None:
    assert gate("ci", "--report", NAME, *arguments, cwd=repository.path).code in (2, 3)
    assert not any((repository.path / ".gate" / name).exists() for name in LEFT)
    for command in (("show", "F1"), ("report",)):
        ended = gate(*command, cwd=repository.path)
        assert (ended.code, "no verdict can be read" in ended.err) == (2, True)


def test_an_interrupted_run_leaves_none(gate: Shell, repository: Repository, monkeypatch: pytest.MonkeyPatch) -> None:
    others = set(threading.enumerate())

    def interrupted(process: subprocess.Popen[bytes], timeout: float) -> bool:
        process.wait(timeout)
        for reader in set(threading.enumerate()) - others:
            reader.join(timeout)
        assert process.stdout is not None
        process.stdout.close()
        raise KeyboardInterrupt

    monkeypatch.setattr("gate.record.run._wait", interrupted)
    ended = gate("ci", "--", "-q", "-p", "no:cacheprovider", cwd=repository.path)
    assert (ended.code, "interrupted: nothing was decided" in ended.err) == (3, True), ended.err
    assert not (repository.path / ".gate" / "verdict.json").exists()


def test_the_candidate_that_is_judged_is_not_removed(gate: Shell, repository: Repository) -> None:
    kept = repository.path / ".gate" / "candidate.json"
    kept.write_text(json.dumps(WORSE), encoding="utf-8")
    assert gate("ci", "--report", ".gate/candidate.json", cwd=repository.path).code == 1
    assert kept.is_file()


def test_what_can_not_be_removed_is_told(tmp_path: Path) -> None:
    (tmp_path / "verdict.json").mkdir()
    with pytest.raises(UsageError, match="the verdict of an earlier run can't be removed"):
        forget_verdict(tmp_path)
    forget_verdict(tmp_path / "nothing")
    (tmp_path / "file").write_bytes(b"")
    forget_verdict(tmp_path / "file")


def test_a_comparison_is_kept_for_the_command_that_it_prints(gate: Shell, repository: Repository) -> None:
    forget_verdict(repository.path / ".gate")
    ended = gate("compare", "baselines/default.jsonl", NAME, cwd=repository.path)
    assert (ended.code, "gate show F1" in ended.out) == (1, True)
    shown = gate("show", "F1", cwd=repository.path)
    assert (shown.code, "test_two" in shown.out) == (0, True)


def test_a_comparison_leaves_no_comment_of_another_run(gate: Shell, repository: Repository) -> None:
    assert gate("compare", "baselines/default.jsonl", NAME, cwd=repository.path).code == 1
    assert [name for name in LEFT if (repository.path / ".gate" / name).exists()] == ["verdict.json"]


def test_a_mistyped_comparison_keeps_the_last_verdict(gate: Shell, repository: Repository) -> None:
    assert gate("compare", "baselines/default.jsonl", "nothing.json", cwd=repository.path).code == 3
    assert gate("show", "F1", cwd=repository.path).code == 0


@pytest.mark.parametrize("command", [("compare", "baselines/default.jsonl", NAME), ("ci", "--report", NAME)], ids=str)
def test_where_it_is_kept_elsewhere_the_whole_command_is_printed(
    gate: Shell, repository: Repository, command: tuple[str, ...]
) -> None:
    ended = gate(*command, "--output", "two words", cwd=repository.path)
    (line,) = re.findall(r"^look closer: gate (.*)$", ended.err, re.MULTILINE)
    shown = gate(*shlex.split(line), cwd=repository.path)
    assert (shown.code, "test_two" in shown.out) == (0, True)


def test_a_comparison_that_can_not_be_kept_is_printed_all_the_same(gate: Shell, repository: Repository) -> None:
    ended = gate("compare", "baselines/default.jsonl", NAME, "--output", NAME, cwd=repository.path)
    assert (ended.code, "1 finding fails" in ended.out) == (1, True)
    assert "warning: the verdict is not kept" in ended.err


@pytest.mark.skipif(not sys.platform.startswith("linux"), reason="the action is a container")
@pytest.mark.parametrize("link", [False, True])
def test_a_verdict_that_the_pull_request_brings_is_not_left_by_the_action(tmp_path: Path, link: bool) -> None:
    """The later steps of the workflow upload it, also where the action itself ended in an error."""
    pull = PullRequest(tmp_path, {f"{'made' if link else '.gate'}/verdict.json": "{}"})
    folder = pull.checkout("work")
    if link:
        (folder / ".gate").symlink_to("made")
    variables = pull.variables(
        "http://127.0.0.1:9", GITHUB_WORKSPACE=str(folder), GATE_ALPHA="2", INPUT_REPORT="no.json"
    )
    command = [sys.executable, "-m", "gate.cli.action"]
    result = fork_server.run(command, cwd=readme.ROOT, environ=environment(variables))
    assert result.returncode in (2, 3), result.stderr
    left = folder / ".gate" / "verdict.json"
    assert not left.is_symlink()
    assert not left.exists() or left.read_text("utf-8") != "{}"
    assert not link or (folder / "made" / "verdict.json").read_text("utf-8") == "{}"
