"""`gate baseline refresh --recordings`: what the pull request of the refresh says."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from gate.record.recordings.store import Store
from tests.support.command_line import Ended, Shell, candidate
from tests.support.repository import Repository
from tests.support.stored_entries import CASE, KEYS, made

REPORT = "report.json"


@pytest.fixture
def gate(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> Shell:
    return Shell(monkeypatch, capsys)


@pytest.fixture
def repository(tmp_path: Path) -> Repository:
    """Main with recordings and a baseline, and beside them a new run with other answers."""
    repository = Repository(tmp_path / "project")
    Store(repository.path / "recordings").put([made(body=b"yes"), made(KEYS[1], body=b"kept")])
    report(repository, "1" * 10, "s1")
    repository.commit({".gitignore": f"/{REPORT}\n"}, "main")
    return repository


def report(repository: Repository, outcomes: str, session: str) -> None:
    ours = {"schema": 1, "stochastic": True, "trials": {"sessions": [{"session": session, "outcomes": outcomes}]}}
    found = candidate({CASE: "passed", "t.py::gone": "passed"} if session == "s1" else {CASE: "passed"})
    found["tests"][0]["metadata"] = {"gate": ours}
    (repository.path / REPORT).write_text(json.dumps(found), encoding="utf-8")


def refresh(gate: Shell, repository: Repository, *arguments: str) -> Ended:
    return gate("--quiet", "baseline", "refresh", REPORT, *arguments, cwd=repository.path)


def test_the_summary_has_outcomes_rates_and_answers(gate: Shell, repository: Repository) -> None:
    first = refresh(gate, repository, "--recordings", "recordings", "--format", "markdown")
    assert first.code == 0, first.err
    assert "**no answer changed**; 2 are stored." in first.out
    repository.commit({}, "baseline")
    Store(repository.path / "recordings").put([made(body=b"no")])
    report(repository, "1111110000", "s2")
    said = refresh(gate, repository, "--recordings", "recordings", "--format", "markdown")
    assert said.code == 0, said.err
    head, rates, answers = (said.out.index(f"#### {title}") for title in ("Removed", "Pass rates", "Answers of models"))
    assert head < rates < answers
    assert "10/10 (100%) | 6/10 (60%)" in said.out
    assert "**1 changed**; 2 are stored." in said.out
    assert "-yes\n+no" in said.out
    line = refresh(gate, repository, "--recordings", "recordings")
    assert "Answers of models: 1 changed" in line.out


def test_a_folder_in_place_of_a_commit_and_one_that_is_neither(gate: Shell, repository: Repository) -> None:
    (repository.path / "empty").mkdir()
    said = refresh(gate, repository, "--recordings", "recordings", "--before", "empty", "--format", "markdown")
    assert "**2 added**; 2 are stored." in said.out
    wrong = refresh(gate, repository, "--recordings", "recordings", "--before", "nowhere")
    assert wrong.code == 2
    assert "nowhere is neither a folder nor a commit" in wrong.err


def test_without_recordings_nothing_more_is_said(gate: Shell, repository: Repository) -> None:
    plain = refresh(gate, repository, "--check", "--format", "markdown")
    assert plain.code == 1
    with_option = refresh(gate, repository, "--check", "--format", "markdown", "--recordings", "nowhere")
    assert (with_option.code, with_option.out) == (1, plain.out)
    assert "Pass rates" not in plain.out


def test_the_folder_of_the_settings_needs_no_name(gate: Shell, repository: Repository) -> None:
    (repository.path / "recordings").rename(repository.path / "answers")
    repository.commit({"gate.toml": 'recordings = "answers"\n'}, "settings")
    said = refresh(gate, repository, "--recordings", "--format", "markdown")
    assert said.code == 0, said.err
    assert "**no answer changed**; 2 are stored." in said.out
