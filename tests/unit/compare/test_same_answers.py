"""Trials that were given the very same answers as main's: what differs is the code's doing, however few samples."""

from __future__ import annotations

import pytest

from gate.compare import compare
from gate.schema.outcome import Outcome
from gate.schema.report import Calls, Case, Report, Session, Trials
from gate.schema.verdict import ExitCode
from gate.settings import Settings

SETTINGS = Settings(mode="replay")


def case(outcomes: str, answers: str = "d1", alike: int = 10, *, fixed: bool = True) -> Case:
    outcome = Outcome.PASSED if "1" in outcomes else Outcome.FAILED
    trials = Trials(
        (Session("s" if fixed else "h", outcomes, fixed, answers, alike),), recorded=0 if fixed else len(outcomes)
    )
    return Case("t.py::a", outcome=outcome, stochastic=True, trials=trials, calls=Calls(replayed=10))


MAIN = case("1")


@pytest.mark.parametrize(
    ("here", "counted"),
    [
        (case("0", fixed=False), ((10, 10), (0, 10))),  # every trial fails, and was cut to one
        (case("1000000000", fixed=False), ((10, 10), (1, 10))),
    ],
)
def test_what_main_passed_on_the_same_answers_newly_fails(
    here: Case, counted: tuple[tuple[int, int], tuple[int, int]]
) -> None:
    verdict = compare(Report((MAIN,)), Report((here,), mode="replay"), SETTINGS)
    assert verdict.exit_code is ExitCode.REGRESSION
    (decision,) = verdict.decisions
    assert (decision.baseline, decision.candidate) == counted
    assert decision.how == "same answers"


@pytest.mark.parametrize(
    ("main", "here"),
    [
        (MAIN, case("0", "d2", fixed=False)),  # other answers: one sample against one
        (MAIN, case("0", "", 0, fixed=False)),
        (case("1", "", 0), case("0", fixed=False)),  # a baseline of before
        (MAIN, case("1111111110", fixed=False)),  # the code's own chance may have done it
        (case("0"), case("0", fixed=False)),
    ],
)
def test_anything_else_is_no_regression(main: Case, here: Case) -> None:
    verdict = compare(Report((main,)), Report((here,), mode="replay"), SETTINGS)
    assert verdict.exit_code is ExitCode.HOLDS
    assert all(decision.how != "same answers" for decision in verdict.decisions)
