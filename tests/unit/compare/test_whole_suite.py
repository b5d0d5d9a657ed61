"""Many tests that each lost a little are found together."""

from __future__ import annotations

import numpy as np

from gate.compare import compare
from gate.schema.fresh import Fresh
from gate.schema.outcome import Outcome
from gate.schema.report import Case, Report, Session, Trials
from gate.schema.verdict import RuleName
from gate.settings import Settings


def reports(rate: float, now: float, *, cases: int = 100, seed: int = 1) -> tuple[Report, Report]:
    generator = np.random.default_rng(seed)

    def outcomes(chance: float, count: int) -> str:
        return "".join("1" if draw < chance else "0" for draw in generator.random(count))

    before = tuple(
        Case(
            f"t.py::{place}",
            outcome=Outcome.PASSED,
            stochastic=True,
            trials=Trials((Session("m", outcomes(rate, 50)),)),
        )
        for place in range(cases)
    )
    after = tuple(
        Case(case.id, outcome=Outcome.PASSED, stochastic=True, trials=Trials((Session("h", outcomes(now, 60), False),)))
        for case in before
    )
    return Report(before), Report(after)


def test_a_small_fall_everywhere_is_one_finding_of_the_suite() -> None:
    verdict = compare(*reports(0.95, 0.80), Settings(), fresh=Fresh())
    (found,) = [each for each in verdict.findings if each.rule is RuleName.SUITE_REGRESSION]
    assert found.subject == "all stochastic tests"
    assert found.amount > 0


def test_nothing_is_said_where_nothing_fell() -> None:
    verdict = compare(*reports(0.90, 0.90), Settings(), fresh=Fresh())
    assert not [each for each in verdict.findings if each.rule is RuleName.SUITE_REGRESSION]
