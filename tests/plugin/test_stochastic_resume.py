"""Trials of an earlier run of the same content: where they go on, and which runs leave or take none."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from gate.schema.outcome import Outcome
from gate.trials.carry import read_entries
from gate.trials.plan import Ask, Plan
from tests.support.carrying import ASK, CALLS_AT_FIRST, app_project, first_run
from tests.support.fake_model import Project, by_name, outcomes, trials
from tests.support.forks import Forks


@pytest.fixture
def project(tmp_path: Path, forks: Forks, request: pytest.FixtureRequest) -> Project:
    return app_project(tmp_path, forks, repository=getattr(request, "param", "") != "folder")


def test_a_run_that_was_cut_short_goes_on(project: Project) -> None:
    plan = first_run(project)
    cut = Plan(
        session="head",
        asks=plan.asks,
        carried={case: tuple(_cut(carried, 1) for carried in entries) for case, entries in plan.carried.items()},
    )
    report, _ = project.run("--gate-trials=t2.jsonl", plan=cut)
    assert project.calls == CALLS_AT_FIRST - 2
    cases = by_name(report)
    assert (outcomes(cases["test_good"]), trials(cases["test_good"]).carried) == ("1111111", 1)
    assert (outcomes(cases["test_broken"]), trials(cases["test_broken"]).carried) == ("00", 1)
    assert cases["test_broken"].outcome is Outcome.FAILED
    found = {entry.case: entry.carried for entry in _entries(project, "t2.jsonl")}
    assert {carried.outcomes for carried in found.values()} == {"1111111", "00"}
    project.run("--gate-trials=t3.jsonl", plan=project.carried(plan, "t2.jsonl"))
    assert project.calls == 0


def test_a_design_that_changed_goes_on_too(project: Project) -> None:
    plan = first_run(project)
    harder = Ask(n0=50, s0=50, cap=60, share=0.05 / 12, delta=0.1, power=0.9)
    plan = Plan(session="x", asks=dict.fromkeys(plan.asks, harder), carried=plan.carried)
    report, _ = project.run("--gate-trials=t2.jsonl", plan=plan)
    good = by_name(report)["test_good"]
    assert trials(good).carried == 7 < trials(good).count
    assert project.calls == sum(trials(case).count - trials(case).carried for case in report.cases if case.trials)


def test_what_could_not_be_measured_is_tried_again(project: Project) -> None:
    project.write("app/more.py", "import os\nMODE = os.environ['HOME'] and 1\n")
    project.write(
        "test_a.py",
        """
import os, pytest
from fake_model import ask
@pytest.mark.stochastic
def test_good():
    ask()
    if os.environ.get("PYTEST_DOWN"): raise ConnectionError("down")
""",
    )
    project.track()
    plan = project.plan(test_good=ASK)
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("PYTEST_DOWN", "1")
        project.run("--gate-trials=t.jsonl", plan=plan)
    (entry,) = _entries(project, "t.jsonl")
    assert (entry.carried.outcomes, entry.carried.answer, entry.errors) == ("", "more", project.calls)
    report, _ = project.run("--gate-trials=t2.jsonl", plan=project.carried(plan))
    assert outcomes(by_name(report)["test_good"]) == "1111111"


def test_skipped_and_expected_failures_leave_nothing(project: Project) -> None:
    project.write(
        "test_a.py",
        """
import pytest
pytestmark = pytest.mark.stochastic(max_trials=2)
def test_skipped(): pytest.skip("not here")
@pytest.mark.xfail
def test_expected(): assert 0
@pytest.fixture
def broken(): raise KeyError
def test_broken(broken): pass
def test_good(): pass
""",
    )
    project.track()
    project.run("--gate-trials=t.jsonl")
    assert [entry.case for entry in _entries(project, "t.jsonl")] == ["test_a.py::test_good"]


def test_a_fixed_plan_neither_takes_nor_leaves_trials(project: Project) -> None:
    first_run(project)
    project.run("--gate-trials=t2.jsonl", plan=Plan(session="base", fixed=3))
    assert project.calls == 6
    assert _entries(project, "t2.jsonl") == []


@pytest.mark.parametrize("workers", [[], ["-p", "xdist", "-n2"]], ids=["alone", "xdist"])
def test_workers_carry_over_too(project: Project, workers: list[str]) -> None:
    plan = first_run(project, "-p", "xdist", "-n2")
    assert len(_entries(project, "t.jsonl")) == 2
    report, _ = project.run("--gate-trials=t2.jsonl", *workers, plan=plan)
    assert project.calls == 0
    assert sorted(outcomes(case) for case in report.cases if case.trials) == ["00", "1111111"]


def test_fixtures_of_the_test_before_end_where_a_test_carries_over(project: Project) -> None:
    """The last test of a module may make no trial of its own, and the module's fixtures must end all the same."""
    project.write(
        "test_a.py",
        """
import pathlib, pytest
from fake_model import ask
@pytest.fixture(scope="module")
def wide():
    yield
    pathlib.Path("ended.json").touch()
def test_before(wide): pass
@pytest.mark.stochastic
def test_good(): assert ask()
""",
    )
    project.write("test_other.py", "import pathlib\ndef test_c(): assert pathlib.Path('ended.json').exists()\n")
    plan = first_run(project, calls=7)
    (project.path / "ended.json").unlink()
    _, result = project.run("--gate-trials=t2.jsonl", plan=plan)
    result.assert_outcomes(passed=3)
    assert project.calls == 0


def test_the_baseline_never_holds_the_digest(project: Project) -> None:
    plan = first_run(project)
    text = json.dumps(project.raw()["tests"])
    for entries in plan.carried.values():
        assert all(carried.fingerprint not in text for carried in entries)


def _cut(carried: Any, count: int) -> Any:
    return type(carried)(carried.fingerprint, carried.outcomes[:count], "more", carried.inputs, carried.excerpt)


def _entries(project: Project, name: str) -> list[Any]:
    return list(read_entries((project.path / name).read_text(), name))
