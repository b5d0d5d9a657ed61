"""Size and power of the suite-level test: 200 tests, 50 baseline trials and one trial now each, level .01."""

from __future__ import annotations

import pytest

from benchmarks.stats_suite_level import DROP, JUDGED, LEVEL, POWER, SUITES, most_power, rejected


@pytest.mark.parametrize(("name", "runs"), [("half-always-pass", 20_000), ("all-.99", 3_000)])
def test_a_drop_of_5_points_is_found_and_noise_is_not(name: str, runs: int) -> None:
    rates = SUITES[name](200)
    power, _ = rejected(rates, DROP, 3_000, seed=1, checked=5)
    counted, size = rejected(rates, 0.0, runs, checked=5)
    assert name in JUDGED
    assert power >= POWER
    assert size <= LEVEL
    assert counted <= LEVEL + 4 * (LEVEL / runs) ** 0.5


@pytest.mark.parametrize("name", ["all-.75", "all-.90", "seven-rates"])
def test_size_holds_at_other_rates(name: str) -> None:
    counted, size = rejected(SUITES[name](200), 0.0, 4_000, seed=2, checked=5)
    assert 0.5 * LEVEL < size <= LEVEL
    assert counted <= LEVEL + 4 * (LEVEL / 4_000) ** 0.5


@pytest.mark.parametrize(("name", "lost"), [("all-.99", 0.03), ("all-.95", 0.12), ("all-.75", 0.05)])
def test_power_is_near_the_most_that_is_possible(name: str, lost: float) -> None:
    rates = SUITES[name](200)
    most = most_power(rates)
    power, _ = rejected(rates, DROP, 4_000, seed=3, checked=0)
    assert most is not None
    assert most - lost <= power <= most + 0.02


@pytest.mark.parametrize(("cases", "power"), [(12, 0.45), (50, 0.95)])
def test_five_trials_a_case_let_small_suites_speak(cases: int, power: float) -> None:
    found, size = rejected(SUITES["half-always-pass"](cases), DROP, 2_000, first=5, seed=4, checked=5)
    assert found >= power
    assert size <= LEVEL
