"""A test that asked in vain measured nothing: it is named, the check can't decide, and nothing else is affected."""

from __future__ import annotations

from dataclasses import replace

from gate.compare import compare
from gate.schema.outcome import Outcome
from gate.schema.report import Calls, Case, Report, Session, Trials
from gate.schema.verdict import ExitCode, RuleName
from gate.settings import Settings

BASE = Report((Case("t.py::a", outcome=Outcome.PASSED), Case("t.py::b", outcome=Outcome.PASSED)))


def lacking(case: Case, outcome: Outcome = Outcome.ERROR) -> Case:
    return replace(case, outcome=outcome, message="no answer is stored", calls=Calls(missing=2))


def test_a_test_without_an_answer_is_undecided_and_named() -> None:
    verdict = compare(BASE, Report((lacking(BASE.cases[0]), BASE.cases[1])), Settings())
    (found,) = verdict.findings
    assert (found.rule, found.case_id, found.amount) == (RuleName.STALE_RECORDING, "t.py::a", 2)
    assert "no answer is stored" in found.why
    assert verdict.exit_code is ExitCode.UNDECIDED
    assert verdict.calls.missing == 2


def test_a_regression_beside_it_is_still_one() -> None:
    broken = replace(BASE.cases[1], outcome=Outcome.FAILED)
    verdict = compare(BASE, Report((lacking(BASE.cases[0]), broken)), Settings())
    assert verdict.exit_code is ExitCode.REGRESSION


def test_a_new_test_without_an_answer_is_undecided_too() -> None:
    verdict = compare(BASE, Report((*BASE.cases, lacking(Case("t.py::c")))), Settings())
    assert verdict.exit_code is ExitCode.UNDECIDED


def test_a_replay_decides_on_the_trials_that_are_recorded() -> None:
    trials = Trials((Session("m", "1" * 50),))
    base = Report((Case("t.py::a", outcome=Outcome.PASSED, stochastic=True, trials=trials),))
    short = Trials((Session("h", "111", fixed=False),), recorded=3)
    here = Report((Case("t.py::a", outcome=Outcome.PASSED, stochastic=True, trials=short),))
    verdict = compare(base, here, Settings())
    assert verdict.exit_code is ExitCode.HOLDS
    (found,) = verdict.findings
    assert found.rule is RuleName.UNDECIDED
    assert "3 recorded" in found.what
