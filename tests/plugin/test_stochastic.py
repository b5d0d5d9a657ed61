"""Tests marked `stochastic` run as trials: how many, what each is given anew, and the one outcome they come to."""

from __future__ import annotations

from pathlib import Path

import pytest

from gate.schema.outcome import Outcome
from gate.trials.plan import Ask, Plan
from tests.support.fake_model import Project, by_name, outcomes, trials

ASK = Ask(n0=50, s0=50, cap=60, share=0.05 / 12, delta=0.3, power=0.9)


def test_without_a_plan_it_estimates(project: Project) -> None:
    project.write(
        "test_a.py",
        """
import pytest
from fake_model import ask
answers = iter([1, 0, 1, 1, 0, 1, 1, 1, 1, 1])

@pytest.mark.stochastic(reason="samples")
def test_a():
    ask()
    assert next(answers), "first " + "x" * 500

@pytest.mark.stochastic(max_trials=4)
def test_b(): assert ask()

def test_c(): assert ask()
""",
    )
    report, result = project.run("--gate-commit=0123456789abcdef")
    result.assert_outcomes(passed=3)
    result.stdout.fnmatch_lines(["*2 stochastic tests, 14 trials"])
    cases = by_name(report)
    assert (outcomes(cases["test_a"]), outcomes(cases["test_b"])) == ("1011011111", "1111")
    assert project.calls == 10 + 4 + 1
    assert cases["test_c"].trials is None
    assert not cases["test_c"].stochastic
    found = trials(cases["test_a"])
    assert cases["test_a"].stochastic
    assert [(each.id, each.fixed) for each in found.sessions] == [("0123456", True)]
    assert dict(found.asked) == {"delta": "0.3", "max_trials": "60", "power": "0.9"}
    assert found.excerpt.startswith("AssertionError: first xxx")
    assert len(found.excerpt) == 300
    assert report.completeness.complete


def test_outcome_of_the_test(project: Project) -> None:
    project.write(
        "test_a.py",
        """
import pytest
from fake_model import ask
at = []

@pytest.mark.stochastic
def test_never():
    at.append(1)
    print("in trial", len(at))
    assert ask(0), f"trial {len(at)}"

@pytest.mark.stochastic
def test_once():
    at.append(1)
    assert len(at) == 20
""",
    )
    report, result = project.run()
    result.assert_outcomes(failed=1, passed=1)
    result.stdout.fnmatch_lines(["E*AssertionError: trial 1", "*in trial 1*", "*Trials*", "0 of 10 trials passed"])
    result.stdout.no_fnmatch_line("*in trial 2*")
    cases = by_name(report)
    assert (outcomes(cases["test_never"]), outcomes(cases["test_once"])) == ("0" * 10, "0" * 9 + "1")
    assert cases["test_never"].message == "AssertionError: trial 1"
    (test, _) = project.raw()["tests"]
    assert set(test) >= {"setup", "call", "teardown"}
    assert len(project.raw()["tests"]) == 2


def test_without_the_report_it_is_one_ordinary_run(project: Project) -> None:
    project.write(
        "test_a.py",
        """
import pytest
from fake_model import ask
@pytest.mark.stochastic
def test_a(): assert ask()
@pytest.mark.stochastic
async def test_b(): assert ask()
""",
    )
    result = project.pytest("--strict-markers")
    result.assert_outcomes(passed=2)
    assert project.calls == 2


def test_a_failing_test_without_the_marker_runs_once(project: Project) -> None:
    project.write(
        "test_a.py",
        """
from fake_model import ask
at = []
def test_a():
    ask()
    at.append(1)
    assert len(at) > 1
""",
    )
    report, result = project.run(plan=project.plan(test_a=ASK))
    result.assert_outcomes(failed=1)
    assert project.calls == 1
    assert by_name(report)["test_a"].trials is None


def test_the_design_stops_the_trials(project: Project) -> None:
    project.write(
        "test_a.py",
        """
import pytest
from fake_model import ask
pytestmark = pytest.mark.stochastic

def test_same(): assert ask()
def test_broken(): assert ask(0)
def test_new(): assert ask()
def test_varies(): assert ask(.75)
""",
    )
    plan = project.plan(test_same=ASK, test_broken=ASK, test_varies=Ask(50, 37, 60, 0.05 / 12, 0.3, 0.9))
    report, result = project.run(plan=plan)
    result.assert_outcomes(failed=1, passed=3)
    cases = by_name(report)
    assert outcomes(cases["test_same"]) == "1" * 7
    assert set(outcomes(cases["test_broken"])) == {"0"}
    assert len(outcomes(cases["test_broken"])) < 7
    assert outcomes(cases["test_new"]) == "1" * 10
    assert {name: [each.fixed for each in trials(case).sessions] for name, case in cases.items()} == {
        "test_same": [False],
        "test_broken": [False],
        "test_new": [True],
        "test_varies": [False],
    }
    assert project.calls == sum(trials(case).count for case in report.cases)
    result.stdout.fnmatch_lines(["0 of * trials passed: the rate fell below the baseline's"])
    assert all(session.id == "head" for case in report.cases for session in trials(case).sessions)


@pytest.mark.parametrize("count", [1, 13])
def test_a_fixed_plan_makes_exactly_so_many(project: Project, count: int) -> None:
    project.write(
        "test_a.py",
        """
import pytest
from fake_model import ask
@pytest.mark.stochastic(max_trials=3)
def test_a(): assert ask(.5)
@pytest.mark.stochastic
def test_b(): assert ask(0)
""",
    )
    report, _ = project.run(plan=Plan(session="s", fixed=count))
    assert project.calls == 2 * count
    assert [[(each.id, len(each.outcomes), each.fixed) for each in trials(case).sessions] for case in report.cases] == [
        [("s", count, True)],
        [("s", count, True)],
    ]


def test_min_rate_is_a_floor_of_its_own(project: Project) -> None:
    project.write(
        "test_a.py",
        """
import pytest
from fake_model import ask
at = []
@pytest.mark.stochastic(min_rate=.9, max_trials=30)
def test_low():
    ask()
    at.append(1)
    assert len(at) % 2
@pytest.mark.stochastic(min_rate=.9, max_trials=30)
def test_high(): assert ask()
@pytest.mark.stochastic(min_rate=.2)
def test_planned():
    ask()
    at.append(1)
    assert len(at) % 2
""",
    )
    report, result = project.run()
    result.assert_outcomes(failed=1, passed=2)
    result.stdout.fnmatch_lines(["*trials passed: the rate lies below min_rate = 0.9"])
    cases = by_name(report)
    assert trials(cases["test_low"]).asked["min_rate"] == "0.9"
    assert not trials(cases["test_low"]).sessions[0].fixed
    assert 10 <= trials(cases["test_high"]).count < 30
    assert project.calls == sum(trials(case).count for case in report.cases)
    half = Ask(n0=50, s0=25, cap=60, share=0.004, delta=0.3, power=0.9)
    strict = Ask(n0=50, s0=25, cap=60, share=0.004, delta=0.3, power=0.9, min_rate=0.95)
    _, result = project.run("-k", "planned", plan=project.plan(test_planned=half))
    result.assert_outcomes(passed=1, deselected=2)
    _, result = project.run("-k", "planned", plan=project.plan(test_planned=strict))
    result.assert_outcomes(failed=1, deselected=2)


def test_x_stops_after_a_test_whose_trials_failed(project: Project) -> None:
    project.write(
        "test_a.py",
        """
import pytest
from fake_model import ask
at = []
@pytest.mark.stochastic
def test_a():
    at.append(ask())
    assert len(at) > 1
@pytest.mark.stochastic
def test_b(): assert ask(0)
def test_c(): ask()
""",
    )
    report, result = project.run("-x")
    result.assert_outcomes(passed=1, failed=1)
    assert project.calls == 20
    assert any("stopping after 1 failures" in reason for reason in report.completeness.reasons)


def test_reruns_of_another_plugin_leave_it_alone(project: Project) -> None:
    pytest.importorskip("pytest_rerunfailures")
    project.write(
        "test_a.py",
        """
import pytest
from fake_model import ask
@pytest.mark.stochastic
def test_a(): assert ask(0)
@pytest.mark.stochastic
@pytest.mark.flaky(reruns=5)
def test_b(): assert ask(0)
def test_c(): assert ask(0)
""",
    )
    report, result = project.run("-p", "pytest_rerunfailures", "--reruns=2")
    result.stdout.fnmatch_lines(["*3 failed, 2 rerun*"])
    assert project.calls == 10 + 10 + 3
    assert [case.outcome for case in report.cases] == [Outcome.FAILED] * 3


@pytest.mark.parametrize("workers", ["-p xdist -n2", "-p xdist -n2 --dist=loadscope"])
def test_workers_make_trials_of_different_tests(project: Project, workers: str) -> None:
    project.write(
        "test_a.py",
        """
import os, pytest
from fake_model import ask
@pytest.mark.stochastic
@pytest.mark.parametrize("n", range(4))
def test_a(n): assert ask()
@pytest.mark.stochastic
def test_b(): assert ask(0)
def test_c(worker_id): assert worker_id.startswith("gw")
""",
    )
    asks = {f"test_a[{n}]": ASK for n in range(4)}
    report, result = project.run(*workers.split(), plan=project.plan(**asks))
    result.assert_outcomes(passed=5, failed=1)
    cases = by_name(report)
    assert {name: outcomes(case) for name, case in cases.items() if case.trials} == {
        **{f"test_a[{n}]": "1" * 7 for n in range(4)},
        "test_b": "0" * 10,
    }
    assert project.calls == 4 * 7 + 10
    assert report.completeness.complete


def test_other_reporters_are_told_once(project: Project) -> None:
    pytest.importorskip("pytest_jsonreport")
    project.write(
        "test_a.py",
        """
import pytest
from fake_model import ask
@pytest.mark.stochastic
def test_a(record_property, robustness):
    record_property("k", 1)
    robustness.metric("m", 0.5)
    assert ask()
""",
    )
    options = ["-p", "pytest_jsonreport", "--json-report", "--json-report-file=j.json", "--junitxml=j.xml", "-v"]
    report, result = project.run(*options)
    assert sum("PASSED" in line for line in result.outlines) == 1
    xml = (Path(project.path) / "j.xml").read_text()
    assert (xml.count("<testcase"), xml.count("<property ")) == (1, 1)
    assert project.raw()["tests"][0]["user_properties"] == [{"k": 1}]
    assert [metric.value for metric in report.cases[0].metrics] == [0.5]
    assert project.calls == 10
