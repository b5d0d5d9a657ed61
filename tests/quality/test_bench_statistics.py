"""The benchmark of the statistics with few runs: its lines hold, and what does not hold ends it with 1."""

from __future__ import annotations

import json
import math
import sys
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest

from benchmarks.stats import __main__ as bench
from benchmarks.stats import assertion, beside, correlation, designs, end_to_end, planning, suite, timing, trials
from benchmarks.stats.line import FOR_CASES, RATES, Line
from gate.compare.ledger import budget_of
from gate.settings import Settings
from gate.stats.design import Question, design_for
from gate.stats.inflation import inflated_false_alarm, points_of_paths
from gate.stats.two_arms import Caches, TwoArms, two_arm_false_alarm
from tests.support.compare import case, report
from tests.support.compare import trials as trials_of

RUNS = 3_000


def held(lines: Iterator[Line]) -> list[Line]:
    found = list(lines)
    assert found
    assert [str(line) for line in found if not line.holds] == []
    return found


def test_the_share_is_the_one_that_the_ledger_leaves_to_the_cases() -> None:
    cases = [case(f"t.py::{number}", stochastic=True, trials=trials_of("1" * 10)) for number in range(12)]
    assert budget_of(report(None, *cases), Settings()).for_cases == pytest.approx(FOR_CASES)


def test_designs_hold_at_the_share_really_spent() -> None:
    found = held(designs.lines(beside.Clastogen(), 1))
    assert sorted({line.item for line in found}) == [1, 2, 3, 4]
    assert all(line.clastogen is None for line in found)


def test_the_suite_test() -> None:
    (line,) = held(suite.lines(1_000, ("half-always-pass-half-.95",), workers=1))
    assert line.limit == {"size": 0.01, "power": 0.93}
    (line,) = held(suite.lines(200, ("all-.90",), workers=1))
    assert line.limit == {"size": 0.01}, "no test can reach .93 there"
    assert line.ours["power"] < line.ours["at most"] < 0.93


def test_the_assertions() -> None:
    found = held(assertion.lines("", 1_000))
    assert len(found) == 13


def test_the_plan(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(planning, "ARGUMENTS", (*planning.ARGUMENTS, "--rates", "1"))
    (line,) = held(planning.lines())
    assert line.ours["exit code"] == 3


def test_without_correlation_both_ways_give_their_exact_false_alarm() -> None:
    both = TwoArms(50, 12, FOR_CASES)
    exact = two_arm_false_alarm(both, 0.75, Caches())
    assert abs(correlation.confirmed(both, 0.75, 0.0, RUNS).cases - exact) < 4 * math.sqrt(exact / RUNS)
    alone = design_for(Question(50, 60, FOR_CASES / 12), {})
    points = points_of_paths(alone.paths.regression.paths, alone.paths.regression.fails)
    exact = inflated_false_alarm(points, [10] * 5, 0.0, 12, (0.9,))
    assert abs(correlation.unconfirmed(alone, 0.9, 0.0, RUNS) - exact) < 4 * math.sqrt(exact / RUNS)


def test_a_correlation_of_sessions_with_two_arms_and_without() -> None:
    alarms = correlation.confirmed(TwoArms(50, 12, FOR_CASES), 0.75, 0.02, RUNS)
    assert alarms.failed <= FOR_CASES
    alone = design_for(Question(50, 60, FOR_CASES / 12), {})
    points = points_of_paths(alone.paths.regression.paths, alone.paths.regression.fails)
    exact = inflated_false_alarm(points, [10] * 5, 0.02, 12, (0.9,))
    assert exact > 2 * FOR_CASES
    assert abs(correlation.unconfirmed(alone, 0.9, 0.02, RUNS) - exact) < 4 * math.sqrt(exact / RUNS)


def test_a_drift_fails_the_suite_by_its_baseline_and_not_beside_main() -> None:
    alarms = correlation.confirmed(TwoArms(50, 60, FOR_CASES), 0.95, 0.0, 400, 0.07)
    assert alarms.suspected > 0.3
    assert alarms.suite <= 0.01 + 4 * math.sqrt(0.01 / 400)
    assert alarms.failed <= 0.05
    quiet = correlation.confirmed(TwoArms(50, 60, FOR_CASES), 0.95, 0.0, 2_000)
    assert 0.002 < quiet.suspected <= 0.01 + 4 * math.sqrt(0.01 / 2_000)
    assert quiet.suite <= 0.002


def test_drawn_sessions_have_the_correlation() -> None:
    drawn = correlation.draw_rates(np.random.default_rng(1), 0.9, 0.02, (200_000,))
    assert drawn.mean() == pytest.approx(0.9, abs=0.001)
    assert drawn.var() / (0.9 * 0.1) == pytest.approx(0.02, abs=0.001)


def test_how_often_reports_warn_is_a_share() -> None:
    assert 0 <= correlation.warnings(3) <= 1


def test_times_are_measured() -> None:
    added = trials.ours()
    assert set(added) == set(trials.TESTS)
    assert all(value > 0 for value in added.values())
    assert set(timing.DESIGNS) >= {(100, 200, 150)}


def test_figures_of_clastogen_are_put_beside() -> None:
    figures = {pair: {"regression": 0.02, "calls": 9.0, "baseline_calls": 10.0} for pair in beside.pairs()}
    found = beside.Clastogen("python", figures)
    assert found.family(12) == pytest.approx({f"{rate:g}": 1 - 0.98**12 for rate in RATES})
    assert found.power((0.9,)) == {"0.9": 0.02}
    assert found.calls((0.9,)) == {"0.9": 19.0}
    assert beside.Clastogen().family(12) is None


def test_without_clastogen_it_says_so_and_goes_on(capsys: pytest.CaptureFixture[str]) -> None:
    for python in ("", "no/such/python", sys.executable):
        assert beside.find(python).python == ""
    assert capsys.readouterr().err.count("WARNING: clastogen==0.10.0 is not here") == 3


@pytest.mark.parametrize("holds", [True, False])
def test_it_ends_with_1_where_a_line_does_not_hold(
    holds: bool, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(planning, "lines", lambda: iter([Line(7, "a µ", {"x": 1 / 3}, (1, 2), holds)]))
    monkeypatch.setattr(sys, "argv", ["bench", "--items", "7"])
    assert bench.main() == (0 if holds else 1)
    (text,) = capsys.readouterr().out.splitlines()
    expected = {"item": 7, "what": "a µ", "ours": {"x": 0.3333}, "limit": [1, 2], "holds": holds, "clastogen": None}
    assert json.loads(text) == expected


def test_the_end_to_end_script_is_called_where_it_is(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    script = tmp_path / "stats_end_to_end.py"
    monkeypatch.setattr(end_to_end, "SCRIPT", script)
    assert list(end_to_end.lines()) == []
    assert "item 9 is left out" in capsys.readouterr().err
    good = {"what": "runs", "ours": 3, "limit": 17, "holds": True}
    script.write_text(f"import json\nprint('a note')\nprint(json.dumps({good}))\n")
    assert [(line.item, line.ours, line.holds) for line in end_to_end.lines()] == [(9, 3, True)]
    script.write_text("raise SystemExit(3)\n")
    assert [(line.ours, line.holds) for line in end_to_end.lines()] == [(3, False)]
