"""Mutants of a small prompt as cases, for the tests of what compares, keeps and shows them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

from gate.compare import compare
from gate.render import ShownPrompt
from gate.schema.mutation import COVERAGE, SCORE, Guard, Mutation, RuleState, Status, case_id, summary_id
from gate.schema.report import Case, Kind, Metric, Report, Session, Trials
from gate.schema.verdict import Verdict
from gate.settings import Settings
from tests.support.verdicts import ORIGIN

TARGET = "bank:PROMPT"
RULES = {
    "r1": "You must never approve refunds over $50.",
    "r2": "Always answer in one sentence.",
    "r3": "Never name a competitor.",
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


def less_guarded() -> Verdict:
    """A rule loses its guard, another keeps it, a new one has none, and one mutant could not be measured."""
    kills = "1" * 20
    killed = [mutant(name, outcomes=kills, rule=rule) for name, rule in (("m1", "r1"), ("m2", "r2"), ("m3", "r2"))]
    extra = {"rule": "r3", "before": "Never name", "after": "Name"}
    new = mutant("m4", "survived", operator="invert-negation", **extra)
    here = [
        mutant("m1", "survived", "0" * 14, fixed=False),
        carried(killed[1]),
        mutant("m3", "error", rule="r2", reason="the service answered 503 three times"),
        new,
        summary(0.5, states=(("r1", "unguarded"), ("r2", "guarded"), ("r3", "unguarded")), prompt="p2"),
    ]
    return compare(mutants(*killed, summary()), mutants(*here), Settings(), provenance=ORIGIN)


_PROMPT = f"You are a teller of a bank.\n\n- {RULES['r1']}\n- {RULES['r2']}\n"
_SURVIVOR = mutant("m2", "survived")
SHOWN_CASES = [
    mutant("m1", outcomes="11", rule="r2", before="Always answer", after="Try to answer", operator="weaken-modal"),
    _SURVIVOR,
    mutant("m3", "unread", reason="captured at import: read it where it is used"),
    summary(0.5, states=(("r1", "unguarded"), ("r2", "guarded"))),
]
SHOWN_PROMPT = ShownPrompt(
    TARGET,
    _PROMPT,
    tuple((rule, _PROMPT.index(text), _PROMPT.index(text) + len(text)) for rule, text in list(RULES.items())[:2]),
    {_SURVIVOR.id: _PROMPT.replace("$50", "$500")},
)
