"""Mutants of a small prompt as cases, for the tests of what compares, keeps and shows them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

from gate.schema.mutation import COVERAGE, SCORE, Guard, Mutation, RuleState, Status, case_id, summary_id
from gate.schema.report import Case, Kind, Metric, Report, Session, Trials

TARGET = "bank:PROMPT"
RULES = {
    "r1": "You must never approve refunds over $50.",
    "r2": "Always answer in one sentence.",
}


def mutation(name: str, status: Status = "killed", *, rule: str = "r1", **more: Any) -> Mutation:
    """A mutant of the limit of rule r1."""
    fields: dict[str, Any] = {
        "operator": "change-threshold",
        "rule_text": RULES.get(rule, rule),
        "before": "$50",
        "after": "$500",
        "description": "changes the limit from $50 to $500",
        "killer": "tests/test_refund.py::test_limit" if status == "killed" else "",
        "tests": ("tests/test_refund.py::test_limit", "tests/test_tone.py::test_short"),
    }
    return Mutation(target=TARGET, mutant=name, rule=rule, status=status, **fields | more)


def mutant(
    name: str,
    status: Status = "killed",
    outcomes: str | None = None,
    *,
    fixed: bool = True,
    session: str = "s1",
    fingerprint: str = "f",
    **more: Any,
) -> Case:
    """The case of a mutant; `outcomes` are trials of the test that killed it, `1` where it noticed the mutant."""
    trials = None if outcomes is None else Trials((Session(session, outcomes, fixed),))
    return Case(
        id=case_id(TARGET, name),
        kind=Kind.MUTANT,
        stochastic=trials is not None and bool(outcomes),
        fingerprint=fingerprint,
        trials=trials,
        mutation=mutation(name, status, **more),
    )


def carried(case: Case) -> Case:
    """The same mutant of a run in which nothing had to be tried."""
    assert case.mutation is not None
    return replace(case, trials=None, mutation=replace(case.mutation, carried=True))


def summary(
    score: float | None = 1.0,
    *,
    states: Sequence[tuple[str, Guard]] = (("r1", "guarded"), ("r2", "guarded")),
    prompt: str = "p1",
    threshold: float | None = None,
    coverage: float | None = 1.0,
) -> Case:
    """The summary of the target."""
    return Case(
        id=summary_id(TARGET),
        kind=Kind.MUTANT,
        fingerprint=prompt,
        metrics=(
            Metric(SCORE, score, threshold=threshold, unscored="" if score is not None else "nothing was measured"),
            Metric(COVERAGE, coverage, unscored="" if coverage is not None else "nothing was measured"),
        ),
        rules=tuple(RuleState(rule, RULES.get(rule, rule), state) for rule, state in states),
    )


def mutants(*cases: Case) -> Report:
    return Report(cases=cases)
