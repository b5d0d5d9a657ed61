"""The gate as users call it, and a pull request to call it on; nothing of the tests' own environment shines through."""

from __future__ import annotations

import functools
import json
import os
import re
import sys
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from gate.cli import exit_code_of
from gate.record import run as started
from tests.support import fork_server
from tests.support.repository import Repository

NUMBER = 7
REPOSITORY = "octo/model"
SUITE = {"test_a.py": "def test_one(): pass\ndef test_two(): pass\n", ".gitignore": "/.gate/\n__pycache__/\n"}
HELD = {"test_a.py::test_one": "passed", "test_a.py::test_two": "passed"}
BASELINE = (
    '{"gate_baseline":1}'
    + "\n"
    + "".join(json.dumps({"id": name, "outcome": word}, separators=(",", ":")) + "\n" for name, word in HELD.items())
)
_OURS = re.compile(r"^(?:GATE_|GITHUB_|INPUT_|CI$)")


@dataclass(frozen=True, slots=True)
class Ended:
    """How a command ended: its exit code and what it printed."""

    code: int
    out: str
    err: str


def environment(variables: Mapping[str, str]) -> dict[str, str]:
    """This process's own without what the gate reads, and with more."""
    return {name: value for name, value in os.environ.items() if not _OURS.match(name)} | dict(variables)


def call(*arguments: str, cwd: Path, **variables: str) -> Ended:
    """`gate` as a process of its own."""
    command = [sys.executable, "-m", "gate", *arguments]
    result = fork_server.run(command, cwd=cwd, environ=environment(variables))
    return Ended(result.returncode, result.stdout, result.stderr)


class Shell:
    """Calls `gate` within this process, which is quicker; what it starts (git, pytest) is real."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
        self._monkeypatch = monkeypatch
        self._capsys = capsys
        self._forks = fork_server.address()

    def __call__(self, *arguments: str, cwd: Path, **variables: str) -> Ended:
        self._capsys.readouterr()
        with self._monkeypatch.context() as patch:
            for name in filter(_OURS.match, list(os.environ)):
                patch.delenv(name)
            for name, value in variables.items():
                patch.setenv(name, value)
            patch.chdir(cwd)
            patch.setattr(started, "_start", functools.partial(fork_server.start, started._start, self._forks))
            code = exit_code_of(arguments)
        printed = self._capsys.readouterr()
        return Ended(code, printed.out, printed.err)


def refused(ended: Ended, code: int, *words: str, advice: str = "") -> None:
    """The command said what happened, where, and what to do next; and it was no error of its own."""
    told = ended.out + ended.err
    assert ended.code == code, told
    assert "Traceback" not in told
    assert "internal error" not in told
    assert [word for word in words if word not in ended.err] == [], ended.err
    last = ended.err.rstrip("\n").rpartition("\n")[2]
    assert last.startswith("  next: "), ended.err
    assert advice in last


def candidate(outcomes: Mapping[str, str] = HELD, *, exit_code: int | None = None, **more: Any) -> dict[str, Any]:
    """A report as pytest-json-report writes it."""
    tests = [
        {"nodeid": name, "lineno": 1, "outcome": word, "keywords": [], "call": {"duration": 0.1, "outcome": word}}
        for name, word in outcomes.items()
    ]
    code = int("failed" in outcomes.values()) if exit_code is None else exit_code
    head = {"created": 1.0, "duration": 1.0, "exitcode": code, "root": "/r", "environment": {}}
    return {**head, "summary": {"total": len(tests), "collected": len(tests)}, "tests": tests, **more}


def project(folder: Path, files: Mapping[str, str | bytes | None] | None = None) -> Repository:
    """A repository whose main has a suite that holds and its baseline."""
    repository = Repository(folder)
    repository.commit({**SUITE, "baselines/default.jsonl": BASELINE, **(files or {})})
    return repository


@dataclass(frozen=True, slots=True)
class Step:
    """What a step of a workflow left beside its log."""

    outputs: dict[str, str]
    summary: str


class PullRequest:
    """A pull request of a repository, merged by GitHub to try it, and the variables of its workflow.

    Args:
        folder: for the repository, the event and the runner's files.
        change: what the pull request does to the files of main.
        main: files of main beside or instead of those of `project`.
    """

    def __init__(
        self,
        folder: Path,
        change: Mapping[str, str | bytes | None],
        main: Mapping[str, str | bytes | None] | None = None,
    ) -> None:
        self.folder = folder
        self.origin = project(folder / "origin", main)
        self.base = self.origin.head
        self.origin.branch("change")
        self.head = self.origin.commit(change)
        self.merge = self.origin.merge_like_github("main", "change", NUMBER)
        self.event = folder / "event.json"
        self.event.write_text(json.dumps(self._payload()), encoding="utf-8")

    def checkout(self, name: str, *, depth: int | None = 2, ref: str = f"refs/pull/{NUMBER}/merge") -> Path:
        """As actions/checkout leaves it."""
        return self.origin.clone(self.folder / name, depth=depth, ref=ref).path

    def variables(self, api: str, **more: str) -> dict[str, str]:
        """The environment of the step, with empty files of the runner."""
        for name in ("outputs", "summary"):
            (self.folder / name).write_bytes(b"")
        return {
            "CI": "true",
            "GITHUB_ACTIONS": "true",
            "GITHUB_API_URL": api,
            "GITHUB_EVENT_NAME": "pull_request",
            "GITHUB_EVENT_PATH": str(self.event),
            "GITHUB_OUTPUT": str(self.folder / "outputs"),
            "GITHUB_REPOSITORY": REPOSITORY,
            "GITHUB_RUN_ATTEMPT": "1",
            "GITHUB_RUN_ID": "5",
            "GITHUB_SHA": self.merge,
            "GITHUB_STEP_SUMMARY": str(self.folder / "summary"),
            **more,
        }

    def step(self) -> Step:
        """What the runner's files hold now."""
        from tests.support.github.runner import outputs

        return Step(outputs((self.folder / "outputs").read_bytes()), (self.folder / "summary").read_text("utf-8"))

    def told(self, word: str, code: int, checkout: Path) -> Step:
        """What the runner's files hold of a pull request that could not be judged; its verdict says the same."""
        step = self.step()
        assert (step.outputs["verdict"], step.outputs["exit-code"]) == (word, str(code))
        verdict = json.loads((checkout / step.outputs["report"]).read_text("utf-8"))
        assert (verdict["exit"], verdict["exit_code"]) == (word, code)
        return step

    def _payload(self) -> dict[str, Any]:
        place = {"full_name": REPOSITORY, "default_branch": "main"}
        sides = {"base": ("main", self.base), "head": ("change", self.head)}
        ends = {side: {"ref": ref, "sha": sha, "repo": place} for side, (ref, sha) in sides.items()}
        return {"action": "opened", "number": NUMBER, "repository": place, "pull_request": {"number": NUMBER, **ends}}


def findings(folder: Path) -> list[tuple[str, str]]:
    """Rule and what it says, of each finding of the last verdict in a folder."""
    verdict = json.loads((folder / ".gate" / "verdict.json").read_text("utf-8"))
    found: Sequence[Mapping[str, Any]] = verdict["findings"]
    return [(finding["rule"], finding["what"]) for finding in found]
