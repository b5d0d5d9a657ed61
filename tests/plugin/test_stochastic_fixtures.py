"""What one trial is given anew, and what all trials of a test share."""

from __future__ import annotations

from gate.schema.outcome import Outcome
from tests.support.fake_model import Project, by_name, outcomes, trials


def test_what_a_trial_changes_the_next_one_does_not_see(project: Project) -> None:
    project.write(
        "test_a.py",
        """
import os, pytest

@pytest.fixture
def box(): return []

@pytest.fixture(params=[[1]])
def given(request): return request.param

@pytest.mark.stochastic
class TestMethods:
    seen = 0

    def test_function_scope(self, box, tmp_path, monkeypatch, record_property, capsys):
        assert box == [] and not list(tmp_path.iterdir()) and "GATE_TRIAL" not in os.environ
        box.append(1); (tmp_path / "file").touch(); monkeypatch.setenv("GATE_TRIAL", "1"); print("said")
        assert capsys.readouterr().out == "said\\n"

    def test_instance(self):
        self.seen += 1
        assert self.seen == 1

    @pytest.mark.parametrize("items", [[1, {"a": 2}], {"b": [3]}])
    def test_parameters(self, items):
        first = items[1]["a"] if isinstance(items, list) else items["b"][0]
        assert first in (2, 3)
        (items[1] if isinstance(items, list) else items).clear()

    def test_parameters_of_a_fixture(self, given):
        assert given == [1]
        given.append(2)
""",
    )
    report, result = project.run()
    result.assert_outcomes(passed=5)
    assert {outcomes(case) for case in report.cases} == {"1" * 10}
    assert all(trials(case).shared == () for case in report.cases)


def test_wider_scopes_are_shared_named_and_end_in_time(project: Project) -> None:
    project.write(
        "conftest.py",
        """
import pytest
from pathlib import Path
LOG = []

@pytest.fixture(scope="session")
def client():
    LOG.append("client")
    yield
    LOG.append("client ends")
    Path("log").write_text(" ".join(LOG))
""",
    )
    project.write(
        "test_a.py",
        """
import pytest
from conftest import LOG

@pytest.fixture(scope="module")
def data():
    LOG.append("data"); yield; LOG.append("data ends")

@pytest.fixture(scope="class")
def group():
    LOG.append("group"); yield; LOG.append("group ends")

@pytest.fixture
def each():
    LOG.append("each"); yield; LOG.append("each ends")

class TestA:
    @classmethod
    def setup_class(cls): LOG.append("setup")
    @classmethod
    def teardown_class(cls): LOG.append("teardown")
    @pytest.mark.stochastic(max_trials=2)
    def test_a(self, client, data, group, each): LOG.append("a")

@pytest.mark.stochastic(max_trials=2)
def test_b(data, request):
    request.getfixturevalue("client")
    LOG.append("b")
""",
    )
    project.write("test_b.py", "def test_c(): pass")
    report, result = project.run()
    result.assert_outcomes(passed=3)
    one = "each a each ends"
    assert (project.path / "log").read_text() == (
        f"client data setup group {one} {one} group ends teardown b b data ends client ends"
    )
    cases = by_name(report)
    assert trials(cases["TestA::test_a"]).shared == ("client", "data", "group", "setup_class")
    assert trials(cases["test_b"]).shared == ("client", "data")


def test_a_tear_down_of_a_wider_scope_that_fails_is_the_last_tests(project: Project) -> None:
    project.write(
        "test_a.py",
        """
import pytest
@pytest.fixture(scope="module")
def wide():
    yield
    raise RuntimeError("no end")
@pytest.mark.stochastic(max_trials=3)
def test_a(wide): pass
@pytest.mark.stochastic(max_trials=3)
def test_b(wide): pass
""",
    )
    report, result = project.run()
    result.assert_outcomes(passed=2, errors=1)
    cases = by_name(report)
    assert (cases["test_a"].outcome, cases["test_b"].outcome) == (Outcome.PASSED, Outcome.ERROR)
    assert outcomes(cases["test_b"]) == "111"
    assert cases["test_b"].message == "RuntimeError: no end"


def test_a_tear_down_of_a_trial_that_fails_is_an_error(project: Project) -> None:
    project.write(
        "test_a.py",
        """
import pytest
at = []
@pytest.fixture
def each():
    yield
    at.append(1)
    assert len(at) != 3, "no end"
@pytest.fixture(scope="module")
def wide():
    yield
    open("ended", "w").close()
@pytest.mark.stochastic
def test_a(each, wide): pass
""",
    )
    project.write("test_b.py", "import pathlib\ndef test_b(): assert pathlib.Path('ended').exists()")
    report, result = project.run()
    result.assert_outcomes(passed=2, errors=1)
    case = by_name(report)["test_a"]
    assert (case.outcome, outcomes(case)) == (Outcome.ERROR, "111")
    assert case.message.startswith("AssertionError: no end")


def test_seeds_that_a_plugin_sets_before_each_test_leave_the_trials_alone(project: Project) -> None:
    """As pytest-randomly does: with one seed for all of them, every trial would draw what the first one drew."""
    project.write(
        "conftest.py",
        """
import random
def pytest_addoption(parser): parser.addoption("--no-seed", action="store_false", dest="randomly_reset_seed")
def pytest_runtest_call(item):
    if item.config.getoption("randomly_reset_seed"): random.seed(7)
""",
    )
    project.write(
        "test_a.py",
        """
import pytest, random
drawn = []
@pytest.mark.stochastic
def test_a(): drawn.append(random.random())
def test_b(): assert len(set(drawn)) == 10 and random.random() == random.Random(7).random()
""",
    )
    _, result = project.run()
    result.assert_outcomes(passed=2)


def test_what_is_bound_to_the_old_instance_is_made_anew(project: Project) -> None:
    """A plugin may put a function of its own around the method."""
    project.write(
        "conftest.py",
        """
import functools, pytest
@pytest.hookimpl(tryfirst=True)
def pytest_runtest_call(item):
    method = item.obj
    @functools.wraps(method)
    def around(*args, **kwargs): return method(*args, **kwargs)
    item.obj = around
""",
    )
    project.write(
        "test_a.py",
        """
import pytest
class TestA:
    seen = 0
    @pytest.mark.stochastic(max_trials=3)
    def test_a(self):
        self.seen += 1
        assert self.seen == 1
""",
    )
    report, _ = project.run()
    assert outcomes(report.cases[0]) == "111"
