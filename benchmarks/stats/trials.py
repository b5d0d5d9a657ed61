"""What a trial of a pytest test costs more than a call of its function, here and in Clastogen.

The same test file is run by both: the gate's plugin with a plan of so many trials, and Clastogen's own way to run a
trial again, called as often by a conftest. A test notes when it is called; the median gap between two calls, less that
of calls in a loop, is what a trial adds. One test is bare, one has a fixture of its own and `monkeypatch`.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
import tempfile
from pathlib import Path

from gate.trials.plan import Plan, plan_to_text

TRIALS = 500
TESTS = ("bare", "fixtures")
_FILE = """
import json, pathlib, statistics, time
import pytest

CALLS = {"bare": [], "fixtures": []}

@pytest.fixture
def thing():
    yield object()

@pytest.mark.stochastic
def test_bare():
    CALLS["bare"].append(time.perf_counter())

@pytest.mark.stochastic
def test_fixtures(thing, monkeypatch):
    CALLS["fixtures"].append(time.perf_counter())

def teardown_module():
    def loop():
        stamps = []
        for _ in range(1000):
            stamps.append(time.perf_counter())
        return gap(stamps)
    def gap(stamps):
        return statistics.median(b - a for a, b in zip(stamps, stamps[1:]))
    found = {name: 1e6 * (gap(stamps) - loop()) for name, stamps in CALLS.items()}
    pathlib.Path("found.json").write_text(json.dumps([found, {name: len(stamps) for name, stamps in CALLS.items()}]))
"""
_CONFTEST = """
import pytest
from clastogen.trial import run_trial

def pytest_configure(config):
    config.addinivalue_line("markers", "stochastic: varies")

@pytest.hookimpl(wrapper=True)
def pytest_runtest_call(item):
    result = yield
    for _ in range(TRIALS - 1):
        assert run_trial(item)
    return result
"""


def ours() -> dict[str, float]:
    """Microseconds that a trial adds, by test."""
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        (folder / "plan.json").write_text(plan_to_text(Plan(fixed=TRIALS)), encoding="utf-8")
        return _run(folder, sys.executable, "--gate-plan", "plan.json", "--gate-report", "report.json")


def clastogens(python: str) -> dict[str, float]:
    """The same of Clastogen."""
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        (folder / "conftest.py").write_text(_CONFTEST.replace("TRIALS", str(TRIALS)), encoding="utf-8")
        return _run(folder, python)


def _run(folder: Path, python: str, *arguments: str) -> dict[str, float]:
    (folder / "test_trials.py").write_text(_FILE, encoding="utf-8")
    (folder / "pytest.ini").write_text("[pytest]\n", encoding="utf-8")
    environ = {key: value for key, value in os.environ.items() if not key.startswith(("PYTEST_", "GATE_", "COV_"))}
    command = [python, "-m", "pytest", "-q", "-p", "no:cacheprovider", *arguments]
    done = subprocess.run(command, cwd=folder, env=environ, capture_output=True, text=True, check=False)
    if done.returncode:
        raise SystemExit(f"pytest ended with {done.returncode}: {done.stdout[-2000:]}")
    found, counts = json.loads((folder / "found.json").read_text(encoding="utf-8"))
    if counts != dict.fromkeys(TESTS, TRIALS):
        raise SystemExit(f"{TRIALS} trials were asked for, and {counts} were made")
    times: dict[str, float] = found
    return times
