"""What kinds of tests can be trials, and what each kind of ending comes to."""

from __future__ import annotations

from gate.schema.outcome import Outcome
from tests.support.fake_model import Project, by_name, outcomes, subtests_plugin, trials


def test_unittest(project: Project) -> None:
    project.write(
        "test_a.py",
        """
import pytest, unittest
from pathlib import Path

class Case(unittest.TestCase):
    at = 0
    @classmethod
    def setUpClass(cls): cls.log = []
    @classmethod
    def tearDownClass(cls): Path("log").write_text(" ".join(cls.log))
    def setUp(self):
        self.seen = 0
        type(self).log.append("up")
    def tearDown(self): type(self).log.append("down")

    @pytest.mark.stochastic(max_trials=3)
    def test_a(self):
        self.seen += 1
        type(self).at += 1
        self.assertEqual(self.seen, 1)
        self.assertNotEqual(type(self).at, 2)

    @pytest.mark.stochastic(max_trials=3)
    @unittest.skip("not here")
    def test_b(self): pass

class Later(unittest.IsolatedAsyncioTestCase):
    @pytest.mark.stochastic(max_trials=3)
    async def test_c(self): pass
""",
    )
    report, result = project.run()
    result.assert_outcomes(passed=2, skipped=1)
    cases = by_name(report)
    assert (outcomes(cases["Case::test_a"]), outcomes(cases["Later::test_c"])) == ("101", "111")
    assert trials(cases["Case::test_a"]).shared == ("setUpClass",)
    assert cases["Case::test_b"].outcome is Outcome.SKIPPED
    assert (project.path / "log").read_text() == "up down up down up down"


def test_coroutines_need_no_plugin(project: Project) -> None:
    project.write(
        "test_a.py",
        """
import asyncio, pytest
from fake_model import ask

@pytest.fixture
def box(): return []

@pytest.mark.stochastic
async def test_a(box):
    await asyncio.sleep(0)
    box.append(1)
    assert len(box) == 1 and ask()

class TestB:
    @pytest.mark.stochastic(max_trials=3)
    @pytest.mark.parametrize("n", [1, 2])
    async def test_b(self, n):
        await asyncio.sleep(0)
        assert ask(0), str(n)
""",
    )
    report, result = project.run()
    result.assert_outcomes(passed=1, failed=2)
    assert sorted(outcomes(case) for case in report.cases) == ["000", "000", "1" * 10]
    assert project.calls == 16


def test_a_trial_fails_with_a_subtest(project: Project) -> None:
    plugin = subtests_plugin()
    project.write(
        "test_a.py",
        """
import pytest, unittest
at = []

@pytest.mark.stochastic(max_trials=4)
def test_some(subtests):
    at.append(1)
    for n in range(3):
        with subtests.test(n=n):
            assert n + len(at) != 4, "one"

@pytest.mark.stochastic(max_trials=2)
def test_all(subtests):
    with subtests.test(n=1): assert 0, "always"

class Case(unittest.TestCase):
    @pytest.mark.stochastic(max_trials=2)
    def test_unit(self):
        with self.subTest(n=1): self.fail("never")
""",
    )
    report, _ = project.run(*plugin)
    cases = by_name(report)
    assert {name: (case.outcome, outcomes(case)) for name, case in cases.items()} == {
        "test_some": (Outcome.PASSED, "1000"),
        "test_all": (Outcome.FAILED, "00"),
        "Case::test_unit": (Outcome.FAILED, "00"),
    }
    assert "always" in trials(cases["test_all"]).excerpt
    assert report.completeness.complete


def test_skips(project: Project) -> None:
    project.write(
        "test_a.py",
        """
import pytest
from fake_model import ask
at = []

@pytest.mark.stochastic
@pytest.mark.skipif(True, reason="not here")
def test_marked(): ask()

@pytest.mark.stochastic
def test_first():
    ask()
    pytest.skip("no model")

@pytest.mark.stochastic(max_trials=5)
def test_some():
    at.append(ask())
    if len(at) % 3 == 0: pytest.skip("refused")

@pytest.mark.stochastic
def test_many():
    at.append(ask())
    if len(at) > 9: pytest.skip("refused")
""",
    )
    report, result = project.run()
    result.assert_outcomes(skipped=2, passed=1, errors=1)
    cases = by_name(report)
    assert [cases[name].outcome for name in ("test_marked", "test_first")] == [Outcome.SKIPPED] * 2
    assert [outcomes(cases[name]) for name in ("test_marked", "test_first")] == ["", ""]
    assert (outcomes(cases["test_some"]), trials(cases["test_some"]).errors) == ("1" * 5, 2)
    assert (cases["test_many"].outcome, outcomes(cases["test_many"])) == (Outcome.ERROR, "11")
    assert "could not be measured" in cases["test_many"].message
    assert project.calls == 1 + 7 + 2 + 4


def test_expected_failures(project: Project) -> None:
    project.write(
        "test_a.py",
        """
import pytest
at = []
pytestmark = pytest.mark.stochastic(max_trials=4)

@pytest.mark.xfail
def test_fails(): assert 0

@pytest.mark.xfail(raises=KeyError)
def test_other():
    at.append(1)
    raise KeyError if len(at) % 2 else ValueError("other")

@pytest.mark.xfail(strict=True)
def test_strict(): pass

@pytest.mark.xfail
def test_passes(): pass

@pytest.mark.xfail(run=False)
def test_not_run(): at.append("never")
""",
    )
    report, result = project.run()
    result.assert_outcomes(xfailed=3, failed=1, xpassed=1)
    assert {name: (case.outcome, outcomes(case)) for name, case in by_name(report).items()} == {
        "test_fails": (Outcome.XFAILED, "0000"),
        "test_other": (Outcome.XFAILED, "0000"),
        "test_strict": (Outcome.FAILED, "0000"),
        "test_passes": (Outcome.XPASSED, "1111"),
        "test_not_run": (Outcome.XFAILED, ""),
    }


def test_an_expected_failure_is_a_failed_trial_however_it_is_declared(project: Project) -> None:
    """Otherwise `if not ok: pytest.xfail()` would pass at any rate."""
    project.write(
        "test_a.py",
        """
import unittest
import pytest
at = []
pytestmark = pytest.mark.stochastic(max_trials=7)

def ok():
    at.append(1)
    return len(at) % 7 < 4

def test_in_the_body():
    if not ok(): pytest.xfail("known")

@pytest.fixture
def prepared():
    if not ok(): pytest.xfail("no account")

def test_in_a_fixture(prepared): pass

@pytest.fixture
def left_behind():
    yield
    if not ok(): pytest.xfail("a file is left")

def test_in_a_tear_down(left_behind): pass

@pytest.mark.xfail
def test_marked(): assert ok()

def test_in_a_subtest(subtests):
    good = ok()
    with subtests.test("one"):
        if not good: pytest.xfail("known")

class TestOld(unittest.TestCase):
    @unittest.expectedFailure
    def test_expected(self): self.assertTrue(ok())

def test_never():
    if not len(at): pytest.xfail("known")
""",
    )
    report, _ = project.run()
    found = {name: (case.outcome, outcomes(case)) for name, case in by_name(report).items()}
    assert found.pop("test_never") == (Outcome.PASSED, "1111111")
    assert found.pop("test_in_a_tear_down") == (Outcome.XFAILED, "1111111"), "its calls held"
    assert found.pop("TestOld::test_expected") == (Outcome.XFAILED, "0000000"), "unittest fails a pass there too"
    assert {outcome for outcome, _ in found.values()} == {Outcome.XFAILED}
    assert {name: sorted(trials) for name, (_, trials) in found.items()} == dict.fromkeys(found, sorted("0001111"))


def test_a_rate_that_fell_is_no_failure_where_failures_are_expected(project: Project) -> None:
    project.write(
        "test_a.py",
        """
import pytest

@pytest.mark.stochastic(max_trials=20, min_rate=0.9)
@pytest.mark.xfail
def test_low(): assert 0
""",
    )
    report, result = project.run()
    result.assert_outcomes(xfailed=1)
    assert set(outcomes(report.cases[0])) == {"0"}
