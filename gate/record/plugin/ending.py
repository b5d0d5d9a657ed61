"""The trials of one test as the one set of reports that pytest, its plugins and the candidate file are given."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Literal

import pytest

from gate.record.plugin.attempt import Attempt, Attempts, forget_failed_subtests
from gate.trials.loop import Ending, Result, TrialsRun

Outcome = Literal["passed", "failed", "xfailed", "error", "as it is"]


@dataclass(frozen=True, slots=True)
class Judged:
    """What a test's trials come to.

    Attributes:
        outcome: of the test; `xfailed` where any trial failed as it was expected to; `as it is` where no trial could be
            made, and pytest's own report says why.
        words: one line that says how.
    """

    outcome: Outcome
    words: str


def judge(run: TrialsRun, *, below: float | None, regressed: bool, xfailed: bool = False) -> Judged:
    """The outcome of a test from its trials.

    Args:
        below: the floor below which the rate lies; None when it does not, or there is none.
        regressed: whether the design found that the rate fell.
        xfailed: whether a trial failed as the test said it may: then the test's own word stands in the way of any
            rate, and what main had for it decides.
    """
    counts = counts_of(run)
    if run.ending is Ending.ABANDONED:
        return Judged("as it is", counts)
    if run.ending is not Ending.ANSWERED:
        return Judged("error", f"could not be measured: {counts}")
    if xfailed:
        return Judged("xfailed", f"{counts}; failures were expected")
    if regressed:
        return Judged("failed", f"{counts}: the rate fell below the baseline's")
    if below is not None:
        return Judged("failed", f"{counts}: the rate lies below min_rate = {below:g}")
    return Judged("passed" if run.passes else "failed", counts)


def counts_of(run: TrialsRun) -> str:
    """What the trials were, in words."""
    count = len(run.outcomes)
    told = [f"{run.passes} of {count} trial{'s' if count > 1 else ''} passed" if count else "no trial could be made"]
    if run.timed_out:
        told.append(f"{run.timed_out} ran out of time")
    if run.carried:
        told.append(f"{run.carried} carried over from an earlier run of the same content")
    if run.errors:
        told.append(f"{run.errors} infrastructure error{'s' if run.errors > 1 else ''}, which are no trials")
    return "; ".join(told)


def reports_of(item: pytest.Item, run: TrialsRun, attempts: Attempts, judged: Judged) -> list[pytest.TestReport]:
    """Set-up, call and tear-down of the test as a whole; call it once the last trial is torn down.

    They are those of the first trial that ended as the test does, with the time of all trials. Where this run made no
    such trial, they are made of what is known.
    """
    chosen = _chosen(attempts, judged)
    if judged.outcome == "error":
        reports = _made(item, "setup", f"{judged.words}\n{run.excerpt}")
    elif chosen is not None:
        reports = list(chosen.reports)
        _settle_subtests(item, reports, failed=judged.outcome == "failed")
        if judged.outcome == "xfailed":
            _expect(reports)
        if judged.outcome == "as it is" and all(report.passed for report in reports):
            _fail(reports[-1])  # a trial whose calls were not answered, whatever its code made of that
            reports[-1].longrepr = run.excerpt
    elif judged.outcome == "failed":
        reports = _made(item, "call", f"{judged.words}\n{run.excerpt}")
    else:
        reports = _made(item, None, "")
    for report in reports:
        if report.when == ("setup" if judged.outcome == "error" else "call"):
            report.duration = max(attempts.seconds, report.duration)
            report.sections.append(("Trials", judged.words))
    return reports


def _chosen(attempts: Attempts, judged: Judged) -> Attempt | None:
    if judged.outcome == "as it is":
        return attempts.first.get(Result.ABANDONED)
    if judged.outcome == "xfailed":
        return attempts.expected
    wanted = (Result.PASSED,) if judged.outcome == "passed" else (Result.FAILED, Result.TIMED_OUT)
    return next((attempts.first[result] for result in wanted if result in attempts.first), None)


def _made(item: pytest.Item, failing: str | None, text: str) -> list[pytest.TestReport]:
    """Reports through the hook that makes them, so that other plugins find on them what they expect."""

    def phase(when: Any) -> pytest.TestReport:
        def body() -> None:
            if when == failing:
                pytest.fail(text.strip(), pytrace=False)

        call = pytest.CallInfo.from_call(body, when=when)
        report: pytest.TestReport = item.ihook.pytest_runtest_makereport(item=item, call=call)
        if when == failing:
            _fail(report)
            _tell(report)
        return report

    phases = ["setup", "teardown"] if failing == "setup" else ["setup", "call", "teardown"]
    return [phase(when) for when in phases]


def _tell(report: pytest.TestReport) -> None:
    """The message is the sentence alone, without the type of the exception that carried it."""
    crash = getattr(report.longrepr, "reprcrash", None)
    if crash is not None:
        crash.message = str(crash.message).removeprefix("Failed: ")


def _settle_subtests(item: pytest.Item, reports: list[pytest.TestReport], *, failed: bool) -> None:
    """A test fails with its subtests; pytest itself counts them only while they are reported."""
    forget_failed_subtests(item)
    calls = [report for report in reports if report.when == "call"]
    if not failed or not calls or calls[-1].failed:
        return
    count = sum(report.failed for report in calls[:-1])
    _fail(calls[-1])
    calls[-1].longrepr = f"contains {count} failed subtest{'s' if count != 1 else ''}" if count else "a trial failed"


def _expect(reports: list[pytest.TestReport]) -> None:
    """The expected failure of a subtest, or of a tear-down, is one of the test: pytest itself would let it pass."""
    xfailed = next(each for each in reports if each.skipped and hasattr(each, "wasxfail"))
    for call in [each for each in reports if each.when == "call"][-1:]:
        if call.passed:
            call.outcome = "skipped"
            call.wasxfail = xfailed.wasxfail


def _fail(report: pytest.TestReport) -> None:
    """Whatever an `xfail` mark made of it: that a test is expected to fail doesn't say that it may not be measured."""
    report.outcome = "failed"
    vars(report).pop("wasxfail", None)
