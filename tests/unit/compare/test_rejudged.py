"""Whose doing a regression is where its judge changed: from main's stored answers, judged by the new judge."""

from __future__ import annotations

from dataclasses import replace

import pytest

from gate.compare import compare
from gate.compare.rejudged import changed_judges, judged_cases
from gate.schema.outcome import Outcome
from gate.schema.rejudged import NO_RUN, Part, Rejudged
from gate.schema.report import Calls, Case, Completeness, Metric, Report
from gate.schema.verdict import ExitCode, Verdict
from gate.settings import Settings

TEST = "tests/test_a.py::test_tone"
OTHER = "tests/test_a.py::test_sum"


def report(
    score: float, outcome: Outcome = Outcome.PASSED, *, digest: str = "2", calls: Calls | None = None, message: str = ""
) -> Report:
    """One test that `grader` judges, and one that nobody does."""
    return Report(
        cases=(
            Case(TEST, outcome=outcome, metrics=(Metric("score", score),), calls=calls, message=message),
            Case(OTHER, outcome=Outcome.PASSED),
        ),
        fingerprints={"judge grader": digest, "judge style": "1"},
        judges={TEST: ("grader",), OTHER: ("style",)},
    )


MAIN = report(0.9, digest="1")


def again(found: Report, *, live: int = 0) -> Report:
    return replace(
        found, rejudged=Rejudged(answers=3, edited=1, judge_live=live), completeness=Completeness(reasons=(NO_RUN,))
    )


def judged(here: Report, stored: Report | None, why_not: str = "") -> Verdict:
    return compare(MAIN, here, Settings(), again=None if stored is None else again(stored), not_again=why_not)


def parts(verdict: Verdict) -> dict[str, Part | None]:
    return {each.case_id: each.judged for each in verdict.findings}


def test_only_a_judge_of_both_sides_changed_and_only_its_tests_are_asked_again() -> None:
    here = report(0.5)
    assert changed_judges(MAIN, here) == {"grader"}
    assert judged_cases(MAIN, here) == (TEST,)
    new = replace(here, fingerprints={"judge other": "1"})
    assert judged_cases(MAIN, new) == ()


@pytest.mark.parametrize(
    ("stored", "part"),
    [(0.5, Part.JUDGE), (0.4, Part.JUDGE), (0.7, Part.BOTH), (0.9, Part.ANSWERS), (1.0, Part.ANSWERS)],
)
def test_whose_doing_a_fall_is(stored: float, part: Part) -> None:
    verdict = judged(report(0.5), report(stored))
    assert parts(verdict) == {f"{TEST}#score": part}
    (finding,) = verdict.findings
    assert [row[2] for row in finding.evidence[-1].rows] == ["0.9", f"{stored:.4g}", "0.5"]


def test_nothing_is_excused_by_it() -> None:
    plain = compare(MAIN, report(0.5), Settings())
    verdict = judged(report(0.5), report(0.5))
    assert verdict.exit_code is plain.exit_code is ExitCode.REGRESSION
    assert [each.level for each in verdict.findings] == [each.level for each in plain.findings]


def test_a_failure_is_told_by_its_outcome() -> None:
    verdict = judged(report(0.9, Outcome.FAILED, message="rude"), report(0.9, Outcome.FAILED))
    assert parts(verdict) == {TEST: Part.JUDGE}
    assert [row[2] for row in verdict.findings[0].evidence[-1].rows] == ["passed", "failed", "failed"]
    assert parts(judged(report(0.9, Outcome.FAILED), report(0.9))) == {TEST: Part.ANSWERS}


@pytest.mark.parametrize(
    "stored",
    [report(0.5, Outcome.ERROR), report(0.5, calls=Calls(missing=1)), replace(report(0.5), cases=())],
    ids=["broken", "not stored", "gone"],
)
def test_what_could_not_be_judged_again_is_unknown(stored: Report) -> None:
    verdict = judged(report(0.5), stored)
    assert parts(verdict) == {f"{TEST}#score": Part.UNKNOWN}
    assert "1 test could not be judged again" in verdict.notices[-1]
    assert "gate run --mode auto --rejudge" in verdict.notices[-1]


def test_without_stored_answers_it_is_said_that_it_may_be_the_judge() -> None:
    (said,) = judged(report(0.5), None).notices
    assert said.startswith("the judge grader is another than main's, so F1 may be its doing")
    (said,) = judged(report(0.5), None, "main has no recordings").notices
    assert "were not judged again: main has no recordings" in said
    assert judged(report(0.9), None).notices == (), "nothing got worse"


def test_a_kinder_judge_is_told_although_nothing_is_found() -> None:
    verdict = judged(report(0.9), report(0.97))
    assert verdict.exit_code is ExitCode.HOLDS
    assert (
        verdict.notices[-1] == f"over main's stored answers, the changed judge alone moves score of {TEST} 0.9 → 0.97"
    )


def test_its_calls_are_counted() -> None:
    stored = report(0.9, calls=Calls(live=2, replayed=3, tokens=40, money=0.5, saved=1.0))
    verdict = compare(MAIN, report(0.9, calls=Calls(live=1)), Settings(), again=again(stored, live=2))
    assert verdict.calls == Calls(live=3, tokens=40, money=0.5)
    assert (
        "3 stored answers, 1 of them to requests that were edited since; 2 live and 0 replayed" in verdict.notices[-1]
    )


def test_main_s_own_judge_needs_nothing_of_it() -> None:
    here = replace(report(0.5), fingerprints=MAIN.fingerprints)
    assert compare(MAIN, here, Settings(), again=again(report(0.5))) == compare(MAIN, here, Settings())
