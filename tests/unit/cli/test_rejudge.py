"""`gate ci`, `gate run --rejudge` and `gate compare --rejudged` where a pull request brings another judge."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any

import pytest

from gate.baselines.distill import distill, dump_baseline
from gate.ingest import read_report
from tests.support.command_line import Shell
from tests.support.fake_model import Project
from tests.support.forks import Forks
from tests.support.judged_project import BRIEF, ON_LENGTH, POLITE, JudgedProject, Models

SETTINGS = '[tool.gate]\nmode = "replay"\nbaseline-trials = 2\narguments = "-p no:cacheprovider"\n'


@pytest.fixture(scope="module")
def main(tmp_path_factory: pytest.TempPathFactory) -> Iterator[JudgedProject]:
    """Main, recorded and with its baseline."""
    with Models() as models:
        project = Project(tmp_path_factory.mktemp("judged"), Forks(), repository=True)
        judged = JudgedProject(project, models)
        project.write("pyproject.toml", SETTINGS)
        project.write(".gitignore", ".gate/\n__pycache__/\n/c.json\n/plan.json\n/recordings/.state/\n")
        report = judged.record_main(trials=2)
        project.write("baselines/default.jsonl", dump_baseline(distill(report, "a" * 40)).decode())
        commit(project)
        project.git("branch", "-M", "main")
        yield judged


@pytest.fixture
def gate(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> Shell:
    return Shell(monkeypatch, capsys)


def commit(project: Project) -> None:
    project.git("add", "--all")
    project.git("commit", "-q", "-m", "change")


def head(main: JudgedProject, prompt: str, judge: str) -> None:
    """A branch with another prompt or judge, and what they ask recorded, about main's answers too where it differs."""
    project = main.project
    project.git("checkout", "-q", "-f", "-B", "head", "main")
    main.set(prompt, judge)
    main.run("auto", trials=2)
    if prompt != POLITE:
        main.rejudge("auto", trials=2)
    commit(project)


def verdict(main: JudgedProject) -> dict[str, Any]:
    found: dict[str, Any] = json.loads((main.project.path / ".gate/verdict.json").read_text(encoding="utf-8"))
    return found


def parts(found: dict[str, Any]) -> dict[str, str]:
    return {each["case_id"]: each.get("judged", "") for each in found["findings"] if each["level"] == "error"}


def test_a_stricter_judge_is_told_from_worse_answers_offline(main: JudgedProject, gate: Shell) -> None:
    head(main, POLITE, ON_LENGTH)
    asked = dict(main.models.asked)
    ended = gate("ci", "--base", "main", cwd=main.project.path)
    assert ended.code == 1, ended.err
    found = verdict(main)
    assert main.models.asked == asked, "offline"
    candidate = read_report((main.project.path / ".gate/candidate.json").read_bytes(), "candidate")
    assert candidate.rejudged is None, "the run's own report stays"
    assert parts(found) == {"test_judged.py::test_greeting": "judge", "test_judged.py::test_greeting#score": "judge"}
    assert "the judge's doing" in ended.out
    (said,) = [each for each in found["notices"] if each.startswith("the judge grader is another")]
    assert "3 stored answers; 0 live and 3 replayed calls of judges" in said

    by_hand = gate("run", "--rejudge", "main", cwd=main.project.path)
    assert by_hand.code == 0, by_hand.err
    told = gate(
        "compare", "baselines/default.jsonl", ".gate/candidate.json", "--rejudged", ".gate/rejudged.json",
        cwd=main.project.path,
    )  # fmt: skip
    assert told.code == 1, told.err
    assert parts(verdict(main)) == parts(found)
    gate("compare", "baselines/default.jsonl", ".gate/rejudged.json", cwd=main.project.path)
    assert "incomplete-run" in {each["rule"] for each in verdict(main)["findings"]}, "it is no candidate"


def test_a_kind_judge_hides_nothing(main: JudgedProject, gate: Shell) -> None:
    head(main, BRIEF, ON_LENGTH)
    ended = gate("ci", "--base", "main", cwd=main.project.path)
    assert ended.code == 0, ended.err
    (said,) = [each for each in verdict(main)["notices"] if each.startswith("over main's stored answers")]
    assert "score of test_judged.py::test_greeting 8 → 2" in said
