"""An unchanged agent that answers otherwise each time is rarely red, and one that got clearly worse is."""

from __future__ import annotations

import pytest

from benchmarks import probes
from benchmarks.probes import Setup, lines, most_red, red

RUNS = 40
SMALL = 4
"""Probes a dimension: 32 in all, some of them borderline."""
RATES = 1.0, 0.9, 0.7, 0.5


@pytest.mark.parametrize("setup", [Setup(1, 1, SMALL, RATES), Setup(3, 3, SMALL, RATES)], ids=["once", "often"])
def test_unchanged_sampled_agent_is_rarely_red(setup: Setup) -> None:
    assert red(setup, RUNS) <= most_red(RUNS)


def test_agent_that_lost_most_of_what_it_could_is_red() -> None:
    assert red(Setup(3, 3, SMALL, main=(1.0,), head=(0.2,)), 3) == 3
    assert red(Setup(1, 1, SMALL, main=(1.0,), head=(0.2,)), 3) == 0  # four single answers show nothing


def test_what_chance_allows_is_exact() -> None:
    """Of 1,000 at 5 % more than 67 are red in .8 of 100 series."""
    assert most_red(1_000) == 67
    assert most_red(20) == 4


def test_lines_of_the_benchmark(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(probes, "UNCHANGED", {"unchanged": Setup(1, 1, SMALL)})
    monkeypatch.setattr(probes, "WORSE", {"worse": Setup(3, 3, SMALL, main=(1.0,), head=(0.0,))})
    unchanged, worse = lines(2)
    assert (unchanged.limit, unchanged.holds) == (0.05, True)
    assert (worse.ours, worse.limit) == (1.0, None)
