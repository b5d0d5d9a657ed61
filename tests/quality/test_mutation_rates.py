"""What is promised of prompt mutation, exactly: false kills, power, and pull requests that change nothing."""

from __future__ import annotations

import pytest

from benchmarks.mutation import exact, unchanged
from benchmarks.stats.beside import Clastogen
from benchmarks.stats.line import ALPHA


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
