"""Markers and options that are wrong are refused with a sentence, before any test runs."""

from __future__ import annotations

from fnmatch import fnmatch

import pytest

from tests.support.fake_model import Project


@pytest.mark.parametrize(
    ("parameters", "said"),
    [
        ("max_trial=3", "it has no parameter `max_trial`*next: write `max_trials`*"),
        ("alpha=.05", "it has no parameter `alpha`*next: set `alpha` for the whole pull request*"),
        ("colour=3", "it has no parameter `colour`*next: choose among max_trials, delta, *"),
        ("60", "it takes no parameter without a name, and 60 has none*"),
        ("max_trials=0", "max_trials: expected a whole number of at least 1 and at most 500, found 0*"),
        ("max_trials=2.5", "max_trials: expected a whole number of at least 1 and at most 500, found 2.5*"),
        ("max_trials=501", "max_trials: expected a whole number of at least 1 and at most 500, found 501*"),
        ("max_trials=True", "max_trials: expected a whole number of at least 1 and at most 500, found True*"),
        ("delta=0", "delta: expected strictly between 0 and 1, found 0*"),
        ("delta='.3'", "delta: expected strictly between 0 and 1, found '.3'*"),
        ("power=1", "power: expected strictly between 0 and 1, found 1*"),
        ("power=float('nan')", "power: expected strictly between 0 and 1, found nan*"),
        ("min_rate=0", "min_rate: expected a rate above 0 and at most 1, or None, found 0*"),
        ("min_rate=1.1", "min_rate: expected a rate above 0 and at most 1, or None, found 1.1*"),
        ("timeout=-1", "timeout: expected a number of seconds above 0, or None, found -1*"),
        ("infrastructure='KeyError'", "infrastructure: expected types of exceptions, found 'KeyError'*"),
        ("infrastructure=(Exception,)", "infrastructure: expected narrower types:*"),
        ("reason=3", "reason: expected a text, or None, found 3*"),
    ],
)
def test_a_marker_that_is_wrong(project: Project, parameters: str, said: str) -> None:
    project.write(
        "test_a.py",
        f"""
import pytest
from fake_model import ask
def test_before(): ask()
@pytest.mark.stochastic({parameters})
def test_a(): ask()
""",
    )
    result = project.pytest()  # also where no trials are made
    assert result.ret == pytest.ExitCode.USAGE_ERROR
    told = " ".join(line.strip() for line in result.errlines)
    assert fnmatch(told, f"ERROR: test_a.py::test_a: the marker `stochastic`*{said}*"), told
    assert project.calls == 0


def test_all_that_are_wrong_are_told(project: Project) -> None:
    project.write(
        "test_a.py",
        """
import pytest
@pytest.mark.stochastic(delta=2)
@pytest.mark.parametrize("n", [1, 2])
def test_a(n): pass
class TestB:
    pytestmark = pytest.mark.stochastic(powr=.9)
    def test_b(self): pass
""",
    )
    result = project.pytest("--gate-report=c.json")
    assert result.ret == pytest.ExitCode.USAGE_ERROR
    told = "\n".join(result.errlines)
    assert all(name in told for name in ("test_a[1]", "test_a[2]", "TestB::test_b: the marker", "write `power`"))


def test_a_wrong_marker_with_workers(project: Project) -> None:
    project.write("test_a.py", "import pytest\n@pytest.mark.stochastic(delta=2)\ndef test_a(): pass")
    report, result = project.run("-p", "xdist", "-n1")
    assert result.ret == pytest.ExitCode.TESTS_FAILED
    assert "delta: expected strictly between 0 and 1, found 2" in "\n".join(result.outlines)
    assert any("collecting test_a.py::test_a failed" in reason for reason in report.completeness.reasons)


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("", "is empty"),
        ("{", "the plan is no JSON"),
        ("[]", "no plan: expected an object with `gate_plan`"),
        ('{"gate_plan": 99}', "the plan is of version 99, this is 1"),
        ('{"gate_plan": 1, "more": 1}', "a plan has no `more`"),
        ('{"gate_plan": 1, "fixed": 0}', "the plan is damaged: fixed is at least 1"),
        ('{"gate_plan": 1, "asks": {"a": {"n0": 1}}}', "the plan is damaged: the question about a has other parts*"),
    ],
)
def test_a_plan_that_is_wrong(project: Project, text: str, said: str) -> None:
    project.write("plan.json", text)
    project.write("test_a.py", "from fake_model import ask\ndef test_a(): ask()")
    result = project.pytest("--gate-report=c.json", "--gate-plan=plan.json")
    assert result.ret == pytest.ExitCode.USAGE_ERROR
    result.stderr.fnmatch_lines([f"ERROR: --gate-plan*{said}*"])
    assert project.calls == 0


@pytest.mark.parametrize(
    ("options", "said"),
    [
        (["--gate-plan=p.json"], "--gate-plan needs --gate-report*"),
        (["--gate-trials=t.jsonl"], "--gate-trials needs --gate-report*"),
        (["--gate-report=c.json", "--gate-plan=none.json"], "--gate-plan can't be read: *"),
        (["--gate-report=c.json", "--gate-trials=test_a.py/t"], "--gate-trials can't be written: *"),
        (["--gate-report=c.json", "--gate-trial-timeout=0"], "--gate-trial-timeout is a number of seconds above 0*"),
        (["--gate-report=c.json", "--gate-trial-timeout=nan"], "--gate-trial-timeout is a number of seconds above 0*"),
    ],
)
def test_options_that_are_wrong(project: Project, options: list[str], said: str) -> None:
    project.write("test_a.py", "from fake_model import ask\ndef test_a(): ask()")
    result = project.pytest(*options)
    assert result.ret == pytest.ExitCode.USAGE_ERROR
    result.stderr.fnmatch_lines([f"ERROR: {said}"])
    assert project.calls == 0


def test_only_ordinary_runs_where_no_test_is_to_be_called(project: Project) -> None:
    project.write(
        "test_a.py", "import pytest\nfrom fake_model import ask\n@pytest.mark.stochastic\ndef test_a(): ask()"
    )
    for option in ("--setup-only", "--setup-plan", "--collect-only"):
        project.pytest("--gate-report=c.json", option)
    assert project.calls == 0
