"""All stochastic tests together: each lost a little, and none shows it alone."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import replace
from typing import Any

from gate.compare.align import Pair
from gate.compare.asks import ask_of
from gate.compare.decisions import FIXED, trials_of
from gate.schema.verdict import Budget, CaseDecision
from gate.settings import Settings
from gate.stats.refusal import TooLittle
from gate.stats.suite_level import FIRST, Stratum, SuiteLevel, admissible, suite_level
from gate.trials.plan import Ask


def whole_suite(
    pairs: Iterable[Pair], decisions: Mapping[str, CaseDecision], settings: Settings, budget: Budget
) -> SuiteLevel | TooLittle | None:
    """The exact stratified test over the first trials of every decided case; None where the budget has no part for it.

    How many first trials are looked at depends on the question alone, and a case is left out only by its sum of passes
    on both sides: whatever depends on the outcomes otherwise would make the level wrong.
    """
    if not budget.for_suite:
        return None
    looked: dict[Ask, tuple[int, ...]] = {}
    designs: dict[Any, Any] = {}
    strata = []
    for pair in pairs:
        decision = decisions.get(pair.after.id)
        ask = ask_of(pair.before, settings, budget.share)
        if decision is None or ask is None:
            continue
        outcomes = "".join(session.outcomes for session in trials_of(pair.after).sessions)
        if decision.how == FIXED:
            first = min(FIRST, len(outcomes))
            strata.append(Stratum(ask.s0, ask.n0, outcomes[:first].count("1"), first))
            continue
        question = replace(ask, s0=0)
        if question not in looked:
            looked[question] = tuple(trials_made(replace(ask, s0=passes), designs) for passes in range(ask.n0 + 1))
        first = looked[question][-1]
        stratum = Stratum(ask.s0, ask.n0, outcomes[:first].count("1"), first)
        if first and len(outcomes) >= first and admissible(stratum, looked[question]):
            strata.append(stratum)
    return suite_level(strata)


def trials_made(ask: Ask, designs: dict[Any, Any]) -> int:
    """How many trials every run makes before any design, the first look's included, may stop; at most `FIRST`."""
    from gate.stats.design import Question, design_for
    from gate.stats.two_arms import LINE

    found = FIRST
    for share, patient in ((ask.share, False), (LINE, True)):
        design = design_for(Question(ask.n0, ask.cap, share, ask.delta, ask.power, patient=patient), designs)
        for count in range(found + 1):
            if any(design.answer(ask.s0, count - fails, fails) != "more" for fails in range(count + 1)):
                found = min(found, count)
                break
    return found
