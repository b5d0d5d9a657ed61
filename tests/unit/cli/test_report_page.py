"""`gate report --format html`: the page with what stands beside the verdict and with main's history."""

from __future__ import annotations

import json
import shutil
from dataclasses import replace
from pathlib import Path

import pytest

from gate.cli.files import read_verdict_file
from gate.cli.report_page import candidate_beside
from gate.render import verdict_json
from gate.schema.verdict import Provenance
from tests.support import verdicts
from tests.support.command_line import BASELINE, HELD, Shell, candidate, project
from tests.support.repository import Repository

WORSE = candidate({**HELD, "test_a.py::test_two": "failed"})


@pytest.fixture
def gate(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> Shell:
    return Shell(monkeypatch, capsys)


@pytest.fixture
def repository(tmp_path: Path) -> Repository:
    """Two versions of the baseline, the first worse; a verdict; beside it the candidate that was judged."""
    made = project(tmp_path / "project", {"baselines/default.jsonl": BASELINE.replace("passed", "failed", 1)})
    made.commit({"baselines/default.jsonl": BASELINE}, "refresh")
    judge(made)
    (made.path / ".gate" / "candidate.json").write_text(json.dumps(WORSE), encoding="utf-8")
    return made


def judge(repository: Repository, number: int | None = None) -> None:
    """Leave a verdict over what is checked out."""
    origin = Provenance(base=repository.head, head=repository.head, pull_request=number)
    repository.write({".gate/verdict.json": verdict_json(replace(verdicts.worse(), provenance=origin))})


def shown(gate: Shell, folder: Path) -> str:
    ended = gate("report", "--format", "html", "--output", "page.html", cwd=folder)
    assert ended.code == 0, ended.err
    return (folder / "page.html").read_text(encoding="utf-8")


def test_the_page_shows_the_last_refreshes_and_what_was_measured_here(gate: Shell, repository: Repository) -> None:
    page = shown(gate, repository.path)
    assert "The last 2 refreshes of the baseline on main" in page
    assert 'aria-label="Pass rate by refresh, in percent: 50.0, 100.0, 50.0"' in page
    first, second = repository.git("log", "--format=%h", "--abbrev=7", "--reverse").split()
    assert page.index(f"<code>{first}</code>") < page.rindex(f"<code>{second}</code>")


def test_a_shallow_clone_still_has_its_page(gate: Shell, repository: Repository, tmp_path: Path) -> None:
    clone = repository.clone(tmp_path / "clone", depth=1)
    shutil.copytree(repository.path / ".gate", clone.path / ".gate")
    page = shown(gate, clone.path)
    assert "fetch-depth: 0" in page
    assert "by refresh, in percent" not in page


def test_without_a_repository_the_page_says_so(gate: Shell, repository: Repository, tmp_path: Path) -> None:
    folder = tmp_path / "elsewhere"
    shutil.copytree(repository.path / ".gate", folder / ".gate")
    page = shown(gate, folder)
    assert "there is no repository here" in page
    assert "test_email" in page


def test_only_the_candidate_of_the_same_commit_is_taken(repository: Repository) -> None:
    path = repository.path / ".gate" / "verdict.json"
    beside = path.with_name("candidate.json")

    def taken(commit: str) -> bool:
        told = {**WORSE, "gate": {"schema": 1, "source": {"commit": commit}}}
        beside.write_text(json.dumps(told), encoding="utf-8")
        return candidate_beside(path, read_verdict_file(path)) is not None

    assert taken("")
    assert taken(repository.head)
    assert taken(f"{repository.head}-dirty")
    assert not taken("0" * 40)
    judge(repository, number=7)
    assert taken("0" * 40), "a workflow measures GitHub's merge commit"


def test_a_candidate_that_is_none_is_left_out(repository: Repository) -> None:
    path = repository.path / ".gate" / "verdict.json"
    verdict, beside = read_verdict_file(path), path.with_name("candidate.json")
    beside.write_text("{", encoding="utf-8")
    assert candidate_beside(path, verdict) is None
    beside.unlink()
    assert candidate_beside(path, verdict) is None


def test_an_old_baseline_that_nobody_can_read_is_passed_over(gate: Shell, repository: Repository) -> None:
    repository.commit({"baselines/default.jsonl": '{"gate_baseline":99}\n'}, "of the future")
    repository.commit({"baselines/default.jsonl": BASELINE}, "mended")
    judge(repository)
    assert "The last 3 refreshes" in shown(gate, repository.path)


@pytest.mark.parametrize("option", ["--report", "--merged"])
def test_the_page_that_gate_ci_leaves_is_of_the_report_that_it_judged(
    gate: Shell, repository: Repository, option: str
) -> None:
    (repository.path / "r.json").write_text(json.dumps(WORSE), encoding="utf-8")
    beside = repository.path / ".gate" / "candidate.json"
    assert gate("ci", option, "r.json", cwd=repository.path).code == 1
    left = (repository.path / ".gate" / "report.html").read_text(encoding="utf-8")
    assert "The last 2 refreshes of the baseline on main" in left
    assert left == shown(gate, repository.path)
    beside.write_text(json.dumps(candidate(HELD)), encoding="utf-8")  # of a run that this verdict knows nothing of
    assert gate("ci", option, "r.json", cwd=repository.path).code == 1
    again = (repository.path / ".gate" / "report.html").read_text(encoding="utf-8")
    assert again.partition("<body>")[2] == left.partition("<body>")[2]
