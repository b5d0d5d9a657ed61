"""Suspects that could not be confirmed: a second run asks about them alone, at their own share."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

from gate.rounds.left import entries_of
from gate.schema.fresh import Suspect
from gate.schema.report import Calls, Case, Report
from gate.trials.plan import Plan

if TYPE_CHECKING:
    from gate.rounds.one import Round


def strict_plan(this: Round, suspects: Sequence[Suspect], trials: bytes) -> Plan:
    """For suspects that could not be confirmed: the question at their own share, from where their trials stopped."""
    from gate.compare.asks import plan_of

    heads = {each.base: each.head for each in suspects}
    plan = plan_of(this.baseline, this.settings, this.budget, session=this.plan.session, screening=False)
    entries = entries_of(trials)
    carried = {entry.case: (entry.carried,) for entry in entries if entry.case in set(heads.values())}
    asks = {heads[name]: ask for name, ask in plan.asks.items() if name in heads}
    return replace(plan, asks=asks, carried=carried, only=tuple(sorted(heads.values())))


def merged(candidate: Report, again: Report, names: Sequence[str]) -> Report:
    """The candidate with a second run's cases in the place of its own, and that run's reasons where it is not whole."""
    second = {case.id: case for case in again.cases if case.id in set(names)}
    cases = tuple(_gone_on(case, second[case.id]) if case.id in second else case for case in candidate.cases)
    reasons = (*candidate.completeness.reasons, *again.completeness.reasons)
    return replace(candidate, cases=cases, completeness=replace(candidate.completeness, reasons=reasons))


def trials_made(report: Report, names: Sequence[str]) -> int:
    """Trials of some cases that the run of a report made itself."""
    trials = [case.trials for case in report.cases if case.id in set(names) and case.trials is not None]
    return sum(each.count - each.carried for each in trials)


def _gone_on(first: Case, second: Case) -> Case:
    """The second run's case, with what both runs called.

    What it took over from the first is of this run, and not of an earlier one.
    """
    if first.calls is not None:
        second = replace(second, calls=replace(first.calls, missing=0) + (second.calls or Calls()))
    if first.trials is None or second.trials is None or second.trials.carried < first.trials.count:
        return second
    made = first.trials.count - first.trials.carried
    return replace(second, trials=replace(second.trials, carried=second.trials.carried - made))
