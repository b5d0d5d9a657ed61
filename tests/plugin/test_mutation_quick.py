"""Trials without pytest's ceremony say what trials with it say, and are made only where no plugin takes part."""

from __future__ import annotations

from tests.support.fake_model import Project
from tests.support.mutation_project import PAUSES, Mutated, mutate

HEAD = """
import logging, sys, time, warnings
import pytest, prompts

def one(place):
    return pytest.mark.mutate_prompt(
        target=f"prompts:P{place}", operators=["delete-constraint"], p0=0.95, max_trials=9
    )

def greets(place):
    return "greet" in getattr(prompts, f"P{place}")
"""
PARTS = """
@ONE
def test_bare(): assert GREETS
---
@pytest.fixture(scope="module")
def wide(): return [1]

@ONE
def test_wide(wide): assert wide == [1] and GREETS
---
@pytest.fixture
def own(tmp_path):
    (tmp_path / "seen").write_text(str(GREETS))
    yield tmp_path

@ONE
def test_own(own, monkeypatch):
    seen = (own / "seen").read_text()
    assert seen == "True"
---
@pytest.fixture
def torn():
    yield
    assert GREETS, "torn down"

@ONE
def test_torn(torn): pass
---
@pytest.fixture
def refused():
    assert GREETS, "set up"

@ONE
def test_refused(refused): pass
---
@ONE
@pytest.mark.parametrize("given", [[1]])
def test_parameter(given):
    given.append(2)
    assert given == [1, 2]
    assert GREETS
---
class TestClass:
    held = 0
    def setup_method(self): self.held += 1
    @ONE
    def test_instance(self):
        held = self.held + 1
        assert held == 2
        assert GREETS
---
@ONE
def test_exit():
    if not GREETS: sys.exit(3)
---
@ONE
def test_fails_by_word():
    if not GREETS: pytest.fail("by word")
---
@ONE
def test_expected():
    if not GREETS: pytest.xfail("by word")
---
@ONE
def test_skips():
    if not GREETS: pytest.skip("no greeting")
---
@ONE
def test_unreachable():
    if not GREETS: raise ConnectionResetError("gone")
---
@ONE
@pytest.mark.stochastic(timeout=0.1, max_trials=5)
def test_slow():
    if not GREETS: time.sleep(60)
---
@ONE
@pytest.mark.filterwarnings("error:odd")
def test_warns():
    if not GREETS: warnings.warn("odd")
---
@ONE
def test_prints():
    print("said"); logging.warning("logged")
    logging.basicConfig()
    assert GREETS
---
@ONE
async def test_coroutine(): assert GREETS
---
@ONE
def test_captured(capsys):
    print("said")
    assert capsys.readouterr().out == "said\\n"
    assert GREETS
"""
NOT_QUICK = 2
"""The last two: a coroutine, and a fixture that works through the phases."""
CEREMONY = "def pytest_runtest_call(item): item.config.stash\n"


def matrix(run: Mutated) -> dict[str, tuple[str, str, str, int]]:
    """Of each test what its trials came to."""
    return {
        each["test"].partition("::")[2]: (each["status"], each["outcomes"], each["excerpt"], each["timed_out"])
        for each in run.told["matrix"]
    }


def told(project: Project) -> tuple[Mutated, int]:
    """A run, and how many of its tests were quick."""
    project.write("told.py", PAUSES)
    project.write(
        "count.py",
        "from gate.record.plugin.mutation import attempts\n"
        "before, found = attempts.is_quick, []\n"
        "def counted(item):\n    found.append(before(item))\n    return found[-1]\n"
        "attempts.is_quick = counted\n"
        "def pytest_unconfigure(config): print('QUICK', sum(found))\n",
    )
    run = mutate(project, "-p", "told", "-p", "count", "-s")
    line = next(each for each in run.result.outlines if "QUICK" in each)
    return run, int(line.split()[-1])


def test_both_ways_say_the_same(project: Project) -> None:
    """Each test has a prompt of its own, so that all of them are asked."""
    parts = PARTS.split("---")
    numbered = [
        part.replace("@ONE", f"@one({place})").replace("GREETS", f"greets({place})") for place, part in enumerate(parts)
    ]
    project.write("prompts.py", "".join(f'P{place} = "You must always greet."\n' for place in range(len(parts))))
    project.write("test_a.py", HEAD + "".join(numbered))
    quick, many = told(project)
    project.write("conftest.py", CEREMONY)
    slow, none = told(project)
    assert (many, none) == (len(parts) - NOT_QUICK, 0)
    found = matrix(quick)
    assert found == matrix(slow)
    statuses = {name: status for name, (status, *_) in found.items()}
    assert statuses.pop("test_skips") == "skipped"
    assert statuses.pop("test_unreachable") == "error"
    assert set(statuses.values()) == {"killed"}
    assert len(statuses) == len(parts) - 2
    assert found["test_slow"][3] > 0
    assert all("[1, 2" not in each[2] for each in found.values())  # parameters are as they were collected
    assert "held" not in found["TestClass::test_instance"][2]  # each trial has an instance of its own
    assert found["test_torn"][2].startswith("AssertionError: torn down")
