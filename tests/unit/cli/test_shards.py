"""A suite in shards as users run it: a pull request's tests are asked as the whole baseline says, then judged once."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from tests.support.command_line import BASELINE, SUITE, Ended, Shell
from tests.support.repository import Repository
from tests.support.stochastic_project import StochasticProject, model, name, stochastic_project

NO_CACHE = ("--", "-p", "no:cacheprovider")


@pytest.fixture
def shell(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> Shell:
    return Shell(monkeypatch, capsys)


def candidate(path: Path) -> dict[str, Any]:
    found: dict[str, Any] = json.loads(path.read_text(encoding="utf-8"))
    return found


def shards(shell: Shell, project: StochasticProject, count: int) -> list[Ended]:
    return [
        shell(
            *("ci", "--base", "main", "--shard", f"{number}/{count}", "--output", f".gate/s{number}"),
            cwd=project.path,
            **project.variables,
        )
        for number in range(1, count + 1)
    ]


def test_three_shards_decide_as_one_budget_of_the_whole_baseline(shell: Shell, tmp_path: Path) -> None:
    project = stochastic_project(tmp_path)
    project.commit({"model.py": model(case3=0.0)})
    ended = shards(shell, project, 3)
    assert [each.code for each in ended] == [0, 0, 0], ended
    plans = {candidate(project.path / f".gate/s{n}/candidate.json")["gate"]["shard"]["plan"] for n in (1, 2, 3)}
    assert len(plans) == 1
    assert "" not in plans
    merged = shell("merge", *(f".gate/s{n}" for n in (1, 2, 3)), cwd=project.path)
    assert merged.code == 0, merged.err
    judged = shell("ci", "--base", "main", "--merged", ".gate/candidate.json", cwd=project.path, **project.variables)
    assert judged.code == 1, judged.out + judged.err
    failing = [each["case_id"] for each in project.verdict["findings"] if each["level"] == "error"]
    assert failing == [name(3)]
    assert project.verdict["budget"]["cases"] == 12, "the whole baseline shares the budget, not a shard"
    trials = (project.path / ".gate/trials.jsonl").read_text().splitlines()
    assert sum('"case"' in line for line in trials) >= 12


def test_a_run_in_shards_is_refused_where_it_names_none(shell: Shell, tmp_path: Path) -> None:
    for command in ("run", "ci"):
        for text in ("0/8", "9/8", "3/0", "x/y"):
            ended = shell(command, "--shard", text, cwd=tmp_path)
            assert ended.code == 2, ended
            assert "such as 3/8" in ended.err
    assert shell("run", "--shard", "1/2", "--against", cwd=tmp_path).code == 2
    assert shell("ci", "--shard", "1/2", "--report", "x.json", cwd=tmp_path).code == 2


def test_run_merge_refresh_and_the_durations_that_it_leaves(shell: Shell, tmp_path: Path) -> None:
    slow = "import time, pytest\n@pytest.mark.parametrize('n', range(3))\ndef test_slow(n): time.sleep(0.06)\n"
    repository = Repository(tmp_path / "project")
    repository.commit({**SUITE, "test_b.py": slow, "baselines/default.jsonl": BASELINE})
    for number in (1, 2):
        output = f".gate/s{number}/candidate.json"
        assert shell("run", "--shard", f"{number}/2", "--output", output, *NO_CACHE, cwd=repository.path).code == 0
    assert shell("merge", ".gate/s1", ".gate/s2/candidate.json", cwd=repository.path).code == 0
    whole = candidate(repository.path / ".gate/candidate.json")
    assert whole["summary"] == {"passed": 5, "total": 5, "collected": 5}
    assert shell("compare", "baselines/default.jsonl", ".gate/candidate.json", cwd=repository.path).code == 0
    alone = shell("compare", "baselines/default.jsonl", ".gate/s1/candidate.json", cwd=repository.path)
    assert alone.code == 3
    missing = shell("merge", ".gate/s1", "-o", "one.json", cwd=repository.path)
    assert (missing.code, "shard 2/2 is missing" in missing.err) == (3, True)
    undecided = shell("compare", "baselines/default.jsonl", "one.json", "--format", "markdown", cwd=repository.path)
    assert (undecided.code, "shard 2/2 is missing" in undecided.out) == (3, True)
    refreshed = shell("baseline", "refresh", ".gate/candidate.json", cwd=repository.path)
    assert refreshed.code == 0, refreshed.err
    durations = (repository.path / "baselines/default.durations").read_text().splitlines()
    assert json.loads(durations[0]) == {"gate_durations": 1, "suite": "default"}
    assert [json.loads(line)["id"] for line in durations[1:]] == [f"test_b.py::test_slow[{n}]" for n in range(3)]


def test_an_output_that_is_a_shard_is_refused_and_no_file_at_all_is_not_whole(shell: Shell, tmp_path: Path) -> None:
    (tmp_path / "one.json").write_text("")
    assert shell("merge", "one.json", "-o", "one.json", cwd=tmp_path).code == 2
    below = shell("merge", "two.json", "-o", "one.json/merged.json", cwd=tmp_path)
    assert (below.code, "can't be written" in below.err) == (2, True), "a file stands where the folder belongs"
    ended = shell("merge", "one.json", "two.json", "-o", "merged.json", cwd=tmp_path)
    assert ended.code == 3
    assert "one.json: the file is empty" in ended.err
    assert "two.json: no such report" in ended.err
    assert candidate(tmp_path / "merged.json")["tests"] == []


def test_what_a_branch_brings_as_a_report_is_taken_for_none(shell: Shell, tmp_path: Path) -> None:
    forged = {".gate/candidate.json": "{}", ".gate/s1/candidate.json": "{}"}
    repository = Repository(tmp_path / "project")
    repository.commit({**SUITE, "baselines/default.jsonl": BASELINE, "gate.toml": "unknown = 1\n", **forged})
    assert shell("ci", "--base", "HEAD", "--shard", "1/2", "--output", ".gate/s1", cwd=repository.path).code == 2
    assert shell("merge", ".gate/s2", cwd=repository.path).code == 2
    assert not list((repository.path / ".gate").rglob("candidate.json"))
