"""Item 10: time of a design, of a verdict, of a trial, and of the plugin's import. Medians or least of several."""

from __future__ import annotations

import json
import statistics
import subprocess
import sys
from collections.abc import Iterator
from time import process_time

from benchmarks import stats_suite_level, trial_overhead
from benchmarks.stats import trials
from benchmarks.stats.line import FOR_CASES, Line
from gate.stats.arms import ArmsQuestion, arms_for
from gate.stats.design import Design, Question, design_for

DESIGNS = ((50, 1, 60), (50, 12, 60), (100, 12, 100), (100, 200, 100), (100, 200, 150))
DESIGN_MS, VERDICT_US, IMPORT_MS = 80.0, 20.0, 10.0
CALL_US = trial_overhead.LIMIT_MICROSECONDS
TRIAL_US = {"bare": 1000.0, "fixtures": 2000.0}
"""A thousandth of the second that a call of a model takes, and two with fixtures; the gate repeats a whole test."""
_IMPORT = (
    "import time, pytest; start = time.perf_counter(); import gate.record.plugin; print(time.perf_counter() - start)"
)


def lines(python: str) -> Iterator[Line]:
    """`python` has Clastogen, or is empty."""
    taken = {f"n0 = {n0}, {cases} cases, cap {cap}": _design(n0, cases, cap) for n0, cases, cap in DESIGNS}
    taken["50 + 150 fresh of both arms"] = _arms()
    yield Line(10, "a design, cold, ms of one processor at most", taken, DESIGN_MS, max(taken.values()) <= DESIGN_MS)
    verdict = _verdict(design_for(Question(50, 60, FOR_CASES / 12), {}))
    yield Line(10, "a verdict, µs of one processor at most", verdict, VERDICT_US, verdict <= VERDICT_US)
    suite = stats_suite_level.milliseconds(200, 1)
    yield Line(
        10,
        "the suite test of 200 tests, ms at most",
        suite,
        stats_suite_level.LIMIT_MS,
        suite <= stats_suite_level.LIMIT_MS,
    )
    names = ("evaluate_pass_rate", "evaluate_regression")
    added = {name: trial_overhead.added("gate.assertions", name) for name in names}
    yield Line(
        10,
        "an assertion adds to a call, µs at most",
        added,
        CALL_US,
        max(added.values()) < CALL_US,
        _assertions_of(python) if python else None,
    )
    ours = trials.ours()
    yield Line(
        10,
        "a trial of a pytest test, set up and torn down like a test, adds to a call of its function, µs at most",
        ours,
        TRIAL_US,
        all(ours[name] < limit for name, limit in TRIAL_US.items()),
        trials.clastogens(python) if python else None,
    )
    imported = 1000 * statistics.median(_imported() for _ in range(9))
    yield Line(10, "import of the plugin after pytest, ms at most", imported, IMPORT_MS, imported <= IMPORT_MS)


def _assertions_of(python: str) -> dict[str, float]:
    command = [python, trial_overhead.__file__, "--measure", "clastogen"]
    done = subprocess.run(command, capture_output=True, text=True, check=True)
    found: dict[str, float] = json.loads(done.stdout)
    return found


def _design(n0: int, cases: int, cap: int) -> float:
    def milliseconds() -> float:
        start = process_time()
        design_for(Question(n0, cap, FOR_CASES / cases), {})
        return 1000 * (process_time() - start)

    return min(milliseconds() for _ in range(3))


def _arms() -> float:
    def milliseconds() -> float:
        start = process_time()
        arms_for(ArmsQuestion(50, FOR_CASES), {})
        return 1000 * (process_time() - start)

    return min(milliseconds() for _ in range(3))


def _verdict(design: Design) -> float:
    def microseconds() -> float:
        start = process_time()
        for _ in range(2_000):
            design.answer(46, 8, 2)
        return 1e6 * (process_time() - start) / 2_000

    return min(microseconds() for _ in range(5))


def _imported() -> float:
    done = subprocess.run([sys.executable, "-c", _IMPORT], capture_output=True, text=True, check=True)
    return float(done.stdout)
