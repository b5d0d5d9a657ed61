"""What the budget buys: how many cases reach the power asked for, and what correlated trials do to the false alarms."""

from __future__ import annotations

from collections import Counter
from collections.abc import MutableMapping
from dataclasses import replace
from typing import Any

from gate.compare.asks import ask_of, first_look
from gate.compare.comparison import Comparison
from gate.compare.ledger import declares
from gate.schema.report import Trials
from gate.schema.verdict import REPLAYED, Budget
from gate.trials.plan import Ask
from gate.trials.question import design_of

ROUNDING = 0.025
"""Nine times in ten is said from 87.5 in 100 on."""
FEWEST_SESSIONS = 2
LIKELY = 0.02
"""A correlation of trials of one session that is told where the baseline can't exclude it: services that are called
over a network have that much."""


def spending(comparison: Comparison) -> Budget:
    """The budget of a comparison with its power and, where no fresh arms guard against it, its inflation."""
    budget = comparison.budget
    if not comparison.decisions:
        return budget
    designs: dict[Any, Any] = {}
    arms: dict[Any, Any] = {}
    asks = [
        ask
        for case in comparison.baseline.cases
        if declares(case) and (ask := ask_of(case, comparison.settings, budget.share)) is not None
    ]
    confirmed = comparison.arms is not None and comparison.settings.confirm == "fresh"
    chances: dict[Ask, float] = {}
    for ask in asks:
        if ask not in chances:
            chances[ask] = _found(ask, comparison, designs, arms) if confirmed else _found_alone(ask, designs)
    reached = sum(chances[ask] >= ask.power - ROUNDING for ask in asks)
    correlation = _correlation(comparison)
    alone, together = not confirmed, _suite_unconfirmed(comparison)
    inflated = None
    drawn = any(decision.how != REPLAYED for decision in comparison.decisions.values())
    if correlation is not None and asks and drawn and (alone or together):
        cases = _inflated(comparison, asks, correlation, designs) if alone else budget.for_cases
        suite = _inflated_suite(comparison, correlation) if together else budget.for_suite
        inflated = 1 - (1 - (cases or 0.0)) * (1 - suite)
    made = _made(comparison)
    cost = made * comparison.settings.price
    return replace(budget, reached=reached, correlation=correlation, inflated=inflated, made=made, cost=cost)


def _suite_unconfirmed(comparison: Comparison) -> bool:
    """Whether main's baseline alone decides over all tests together: nothing fresh stands behind its finding."""
    if not comparison.budget.for_suite or comparison.whole_session is not None:
        return False
    first, confirms = comparison.whole_suite, comparison.settings.confirm == "fresh" and comparison.arms is not None
    return not confirms or (first is not None and first.falls)


def _inflated_suite(comparison: Comparison, correlation: float) -> float:
    """Level of the test over all cases under that correlation, as if all of it were common to them."""
    from gate.stats.suite_level import FIRST, inflated_level

    sessions: Counter[str] = Counter()
    for case in comparison.baseline.cases:
        if declares(case) and case.trials is not None:
            for session in case.trials.sessions:
                sessions[session.id] += len(session.outcomes)
    sizes = [size for size in sessions.values() if size]
    now = FIRST * len(comparison.decisions)
    return inflated_level(comparison.budget.for_suite, sizes, now, correlation)


def _made(comparison: Comparison) -> int:
    """Trials of this run alone: those carried over are left out, fresh ones of both arms counted."""
    trials = [case.trials for case in comparison.candidate.cases if case.trials is not None]
    fresh = comparison.fresh.calls if comparison.fresh is not None else 0
    return sum(each.count - each.carried for each in trials) + fresh


def _found_alone(ask: Ask, designs: MutableMapping[Any, Any]) -> float:
    """Chance to find a drop of delta from main's observed rate by the sequential design alone."""
    from gate.stats.operating import at

    design = design_of(ask, designs)
    return at(design, ask.s0, max(ask.s0 / ask.n0 - ask.delta, 0.0)).regression


def _found(
    ask: Ask, comparison: Comparison, designs: MutableMapping[Any, Any], arms: MutableMapping[Any, Any]
) -> float:
    """The same by a first look at a line of 2 % and fresh trials of both arms, as the only suspect."""
    from gate.stats.arms import ArmsQuestion, arms_for, arms_operating
    from gate.stats.operating import at

    rate = ask.s0 / ask.n0
    now = max(rate - ask.delta, 0.0)
    screening = design_of(first_look(ask), designs)
    level = comparison.budget.for_cases - comparison.budget.for_floors
    question = ArmsQuestion(comparison.settings.confirm_trials, level, ask.delta, ask.power)
    suspected = 1 - at(screening, ask.s0, now).holds
    return suspected * arms_operating(arms_for(question, arms), rate, now).regression


def _correlation(comparison: Comparison) -> float | None:
    """Estimated from the baseline's sessions; where they can't tell it from none, what they can't exclude."""
    from gate.stats.correlation import session_correlation
    from gate.stats.refusal import TooLittle

    cases = [_counts(case.trials) for case in comparison.baseline.cases if declares(case) and case.trials is not None]
    found = session_correlation([counts for counts in cases if len(counts) >= FEWEST_SESSIONS])
    if isinstance(found, TooLittle):
        return LIKELY
    if found.interval.low > 0:
        return found.estimate
    return LIKELY if found.interval.high >= LIKELY else None


def _counts(trials: Trials) -> list[tuple[int, int]]:
    return [(session.outcomes.count("1"), len(session.outcomes)) for session in trials.sessions if session.outcomes]


def _inflated(
    comparison: Comparison, asks: list[Ask], correlation: float, designs: MutableMapping[Any, Any]
) -> float | None:
    """Chance of a false alarm under that correlation, from the case with the most usual question."""
    from gate.stats.inflation import inflated_false_alarm, points_of_paths

    usual = max(asks, key=lambda ask: (sum(each == ask for each in asks), ask.n0, ask.s0))
    design = design_of(usual, designs)
    end = design.paths.regression
    sessions = next(
        (
            [count for _, count in _counts(case.trials)]
            for case in comparison.baseline.cases
            if declares(case) and case.trials is not None and case.trials.count == usual.n0
        ),
        [usual.n0],
    )
    return inflated_false_alarm(points_of_paths(end.paths, end.fails), sessions, correlation, len(asks))
