"""What is promised of prompt mutation, exactly: false kills, power, and pull requests that change nothing."""

from __future__ import annotations

import pytest

from benchmarks.mutation import exact, in_process, unchanged
from benchmarks.stats.beside import Clastogen
from benchmarks.stats.line import ALPHA
from gate.schema.verdict import ExitCode
from gate.settings import Settings


def test_false_kills_and_power_are_as_promised() -> None:
    found = list(exact.lines(Clastogen(), 0))
    assert [line.item for line in found] == [1, 2, 2, 2, 2, 3, 3]
    few, many, both = found[1], found[2], found[3]
    assert all(line.holds for line in found if line is not both)
    assert both.ours["power"] >= 0.89
    assert both.ours["false alarm"] <= ALPHA
    assert few.ours == pytest.approx(0.8088, abs=1e-3)
    assert many.ours < few.ours


def test_calls_are_held_against_those_of_the_other_tool() -> None:
    """A tool that needed two calls a verdict would need fewer, and the lines say so."""
    quick = Clastogen("", {pair: {"regression": 0.0, "calls": 1.0, "baseline_calls": 1.0} for pair in exact.pairs()})
    lines = [line for line in exact.lines(quick, 0) if line.item == 3]
    assert [line.holds for line in lines] == [False, False]


def test_noise_alone_rarely_fails_a_pull_request_with_borderline_mutants() -> None:
    assert sum(unchanged.KINDS.values()) == 60
    assert unchanged.BORDERLINE == 20
    assert 0 < unchanged._strict() <= ALPHA


BORDERLINE = (0.6, 0.6, 0.7, 0.7, 0.7, 0.8, 0.8, 0.8)
FEW_RATES = (*BORDERLINE, *(0.98,) * 16)


def test_whole_pull_requests_that_change_nothing_are_rarely_red() -> None:
    """Through the ledger, the plan, the first look, both arms and the comparator; only trials are drawn."""
    found = list(in_process.runs(6, FEW_RATES, first=25))
    red = sum(each.verdict.exit_code is ExitCode.REGRESSION for each in found)
    assert red <= 1  # of 6 at 5 %, 97 of 100 such series
    assert {each.verdict.exit_code for each in found} <= {ExitCode.HOLDS, ExitCode.REGRESSION}
    assert sum(each.suspects > 0 for each in found) >= 1  # by the first look alone, which both arms then confirm or not


def test_a_mutant_that_is_noticed_no_more_is_found_among_borderline_ones() -> None:
    verdict = in_process.PullRequest(FEW_RATES, 1, {}, now={20: 0.1}).run(Settings()).verdict
    assert verdict.exit_code is ExitCode.REGRESSION
    assert [each.case_id for each in verdict.failing] == [f"mutant:agent:PROMPT#{20:012x}"]
