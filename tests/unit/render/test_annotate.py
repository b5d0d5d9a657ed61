"""Workflow commands: at most ten of a kind, at file and line, with nothing foreign obeyed."""

from __future__ import annotations

from dataclasses import replace

from gate import render
from gate.schema.report import Location
from gate.schema.verdict import Level, Verdict
from tests.support import verdicts


def test_ten_errors_and_ten_warnings() -> None:
    errors = [verdicts.failing(n, f"test_{n}", "") for n in range(1, 31)]
    warnings = [verdicts.failing(n, f"test_{n}", "", level=Level.WARNING) for n in range(31, 46)]
    notes = [verdicts.failing(50, "test_n", "", level=Level.NOTE)]
    lines = render.annotations(Verdict(findings=(*errors, *warnings, *notes)))
    assert [line.split(" ")[0] for line in lines] == ["::error"] * 10 + ["::warning"] * 10
    assert lines[9].endswith("::21 more errors: see the summary of this job")
    assert lines[19].endswith("::6 more warnings: see the summary of this job")


def test_file_line_and_title() -> None:
    place = Location("tests/a,b:c.py", 7)
    line = render.annotations(Verdict(findings=(verdicts.failing(1, "t", "50 %\nx", location=place),)))[0]
    assert line.startswith("::error file=tests/a%2Cb%3Ac.py,line=7,title=F1 newly-failing::")
    assert line.endswith("deterministic: 50 %25%0Ax")


def test_a_finding_that_main_shows_too_is_a_warning() -> None:
    known = verdicts.failing(1, "t", "", known_on_base=True)
    assert render.annotations(Verdict(findings=(known,)))[0].startswith("::warning ")


def test_nothing_to_annotate_is_a_notice() -> None:
    assert render.annotations(verdicts.unchanged()) == ("::notice title=Robustness Gate::As robust as main",)
    assert render.annotations(replace(verdicts.unchanged(), findings=())) != ()
