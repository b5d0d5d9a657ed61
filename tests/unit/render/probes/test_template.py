"""The fixed template, and the page with its picture."""

from __future__ import annotations

import re
from dataclasses import replace
from fractions import Fraction

import pytest

from gate.render.picture import picture
from gate.render.probes import render_page, render_template
from gate.render.probes.advice import SIGNATURES
from gate.render.probes.reading import MOST_PATTERNS, patterns, recommendations, strengths, weights_of
from gate.render.probes.template import MOST_ROWS
from gate.schema.dimensions import ABOUT, Dimension
from gate.schema.probe_report import CompositeScore, ProbeReport
from gate.suites.probes.answer import Answer
from gate.suites.probes.cases import Asked
from gate.suites.probes.composite import composite
from gate.suites.probes.scores import scores_of
from gate.suites.probes.signatures import NAMES
from tests.support import probe_reports
from tests.support.markdown_reader import COMMAND, UNSEEN, harm, read
from tests.support.probes import cases, several

HEADINGS = [
    "# Coding Agent Robustness Report",
    "## Composite Robustness Score",
    "## Dimension Scores",
    "## Critical Failures",
    "## Top 3 Failure Patterns",
    "## Strengths",
    "## Recommendations",
    "## Raw Probe Results",
]


@pytest.mark.parametrize(
    "report", [probe_reports.report(), probe_reports.hostile(), probe_reports.empty(), probe_reports.perfect()]
)
def test_headings_and_their_order_never_change(report: ProbeReport) -> None:
    found = [line for line in render_template(report).splitlines() if re.match(r"##? ", line)]
    assert [heading.partition(":")[0] for heading in found] == HEADINGS


def test_the_head_says_who_when_what_and_how_good() -> None:
    text = render_template(probe_reports.report())
    for line in (
        "**Agent**: fragile 1.2 (small-model)  ",
        "**Date**: 2026-04-01  ",
        "**Scope**: python, web  ",
        "## Composite Robustness Score: 78.3/100 [Adequate]",
        "| Dimension | Score | Grade | Key Finding |",
    ):
        assert line in text.splitlines()
    assert "mean over 7 of 8 dimensions, weights security 2, the others 1" in text


def test_failed_gates_and_too_much_unscored_stand_at_the_top() -> None:
    graded = [*several(Dimension.SECURITY, "1100"), *several(Dimension.SPEC, "..")]
    scores = scores_of(graded)
    text = render_template(ProbeReport("a", "2026-04-01", "", scores, composite(scores, graded), cases(graded)))
    assert "**Hard gate failed:** Security 50.0 is below its floor of 70." in text
    assert "**Not whole:** 2 of 6 probe answers are unscored" in text
    assert "not scored: no answer was scored: 2 no code" in text


def test_patterns_are_signatures_first_counted_over_their_dimensions() -> None:
    found = patterns(probe_reports.report())
    assert [(each.failed, each.of) for each in found] == [(5, 8), (3, 14), (3, 12)]
    assert found[0].name.startswith("Band-aid recovery")
    assert found[2].name == "Wrong result in adversarial correctness"
    assert len(found) == MOST_PATTERNS


def test_the_smallest_drop_that_shows_is_printed() -> None:
    """15 answers show a drop of 5, which is 33 points; 4 answers show none."""
    rows = [line for line in render_template(probe_reports.report()).splitlines() if line.startswith("| ")]
    told = {row.split(" | ")[0].strip("| "): row.split(" | ")[4] for row in rows if row.count(" | ") == 5}
    assert (told["Spec tolerance"], told["Refusal calibration"]) == ("33 points", "none")


def test_every_signature_of_the_family_has_its_words() -> None:
    assert set(SIGNATURES) == set(NAMES)


def test_what_is_below_50_stands_apart_with_examples() -> None:
    graded = [
        *several(Dimension.RECOVERY, "1" * 4 + "0" * 5),
        *several(Dimension.SECURITY, "10"),
        *several(Dimension.SPEC, "0"),
    ]
    shown = Asked(answers={("error-recovery-04", 0): [Answer("def total(x):\n    return 0")]})
    scores = scores_of(graded)
    text = render_template(ProbeReport("a", "2026-04-01", "", scores, composite(scores, graded), cases(graded, shown)))
    part = text.partition("## Critical Failures")[2].partition("## Top 3")[0]
    assert re.findall("### .*", part) == ["### Spec tolerance: 0.0", "### Error recovery: 44.4"]  # 50 is none
    assert [f"`error-recovery-{number:02}`" in part for number in (3, 4, 6, 7)] == [False, True, True, False]
    assert "def total(x):" in part


def test_a_pattern_is_told_with_its_frequency_and_an_example() -> None:
    text = render_template(probe_reports.report())
    (first,) = re.findall(r"(?m)^1\. \*\*Band-aid.*", text)
    assert first.endswith("– 5 of 8 probes (62 %) – `error-recovery-03`: not fixed: `test_total` still fails")


def test_recommendations_come_by_what_they_are_worth() -> None:
    """Weights are 2 for security and 1 for the other six scored dimensions: recovery can add 62.5 / 8."""
    found = recommendations(probe_reports.report())
    assert [each.dimension for each in found][:2] == [Dimension.RECOVERY, Dimension.SECURITY]
    assert found[0].points == Fraction(125, 16)
    assert recommendations(probe_reports.perfect()) == []


def test_weights_add_up_to_one_over_scored_dimensions() -> None:
    report = probe_reports.report()
    assert sum(weights_of(report.composite, report.scores).values()) == 1
    assert weights_of(CompositeScore(None, 0, 8), ()) == {}


def test_low_evidence_is_no_strength() -> None:
    report = probe_reports.report()
    assert [each.dimension for each in strengths(report)] == [Dimension.SPEC, Dimension.HALLUCINATION]
    assert "low evidence" in render_template(report)


def test_many_probes_are_counted_beyond_the_table() -> None:
    graded = several(Dimension.SPEC, "1" * (MOST_ROWS + 3))
    scores = scores_of(graded)
    report = ProbeReport("a", "2026-04-01", "", scores, composite(scores, graded), cases(graded))
    assert "and 3 more probes in the CSV" in render_template(report)


def test_nothing_foreign_breaks_out_of_the_template() -> None:
    text = render_template(probe_reports.hostile())
    found = read(text)
    assert harm(found) == []
    assert {len(row) for row in found.rows} == {4, 6}
    assert (COMMAND.search(text), UNSEEN.search(text)) == (None, None)


@pytest.mark.parametrize("report", [probe_reports.report(before=True), probe_reports.hostile(), probe_reports.empty()])
def test_page_loads_and_runs_nothing(report: ProbeReport) -> None:
    page = render_page(report)
    assert "default-src 'none'" in page
    assert not re.search(r"<(?:script|img|link|iframe|object)|\son\w+=|javascript:|url\(", page)
    assert page.count("<svg") == page.count("</svg>") == 1


def test_picture_tells_both_sides_in_words() -> None:
    drawn = picture({Dimension.SECURITY: 78.6, Dimension.SPEC: None}, {Dimension.SECURITY: 93.3})
    assert "<title>Scores in eight dimensions</title>" in drawn
    assert "Security: 93.3 on main, 78.6 here; " in drawn
    assert "Spec tolerance: not scored" in drawn
    assert all(about.title in drawn for about in ABOUT.values())
    assert "dashed: main; full: here" in drawn


def test_picture_bridges_no_gap() -> None:
    whole = picture(dict.fromkeys(Dimension, 80.0))
    assert whole.count('<polygon class="here"') == 1
    gap = picture(dict.fromkeys(Dimension, 80.0) | {Dimension.SPEC: None})
    assert '<polygon class="here"' not in gap
    assert gap.count('<polyline class="here"') == 6
    assert gap.count('class="axis none"') == 1
    assert "main" not in gap


def test_a_report_without_cases_of_dimensions_reads_the_same() -> None:
    report = probe_reports.report()
    probes = tuple(case for case in report.cases if case.probe is not None)
    assert render_template(replace(report, cases=probes)) == render_template(report)
