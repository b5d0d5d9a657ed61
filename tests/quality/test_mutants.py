"""Unchanged pull requests with many mutants, a third of which their killers notice only now and then."""

from __future__ import annotations

import random
from collections.abc import Mapping
from typing import Any

from gate.compare import compare
from gate.compare.asks import plan_of
from gate.compare.ledger import budget_of
from gate.schema.report import Case, Report
from gate.schema.verdict import ExitCode
from gate.settings import Settings
from gate.trials.plan import Ask
from gate.trials.question import design_of
from tests.support.mutant_cases import mutant, mutants, summary

PULL_REQUESTS = 200
MOST_RED = 17
"""Of 200 at 5 %, plus what chance allows: 97.5 of 100 such series have no more."""
KILLED = 40
BORDERLINE = [0.5 + 0.4 * place / 19 for place in range(20)]
RATES = [1.0] * KILLED + BORDERLINE
COMPARED = 8


def drawn(rate: float, trials: int, chance: random.Random) -> str:
    return "".join("1" if chance.random() < rate else "0" for _ in range(trials))


def walked(ask: Ask, rate: float, designs: dict[Any, Any], chance: random.Random) -> tuple[str, str]:
    """Trials of one mutant until its design answers, and the answer."""
    design, outcomes = design_of(ask, designs), ""
    while (answer := design.walk(ask.s0, outcomes).answer) == "more":
        outcomes += drawn(rate, 1, chance)
    return outcomes, answer


def candidate(
    asks: Mapping[str, Ask], names: list[str], designs: dict[Any, Any], chance: random.Random
) -> tuple[Report, bool]:
    """A report of unchanged tests, and whether any mutant seems to survive."""
    cases: list[Case] = []
    red = False
    for place, (name, rate) in enumerate(zip(names, RATES, strict=True)):
        outcomes, answer = walked(asks[name], rate, designs, chance)
        red |= answer == "regression"
        cases.append(mutant(f"m{place:02}", outcomes=outcomes, fixed=False, rule=f"r{place % 2 + 1}"))
    return mutants(*cases, summary()), red


def test_two_hundred_unchanged_pull_requests_are_rarely_red() -> None:
    chance, settings = random.Random(20_260_301), Settings()
    cases = [
        mutant(f"m{place:02}", outcomes=drawn(rate, 20, chance), rule=f"r{place % 2 + 1}")
        for place, rate in enumerate(RATES)
    ]
    main = mutants(*cases, summary(threshold=1.0))  # any mutant that noise loses would cross it
    plan = plan_of(main, settings, budget_of(main, settings), session="s", screening=False)
    designs: dict[Any, Any] = {}
    made = [candidate(plan.asks, [case.id for case in cases], designs, chance) for _ in range(PULL_REQUESTS)]
    assert sum(red for _, red in made) <= MOST_RED
    # what the walks say is what the whole comparison says: of every red one, and of some others
    shown = [each for each in made if each[1]] + [each for each in made if not each[1]][:COMPARED]
    for report, red in shown:
        assert compare(main, report, settings).exit_code is (ExitCode.REGRESSION if red else ExitCode.HOLDS)


def test_survivors_are_found_and_named() -> None:
    chance, settings = random.Random(7), Settings()
    cases = [mutant(f"m{place:02}", outcomes="1" * 20, rule=f"r{place % 2 + 1}") for place in range(12)]
    main = mutants(*cases, summary())
    plan = plan_of(main, settings, budget_of(main, settings), session="s", screening=False)
    designs: dict[Any, Any] = {}
    found = 0
    for _ in range(20):
        outcomes, answer = walked(plan.asks[cases[0].id], 0.1, designs, chance)
        found += answer == "regression"
        here = mutants(mutant("m00", "survived", outcomes, fixed=False), *cases[1:], summary())
        verdict = compare(main, here, settings)
        assert [each.rule.value for each in verdict.failing] == ["mutant-survives"] * (answer == "regression")
    assert found >= 18
