"""Trials that end badly: out of time, never reached, or in a broken fixture."""

from __future__ import annotations

import pytest

from gate.schema.outcome import Outcome
from tests.support.fake_model import Project, by_name, outcomes, subtests_plugin, trials


def test_infrastructure_errors_are_no_trials(project: Project) -> None:
    project.write(
        "test_a.py",
        """
import collections, pytest
from fake_model import ask
from gate.trials.infrastructure import InfrastructureError
count = collections.Counter()

class Busy(Exception): pass

def third(name):
    ask()
    count[name] += 1
    return count[name] % 3 == 0

@pytest.fixture
def client():
    if third("fixture"): raise ConnectionResetError("gone")

@pytest.mark.stochastic(max_trials=5)
def test_fixture(client): pass

@pytest.mark.stochastic(max_trials=6, infrastructure=Busy)
def test_declared():
    if third("declared"): raise Busy("wait")

@pytest.mark.stochastic(max_trials=4)
def test_raised():
    if third("raised"): raise InfrastructureError("quota")

@pytest.mark.stochastic(max_trials=4)
def test_undeclared():
    if third("undeclared"): raise Busy("answer")

@pytest.mark.stochastic(max_trials=4)
@pytest.mark.xfail
def test_expected():
    if third("expected"): raise ConnectionError("gone")
    assert 0
""",
    )
    report, result = project.run()
    result.assert_outcomes(passed=4, xfailed=1)
    cases = by_name(report)
    assert {name: (outcomes(case), trials(case).errors) for name, case in cases.items()} == {
        "test_fixture": ("11111", 2),
        "test_declared": ("111111", 2),
        "test_raised": ("1111", 1),
        "test_undeclared": ("1101", 0),
        "test_expected": ("0000", 1),
    }
    assert project.calls == sum(trials(case).count + trials(case).errors for case in report.cases)


def test_too_many_of_them_are_an_error_and_never_a_pass(project: Project) -> None:
    project.write(
        "test_a.py",
        """
import pytest
from fake_model import ask
at = []

@pytest.mark.stochastic(max_trials=60)
def test_mostly():
    at.append(ask())
    if len(at) % 2: raise ConnectionError("refused")

@pytest.fixture(scope="module")
def wide(): raise ConnectionError("no server")

@pytest.mark.stochastic
def test_wide(wide): ask()

@pytest.mark.stochastic
@pytest.mark.xfail
def test_expected(): raise ConnectionError("gone")
""",
    )
    report, result = project.run("--gate-trial-timeout=60", "--tb=short")
    result.assert_outcomes(errors=3)
    cases = by_name(report)
    assert [(case.outcome, trials(case).errors) for case in report.cases] == [(Outcome.ERROR, 4)] * 3
    assert (outcomes(cases["test_mostly"]), outcomes(cases["test_wide"])) == ("111", "")
    assert all(not session.fixed for session in trials(cases["test_mostly"]).sessions)
    words = "could not be measured: 3 of 3 trials passed; 4 infrastructure errors"
    assert cases["test_mostly"].message.startswith(words)
    result.stdout.fnmatch_lines(["*no trial could be made; 4 infrastructure errors*", "ConnectionError: no server"])
    assert project.calls == 7


def test_a_broken_fixture_is_an_error_of_the_test(project: Project) -> None:
    project.write(
        "test_a.py",
        """
import pytest
from fake_model import ask
at = []

@pytest.fixture
def broken(): raise KeyError("none")

@pytest.fixture
def sometimes():
    at.append(1)
    assert len(at) != 3, "third"

@pytest.mark.stochastic
def test_never(broken): ask()

@pytest.mark.stochastic
def test_third(sometimes): ask()
""",
    )
    report, result = project.run()
    result.assert_outcomes(errors=2)
    cases = by_name(report)
    assert (cases["test_never"].outcome, outcomes(cases["test_never"])) == (Outcome.ERROR, "")
    assert (cases["test_third"].outcome, outcomes(cases["test_third"])) == (Outcome.ERROR, "11")
    assert cases["test_third"].message.startswith("AssertionError: third")
    assert project.calls == 2


def test_a_trial_that_runs_out_of_time_has_failed(project: Project) -> None:
    project.write(
        "test_a.py",
        """
import asyncio, collections, pytest, signal, time
count = collections.Counter()
pytestmark = pytest.mark.stochastic(max_trials=3, timeout=.3)

def second(name):
    count[name] += 1
    return count[name] == 2

def test_sleeps():
    if second("sleeps"): time.sleep(60)

def test_works():
    if second("works"):
        while True: pass

async def test_waits():
    if second("waits"): await asyncio.sleep(60)

def test_catches():
    if second("catches"):
        try: time.sleep(60)
        except BaseException: pass

@pytest.fixture
def slow():
    if second("slow"): time.sleep(60)

def test_fixture(slow): pass

def test_afterwards():
    assert signal.getitimer(signal.ITIMER_REAL)[0] > 0
""",
    )
    project.write("test_b.py", "import signal\ndef test_b(): assert signal.getitimer(signal.ITIMER_REAL)[0] == 0")
    report, result = project.run()
    result.assert_outcomes(passed=7)
    cases = by_name(report)
    for name in ("test_sleeps", "test_works", "test_waits", "test_catches", "test_fixture"):
        assert (outcomes(cases[name]), trials(cases[name]).timed_out) == ("101", 1), name
        assert "ran out of time" in trials(cases[name]).excerpt
    assert trials(cases["test_sleeps"]).asked["timeout"] == "0.3"
    assert trials(cases["test_afterwards"]).timed_out == 0


def test_the_option_limits_every_trial(project: Project) -> None:
    project.write(
        "test_a.py",
        """
import pytest, time
@pytest.mark.stochastic(max_trials=2)
def test_a(): time.sleep(60)
@pytest.mark.stochastic(max_trials=2, timeout=30)
def test_b(): time.sleep(.1)
""",
    )
    _, result = project.run("--gate-trial-timeout=.05")
    result.assert_outcomes(failed=1, passed=1)
    result.stdout.fnmatch_lines(["*the trial ran out of time after 0.05 s", "0 of 2 trials passed; 2 ran out of time"])


def test_a_limit_of_another_plugin_holds_for_one_trial(project: Project) -> None:
    pytest.importorskip("pytest_timeout")
    project.write(
        "test_a.py",
        """
import pytest, time
at = []
@pytest.mark.stochastic(max_trials=4)
@pytest.mark.timeout(.5)
def test_a():
    at.append(1)
    time.sleep(60 if len(at) == 2 else .2)
@pytest.mark.timeout(30)
def test_b(): pass
""",
    )
    report, result = project.run("-p", "pytest_timeout")
    result.assert_outcomes(passed=2)
    case = by_name(report)["test_a"]
    assert (outcomes(case), trials(case).timed_out) == ("1011", 1)


def test_an_interrupt_ends_the_run(project: Project) -> None:
    project.write(
        "test_a.py",
        """
import pytest
at = []
@pytest.mark.stochastic
def test_a():
    at.append(1)
    if len(at) == 3: raise KeyboardInterrupt
def test_b(): pass
""",
    )
    report, _ = project.run()
    assert report.completeness.exit_code == 2
    assert not report.completeness.complete
    assert report.cases == ()


def test_a_run_that_is_told_to_stop_makes_no_further_trial(project: Project) -> None:
    project.write(
        "test_a.py",
        """
import pytest
from fake_model import ask
@pytest.mark.stochastic
def test_a(request):
    ask()
    request.session.shouldstop = "enough"
""",
    )
    report, _ = project.run()
    assert project.calls == 1
    assert (report.cases[0].outcome, outcomes(report.cases[0])) == (Outcome.ERROR, "1")


def test_infrastructure_in_a_subtest(project: Project) -> None:
    plugin = subtests_plugin()
    project.write(
        "test_a.py",
        """
import pytest
at = []
@pytest.mark.stochastic(max_trials=5)
def test_a(subtests):
    at.append(1)
    with subtests.test(n=1):
        if len(at) == 2: raise ConnectionError("gone")
    with subtests.test(n=2):
        if len(at) == 4: raise ConnectionError("gone")
        assert len(at) != 5
    if len(at) == 4: raise ValueError("also")
""",
    )
    report, _ = project.run(*plugin)
    (case,) = report.cases
    assert (case.outcome, outcomes(case), trials(case).errors) == (Outcome.PASSED, "11001", 1)
