"""One ledger: its parts add up to alpha, whatever the candidate reports."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from gate.compare.ledger import budget_of
from gate.schema.outcome import Outcome
from gate.schema.report import Case, Report, Session, Trials
from gate.settings import Settings

TRIALS = Trials((Session("s", "1110"),))


def report(stochastic: int, plain: int) -> Report:
    cases = [
        Case(f"t.py::s{place}", outcome=Outcome.PASSED, stochastic=True, trials=TRIALS) for place in range(stochastic)
    ]
    return Report((*cases, *(Case(f"e.py::p{place}", outcome=Outcome.PASSED) for place in range(plain))))


@given(st.integers(0, 30), st.integers(0, 30), st.integers(1, 5), st.booleans(), st.floats(0.001, 0.5))
def test_the_parts_never_exceed_alpha_over_all_suites(
    stochastic: int, plain: int, suites: int, together: bool, alpha: float
) -> None:
    settings = Settings(alpha=alpha, stochastic=("suite",) if together else ())
    budget = budget_of(report(stochastic, plain), settings, suites=suites)
    spent = budget.share * budget.cases + budget.for_suite + budget.for_singles
    assert spent * suites <= alpha * (1 + 1e-12)
    if stochastic or (plain and together):
        assert spent * suites >= alpha * (1 - 1e-12)


def test_the_suite_as_a_whole_has_a_fifth_where_there_are_two_cases() -> None:
    budget = budget_of(report(12, 0), Settings())
    assert (round(budget.for_cases, 10), round(budget.for_suite, 10)) == (0.04, 0.01)
    assert budget_of(report(1, 0), Settings()).for_suite == 0


def test_false_alarms_a_month_are_a_chance_over_the_runs_of_a_month() -> None:
    settings = Settings(**{"false-alarms": "1 a month", "runs": "40 a month"})
    assert budget_of(report(1, 0), settings).alpha == 1 / 40
