"""What a reviewer is told of stochastic tests, with attempts that were no trials."""

from __future__ import annotations

from dataclasses import replace

import pytest

from gate.render.statistics import decision_rows, decision_table, stochastic_line
from gate.schema.verdict import CaseDecision
from tests.support import verdicts


def decision(name: str, trials: int, errors: int = 0, carried: int = 0) -> CaseDecision:
    return CaseDecision(
        name, "holds", "sequential", None, 0.05, (9, 10), (trials, trials), errors=errors, carried=carried
    )


def line(*decisions: CaseDecision) -> str:
    return "".join(span.text for span in stochastic_line(replace(verdicts.unchanged(), decisions=decisions)))


def test_errors_stand_beside_the_trials_in_every_table() -> None:
    (row,), (other,) = decision_rows([decision("a", 9, errors=3)]), decision_rows([decision("a", 9)])
    assert (row[2], other[2]) == ("9/9, 3 infrastructure errors", "9/9")
    assert "| 9/9, 1 infrastructure error |" in decision_table([decision("a", 9, errors=1)])


@pytest.mark.parametrize(
    ("trials", "errors", "carried", "warned"),
    [(12, 3, 0, False), (12, 4, 0, True), (24, 3, 12, False), (24, 4, 12, True), (0, 1, 0, True), (12, 0, 12, False)],
)
def test_a_warning_where_more_than_a_fifth_of_the_attempts_were_no_trials(
    trials: int, errors: int, carried: int, warned: bool
) -> None:
    told = line(decision("a", trials, errors, carried), decision("b", 50))
    assert ("Warning:" in told) is warned
    assert ("ended more than a fifth of the attempts of 1 test; they are no trials." in told) is warned


def test_errors_of_several_tests_are_counted_together() -> None:
    told = line(decision("a", 4, 3), decision("b", 4, 2), decision("c", 9, 1))
    assert told.endswith(
        ". Warning: 5 infrastructure errors ended more than a fifth of the attempts of 2 tests; they are no trials."
    )


def test_without_stochastic_tests_there_is_no_line() -> None:
    assert stochastic_line(replace(verdicts.unchanged(), decisions=())) == ()


def test_the_price_of_a_trial_gives_what_the_run_cost() -> None:
    budget = replace(verdicts.unchanged().budget, made=131, cost=1.31)
    verdict = replace(verdicts.unchanged(), decisions=(decision("a", 131),), budget=budget)
    assert " 1 test, 131 trials, about 1.31 USD: " in "".join(span.text for span in stochastic_line(verdict))
    assert "USD" not in line(decision("a", 131))


@pytest.mark.parametrize(("inflated", "told"), [(7e-11, False), (0.05, False), (0.126, True), (None, False)])
def test_what_alike_trials_do_is_told_where_it_is_more_than_the_budget(inflated: float | None, told: bool) -> None:
    budget = replace(verdicts.unchanged().budget, alpha=0.05, suites=1, correlation=0.02, inflated=inflated)
    verdict = replace(verdicts.unchanged(), decisions=(decision("a", 50),), budget=budget)
    assert ("may be alike" in "".join(span.text for span in stochastic_line(verdict))) is told
