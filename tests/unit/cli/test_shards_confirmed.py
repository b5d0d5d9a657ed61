"""Suspects of a suite in shards: the job that judges confirms them beside main, and no further run draws them again."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import pytest

from tests.support.command_line import Shell
from tests.support.stochastic_project import (
    SUITE,
    GateRun,
    GateRuns,
    StochasticProject,
    baseline,
    line,
    model,
    name,
    stochastic_project,
    suite,
)

CASES = 4
SMALL = {SUITE: suite(CASES), "baselines/default.jsonl": baseline(*map(line, map(name, range(CASES))))}
MERGED = ".gate/merged/candidate.json"
SHARDS = "1/2", "2/2"


@pytest.fixture
def shell(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> Shell:
    return Shell(monkeypatch, capsys)


def measured(shell: Shell, project: StochasticProject, shards: Sequence[str] = SHARDS) -> str:
    """All shards, joined; the calls of the model that they made."""
    before = project.sizes()
    folders = []
    for shard in shards:
        folders.append(f".gate/s{shard[0]}")
        ended = shell("ci", "--shard", shard, "--output", folders[-1], cwd=project.path, **project.variables)
        assert ended.code == 0, ended.err
    assert shell("merge", *folders, "-o", MERGED, cwd=project.path).code == 0
    return project.since(before)


def judged(shell: Shell, project: StochasticProject, option: str = "--merged") -> GateRun:
    return GateRuns(shell)(project, option, MERGED)


def incomplete(found: GateRun) -> list[str]:
    """Why the run is not whole."""
    return [each["what"] for each in found.verdict["findings"] if each["rule"] == "incomplete-run"]


def test_a_suspect_of_one_shard_is_confirmed_beside_main_and_not_drawn_again(shell: Shell, tmp_path: Path) -> None:
    project = stochastic_project(tmp_path, SMALL)
    project.commit({"model.py": model(case3=0.0)})
    assert set(measured(shell, project)) == {"h"}, "a shard makes no trial of main"
    found = judged(shell, project)
    assert (found.code, found.failing) == (1, [name(3)]), found.out
    assert found.decided[name(3)] == ("regression", "both arms")
    assert "b" in found.calls
    assert found.verdict["budget"]["cases"] == CASES, "main's whole baseline shares the budget, not a shard"
    project.commit()
    left = (project.path / ".gate/trials.jsonl").read_bytes()
    for shard in SHARDS:  # on GitHub every shard reads the artifact of the job that judged
        (project.path / f".gate/s{shard[0]}/trials.jsonl").write_bytes(left)
    assert measured(shell, project) == "", "what the judging job left carries over into each shard"
    again = judged(shell, project)
    assert (again.code, again.failing, again.calls) == (1, [name(3)], ""), again.out
    assert again.decided == found.decided
    assert again.verdict["budget"]["heads"] == 2, "heads of the pull request are counted as on one machine"
    # whoever only compares can't confirm a first look, and says so
    compared = judged(shell, project, "--report")
    assert any("judge them with `gate ci --merged`" in why for why in incomplete(compared)), compared.out


def test_shards_of_another_plan_are_no_whole_run(shell: Shell, tmp_path: Path) -> None:
    project = stochastic_project(tmp_path, SMALL)
    project.commit()
    measured(shell, project, ("1/1",))
    project.repository.checkout("main")
    project.commit({"gate.toml": "delta = 0.2\nconfirm = 'off'\n"})
    project.repository.git("checkout", "--quiet", "change")
    project.repository.git("merge", "--quiet", "--no-edit", "main")
    found = judged(shell, project)
    assert found.code == 3, found.out
    assert [each.partition(" than ")[0] for each in incomplete(found)] == [
        "is not whole: the shards were asked by another plan of trials"
    ]


def test_fixed_samples_of_shards_are_compared_as_those_of_one_machine(shell: Shell, tmp_path: Path) -> None:
    project = stochastic_project(tmp_path, {**SMALL, "gate.toml": "baseline-trials = 30\n"})
    project.commit({"model.py": model(case3=0.0)})
    folders = [f".gate/s{shard[0]}" for shard in SHARDS]
    for shard, folder in zip(SHARDS, folders, strict=True):
        output = f"{folder}/candidate.json"
        assert shell("run", "--shard", shard, "--output", output, cwd=project.path, **project.variables).code == 0
    assert shell("merge", *folders, "-o", MERGED, cwd=project.path).code == 0
    found = judged(shell, project, "--report")
    assert (found.code, found.failing, incomplete(found)) == (1, [name(3)], []), found.out
    first_look = judged(shell, project)
    assert any("another plan of trials" in why for why in incomplete(first_look)), "it is no first look"
    project.repository.checkout("main")
    project.commit({"gate.toml": "baseline-trials = 40\n"})
    found = judged(shell, project, "--report")
    assert any("other samples" in why for why in incomplete(found)), "of another size than these settings ask for"


def test_a_shard_is_not_judged_and_a_merged_report_is_not_compared_only(shell: Shell, tmp_path: Path) -> None:
    for arguments in (("--shard", "1/2", "--merged", "x.json"), ("--merged", "x.json", "--report", "y.json")):
        ended = shell("ci", *arguments, cwd=tmp_path)
        assert ended.code == 2, ended
        assert "leave" in ended.err
    project = stochastic_project(tmp_path, SMALL)
    absent = judged(shell, project)
    assert absent.code == 3
    assert any("no such report" in why for why in incomplete(absent)), absent.out
