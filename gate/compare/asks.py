"""The question about each stochastic case, from the base's baseline and its settings: what the suite is told to ask."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import replace

from gate.compare.ledger import declares
from gate.schema.mutation import summary_id
from gate.schema.report import Case, Kind, Report, Session, Trials
from gate.schema.untrusted import finite
from gate.schema.verdict import Budget
from gate.settings import Settings
from gate.trials.carry import Carried
from gate.trials.plan import Ask, Known, Plan

FIRST_MISSES = 0.8
MAX_TRIALS = 60
MOST_CAP = 500
MOST_TRIALS = 1000
"""Baseline and candidate of one case together; older sessions of a longer baseline are left out."""


def ask_of(case: Case, settings: Settings, strict: float, *, line: float | None = None) -> Ask | None:
    """What is asked about one case of the baseline; None where it is not stochastic or main has no trial.

    Args:
        strict: what the case may spend; a floor under its rate gets half of it.
        line: what a first look may spend instead, whose suspects are confirmed; it goes on until it holds.
    """
    if not declares(case) or case.trials is None or not case.trials.count:
        return None
    asked = case.trials.asked
    cap = int(_number(asked, "max_trials", MAX_TRIALS, low=1, high=MOST_CAP))
    fresh = 2 * settings.confirm_trials if settings.confirm == "pooled" else 0
    known = recent(case.trials, MOST_TRIALS - cap - fresh)
    floor = _number(asked, "min_rate", 0.0, low=0.0, high=1.0) or None
    return Ask(
        n0=known.count,
        s0=known.passes,
        cap=cap,
        share=line if line is not None else strict if floor is None else strict / 2,
        delta=_number(asked, "delta", settings.delta, low=1e-6, high=1 - 1e-6),
        power=_power(case, _number(asked, "power", settings.power, low=1e-6, high=1 - 1e-6), line),
        min_rate=floor,
        floor_share=None if floor is None else strict / 2,
        patient=line is not None,
    )


def _power(case: Case, power: float, line: float | None) -> float:
    """A mutant's first look misses a fifth less often than both looks together may, since the second misses, too."""
    return 1 - FIRST_MISSES * (1 - power) if line is not None and case.kind is Kind.MUTANT else power


def first_look(ask: Ask) -> Ask:
    """The same question at the line of a first look, whose suspects are confirmed."""
    from gate.stats.two_arms import LINE

    return replace(ask, share=LINE, patient=True)


def plan_of(
    baseline: Report,
    settings: Settings,
    budget: Budget,
    *,
    session: str,
    screening: bool,
    carried: Mapping[str, tuple[Carried, ...]] | None = None,
) -> Plan:
    """What a run of the suite is told.

    Args:
        session: name of the run.
        screening: whether suspects will be confirmed, so that the first look is at a line of 2 %.
        carried: what earlier runs of the same pull request left.
    """
    from gate.stats.two_arms import LINE

    line = LINE if screening else None
    asks = {case.id: ask for case in baseline.cases if (ask := ask_of(case, settings, budget.share, line=line))}
    return Plan(
        session=session,
        estimate=settings.baseline_trials,
        asks=asks,
        carried=carried or {},
        known=known_of(baseline),
    )


def known_of(baseline: Report) -> dict[str, Known]:
    """What a baseline knows of its mutants, by the ids of their cases."""
    prompts = {case.id: case.fingerprint for case in baseline.cases if case.rules or case.metrics}
    return {
        case.id: Known(
            status=case.mutation.status,
            killer=case.mutation.killer,
            fingerprint=case.fingerprint,
            prompt=prompts.get(summary_id(case.mutation.target), ""),
        )
        for case in baseline.cases
        if case.mutation is not None
    }


def recent(trials: Trials, most: int) -> Trials:
    """The newest sessions with at most so many trials; of a session that is too long, its last trials."""
    kept: list[Session] = []
    room = most
    for session in reversed(trials.sessions):
        if room <= 0:
            break
        outcomes = session.outcomes[-room:]
        kept.append(Session(session.id, outcomes, session.fixed))
        room -= len(outcomes)
    return Trials(tuple(reversed(kept)), asked=trials.asked)


def _number(asked: Mapping[str, str], name: str, default: float, *, low: float, high: float) -> float:
    """A number that the test code asked for; one that makes no sense is as if it were not there."""
    try:
        value = json.loads(asked.get(name, "null"))
    except ValueError:
        return default
    usable = isinstance(value, int | float) and not isinstance(value, bool) and finite(value)
    return value if usable and low <= value <= high else default
