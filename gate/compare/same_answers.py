"""Stochastic cases whose trials were all given the very same answers on both sides: what differs is the code's doing.

Equal answers are one sample of the model, so that main has one trial and no drop can be found. Given these answers,
though, main's trials all ended alike, and a trial of the head is a draw of what its code makes of them: both numbers of
trials can be compared as they are.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import replace

from gate.compare.align import Pair
from gate.compare.decisions import FLOOR, trials_of
from gate.schema.report import Session
from gate.schema.verdict import REPLAYED, CaseDecision

SAME_ANSWERS = "same answers"


def told_of_same_answers(decisions: Mapping[str, CaseDecision], pairs: Iterable[Pair]) -> dict[str, CaseDecision]:
    """The decisions, with a regression where the answers of main's latest session end worse now (Fisher's exact test).

    The share of each case is spent here instead of on main's one trial. A floor counts whatever main does.
    """
    found = dict(decisions)
    for pair in pairs:
        decision = found.get(pair.after.id)
        if decision is None or not decision.measured or decision.how in (FLOOR, REPLAYED):
            continue
        main = pair.before.trials.sessions[-1:] if pair.before.trials is not None else ()
        here = trials_of(pair.after).sessions[-1:]
        if main and here and main[0].answers and main[0].answers == here[0].answers and len(main[0].outcomes) == 1:
            found[pair.after.id] = _decided(decision, _drawn(main[0]), _drawn(here[0]))
    return found


def _drawn(session: Session) -> tuple[int, int]:
    """Passes and trials, each counted also where all ended alike."""
    times = session.alike if len(session.outcomes) == 1 else 1
    return session.outcomes.count("1") * times, len(session.outcomes) * times


def _decided(decision: CaseDecision, main: tuple[int, int], here: tuple[int, int]) -> CaseDecision:
    from gate.stats.fisher import fisher_one_sided

    level = fisher_one_sided(*main, *here)
    if level <= decision.limit:
        return replace(
            decision,
            answer="regression",
            how=SAME_ANSWERS,
            level=level,
            baseline=main,
            candidate=here,
            smallest_drop=None,
        )
    return replace(decision, answer="undecided", level=None) if decision.answer == "regression" else decision
