"""Pass rates with intervals: the numbers in words, and bars that agree with them."""

from __future__ import annotations

import re
from dataclasses import replace

import pytest

from gate.render import chart_rates
from gate.render.chart_rates import rates
from gate.schema.verdict import CaseDecision
from tests.support.full_page import DECISIONS
from tests.support.verdicts import HOSTILE_TEXTS

ONE = DECISIONS[0]


def row(decision: CaseDecision) -> str:
    return rates([decision]).partition("<tbody>")[2]


def test_both_sides_stand_with_wilson_intervals() -> None:
    shown = row(ONE)
    # Wilson (1927): 48 of 50 is 86.5 to 98.9 %, 5 of 11 is 21.3 to 72.0 %
    assert '<td>48/50<br><span class="soft">87 to 99 %</span></td>' in shown
    assert '<td>5/11<br><span class="soft">21 to 72 %</span></td>' in shown


def test_bars_lie_where_the_interval_lies() -> None:
    across = {
        name: [float(point.split(",")[0]) for point in points.split()]
        for name, points in re.findall(r'<polyline class="(main|here)" points="([^"]*)"', row(ONE))
    }
    share = {
        name: [(x - chart_rates.EDGE) / (chart_rates.WIDTH - 2 * chart_rates.EDGE) for x in across[name]]
        for name in across
    }
    assert share["main"] == pytest.approx([0.865, 0.989], abs=0.002)
    assert share["here"] == pytest.approx([0.213, 0.720], abs=0.002)


def test_worst_first_and_the_axis_has_its_unit() -> None:
    shown = rates(DECISIONS[::-1])
    assert re.findall(r"<td>(newly fails|undecided|holds|killed)", shown) == [
        "newly fails",
        "undecided",
        "killed",
        "holds",
    ]
    assert "pass rate, percent<svg" in shown
    for label in ("0 %", "50 %", "100 %"):
        assert f">{label}</text>" in shown


@pytest.mark.parametrize("side", [(0, 0), (5, 3), (-1, 3)])
def test_counts_that_no_run_has_are_no_bar(side: tuple[int, int]) -> None:
    shown = row(replace(ONE, candidate=side))
    assert 'class="here"' not in shown
    assert 'class="main"' in shown


@pytest.mark.parametrize("text", HOSTILE_TEXTS)
def test_an_id_becomes_no_markup(text: str) -> None:
    cell = row(replace(ONE, case_id=text)).partition("<code>")[2].partition("</code>")[0]
    assert "<" not in cell
    assert '"' not in cell


def test_many_tests_are_counted(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(chart_rates, "MOST_ROWS", 2)
    assert "and 2 more tests in the verdict as JSON" in rates(DECISIONS)
