"""Four numbers of a baseline, and how they went over refreshes."""

from __future__ import annotations

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gate.render import chart
from gate.render.trend import Refresh, Trend, refresh_of
from gate.render.trend_chart import NO_REFRESH, trends
from gate.schema.outcome import Outcome
from gate.schema.report import Attack, Case, Predictions, Report, Session, Trials
from tests.support.full_page import TREND
from tests.support.mutant_cases import mutant


def test_a_stochastic_test_counts_by_its_rate_and_a_skipped_one_not_at_all() -> None:
    cases = (
        Case("a", outcome=Outcome.PASSED),
        Case("b", outcome=Outcome.FAILED),
        Case("c", outcome=Outcome.PASSED, stochastic=True, trials=Trials((Session("s", "1110"),))),
        Case("d", outcome=Outcome.SKIPPED),
        mutant("m1"),
    )
    found = refresh_of(Report(cases))
    assert found.passed == (1.75, 3)
    assert found.robust is found.negative is None


def test_mutants_that_decide_nothing_are_left_out_of_the_score() -> None:
    cases = (mutant("m1"), mutant("m2", "survived"), mutant("m3", "unread"), mutant("m4", "undecided"))
    assert refresh_of(Report(cases)).killed == (1, 3)


def predictions(predicted: str, *flipped: str, ids: str = "abcde", expected: str = "01.01") -> Report:
    attacks = tuple(Attack(f"noise ε=0.{place}", marks) for place, marks in enumerate(flipped, start=1))
    found = Predictions("p", tuple(ids), ("no", "yes"), expected, predicted, attacks=attacks)
    return Report((Case("t", predictions=(found,)),))


def test_robust_is_right_and_flipped_by_no_attack() -> None:
    # right: a, d, e; c has no truth; e was tried by the second attack alone; b is wrong
    assert refresh_of(predictions("00001", "0000.", "00010")).robust == (2, 4)
    assert refresh_of(predictions("00001")).robust is None
    assert refresh_of(predictions("00001", ".....")).robust is None


def test_negative_flips_are_paired_by_example() -> None:
    before = predictions("01001")
    now = predictions("10.0.", ids="bagde", expected="10.01")
    # b and a stay right, d stays right, e was not answered, g is new
    assert refresh_of(now, before).negative == (0, 3)
    worse = predictions("00001")
    assert refresh_of(worse, before).negative == (1, 4)
    assert refresh_of(worse, Report(())).negative is None


def test_each_number_has_a_picture_with_labelled_axes() -> None:
    shown = trends(TREND)
    assert shown.count("<svg") == shown.count("</svg></figure>") == 4
    assert shown.count(">refresh, by date</text>") == 4
    assert shown.count(">2026-05-28</text>") == 4
    assert len(re.findall(r'role="img" aria-label="[A-Z][a-z ]+ by refresh, in percent: [0-9., ]+"', shown)) == 4
    assert "<td>96.68 % of 963</td>" in shown
    assert "The numbers of 9 refreshes" in shown


def test_what_was_never_measured_has_no_picture() -> None:
    shown = trends(Trend((Refresh("a" * 40, 0, passed=(1, 1)),), note="Cut & short."))
    assert shown.count("<svg") == 1
    assert "Cut &amp; short." in shown
    assert "<td>–</td>" in shown


def test_without_a_refresh_it_says_why() -> None:
    assert NO_REFRESH in trends(Trend())
    assert trends(Trend(note="why")) == "<p>why</p>"


@pytest.mark.parametrize("when", [-(10**15), 10**18, 0])
def test_any_time_of_a_commit_is_shown(when: int) -> None:
    assert "<svg" in trends(Trend((Refresh("a" * 40, when, passed=(1, 2)),)))


shares = st.integers(1, 1000).flatmap(lambda total: st.tuples(st.integers(0, total), st.just(total)))


@given(st.lists(shares, min_size=1, max_size=12))
def test_every_line_stays_inside_its_picture(values: list[tuple[int, int]]) -> None:
    shown = trends(Trend(tuple(Refresh("a" * 40, 0, passed=each) for each in values)))
    for points in re.findall(r'points="([^"]*)"', shown):
        for x, y in (point.split(",") for point in points.split()):
            assert 0 <= float(x) <= 320
            assert 0 <= float(y) <= 190


@given(st.floats(0, 100), st.floats(0.5, 100))
def test_ticks_enclose_their_span_in_even_steps(low: float, span: float) -> None:
    found = chart.ticks(low, low + span)
    assert found[0] <= low + 1e-6
    assert found[-1] >= low + span - 1e-6
    assert 2 <= len(found) <= 8


def test_an_empty_span_has_no_ticks() -> None:
    with pytest.raises(ValueError, match="no span"):
        chart.ticks(1, 1)
