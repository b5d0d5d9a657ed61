"""What a baseline keeps of mutants: whether main's tests kill them, the fixed trials of the killer, the rules' states.

A mutant that is killed counts on like any stochastic test. A run in which it could not be measured, or that left it
undecided, is no word against the test that killed it before; one in which it survives is.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import replace

from gate.baselines.counting import count_on
from gate.compare.mutants import guard_of, score_of
from gate.schema.mutation import COVERAGE, SCORE, Guard, Mutation, Status, summary_id
from gate.schema.report import Case, Metric

SAYS_NOTHING: frozenset[Status] = frozenset({"undecided", "error", "skipped"})
"""Statuses of a run that leave a killed mutant of the baseline killed."""


def count_mutant(before: Case | None, now: Case, keep: int) -> Case:
    """A mutant as the baseline is to keep it.

    Args:
        before: the case in the baseline so far.
        now: the case in a report.
        keep: sessions of trials, at least 1.
    """
    found = now.mutation
    if found is None:
        return count_on(before, now, keep)
    killed = before is not None and before.mutation is not None and before.mutation.status == "killed"
    if before is not None and (_carried(before, now) or (killed and found.status in SAYS_NOTHING)):
        return before
    lean = replace(found, calls=0, carried=False, reason="" if found.status in ("killed", "survived") else found.reason)
    if found.status != "killed":
        return replace(now, mutation=lean, stochastic=False, trials=None)
    counted = count_on(before if killed else None, replace(now, mutation=lean, stochastic=True), keep)
    return replace(counted, mutation=lean)


def _carried(before: Case, now: Case) -> bool:
    """Whether nothing was run of a mutant, since all that it depends on is as in the baseline."""
    carried = now.mutation is not None and now.mutation.carried
    return carried and before.fingerprint == now.fingerprint and before.mutation is not None


def summed_up(cases: Mapping[str, Case]) -> dict[str, Case]:
    """The cases with the summaries of targets as their kept mutants have them."""
    mutants: dict[str, list[Mutation]] = {}
    for case in cases.values():
        if case.mutation is not None:
            mutants.setdefault(summary_id(case.mutation.target), []).append(case.mutation)
    return {name: _summary(case, mutants[name]) if name in mutants else case for name, case in cases.items()}


def _summary(case: Case, mutants: list[Mutation]) -> Case:
    states = _guards(mutants)
    rules = tuple(replace(each, state=states.get(each.rule, "not measured")) for each in case.rules)
    share = _share([each.state != "not measured" for each in rules])
    score = score_of(each.status for each in mutants)
    metrics = [_measured(each, score if each.name == SCORE else share) for each in case.metrics]
    return replace(case, rules=rules, metrics=tuple(metrics))


def _guards(mutants: Iterable[Mutation]) -> dict[str, Guard]:
    statuses: dict[str, list[str]] = {}
    for each in mutants:
        statuses.setdefault(each.rule, []).append(each.status)
    return {rule: guard_of(found) for rule, found in statuses.items()}


def _share(marks: list[bool]) -> tuple[int, int]:
    return sum(marks), len(marks)


def _measured(metric: Metric, counted: tuple[int, int]) -> Metric:
    """The metric over what the baseline keeps; another metric, or one without a value, stays."""
    part, whole = counted
    if metric.name not in (SCORE, COVERAGE) or metric.value is None or not whole:
        return metric
    interval = metric.interval
    if metric.name == SCORE:
        from gate.stats.intervals import wilson
        from gate.stats.refusal import TooLittle

        found = wilson(part, whole)
        interval = None if isinstance(found, TooLittle) else (round(found.low, 6), round(found.high, 6))
    return replace(metric, value=part / whole, count=whole, interval=interval)
