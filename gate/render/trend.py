"""What the last refreshes of a baseline said in four numbers each, from the baselines themselves."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from gate.schema.mutation import DECIDED
from gate.schema.report import Case, Kind, Predictions, Report
from gate.schema.symbols import UNKNOWN

Share = tuple[float, int]
"""How many, of how many."""


@dataclass(frozen=True, slots=True)
class Refresh:
    """One baseline of the past. A share is None where nothing of its kind was measured.

    Attributes:
        commit: that brought it; empty for what was measured here.
        when: Unix time of that commit in seconds.
        passed: rate of tests and probes, each weighed alike; a stochastic one counts as its passes by its trials.
        robust: right answers that no attack flipped, of the examples with a known truth that one was tried on.
        killed: mutants that a test noticed, of those decided (the mutation score).
        negative: negative flips since the refresh before, of the examples of both with a known truth (the NFR).
    """

    commit: str
    when: int
    passed: Share | None = None
    robust: Share | None = None
    killed: Share | None = None
    negative: Share | None = None


@dataclass(frozen=True, slots=True)
class Trend:
    """Refreshes, oldest first, and what a reader must know of them.

    Attributes:
        here: the same numbers of what was measured here; None where that is not known.
        note: why it begins where it does, or why there is none; one sentence of ours, or empty.
    """

    refreshes: tuple[Refresh, ...] = ()
    here: Refresh | None = None
    note: str = ""


def refresh_of(report: Report, before: Report | None = None, *, commit: str = "", when: int = 0) -> Refresh:
    """The numbers of a report.

    Args:
        before: the report of the refresh before it, for negative flips.
    """
    return Refresh(
        commit,
        when,
        passed=_passed(report.cases),
        robust=_robust(report.cases),
        killed=_killed(report.cases),
        negative=None if before is None else _negative(before, report),
    )


def _passed(cases: Sequence[Case]) -> Share | None:
    rates = [
        case.trials.passes / case.trials.count if case.trials is not None and case.trials.count else _held(case)
        for case in cases
        if case.kind is not Kind.MUTANT
    ]
    known = [rate for rate in rates if rate is not None]
    return (sum(known), len(known)) if known else None


def _held(case: Case) -> float | None:
    if case.outcome is None or not (case.outcome.holds or case.outcome.fails):
        return None
    return float(case.outcome.holds)


def _robust(cases: Sequence[Case]) -> Share | None:
    stable = measured = 0
    for found in _predictions(cases):
        if not found.attacks:
            continue
        marks = zip(*(attack.flipped for attack in found.attacks), strict=True)
        for expected, predicted, tried in zip(found.expected, found.predicted, marks, strict=True):
            if expected != UNKNOWN and any(mark != UNKNOWN for mark in tried):
                measured += 1
                stable += expected == predicted and "1" not in tried
    return (stable, measured) if measured else None


def _killed(cases: Sequence[Case]) -> Share | None:
    decided = [case.mutation.status for case in cases if case.mutation is not None and case.mutation.status in DECIDED]
    return (decided.count("killed"), len(decided)) if decided else None


def _negative(before: Report, now: Report) -> Share | None:
    """Negative flips (Yan et al. 2021): right before, wrong now, of the examples that both answered."""
    earlier = {(case.id, found.name): found for case in before.cases for found in case.predictions}
    flipped = total = 0
    for case in now.cases:
        for found in case.predictions:
            old = earlier.get((case.id, found.name))
            if old is not None:
                for was, right in _paired(old, found):
                    total += 1
                    flipped += was and not right
    return (flipped, total) if total else None


def _paired(old: Predictions, new: Predictions) -> Iterator[tuple[bool, bool]]:
    """Whether an example was right and is right, for each that both sets know the truth of and answered."""
    was = dict(zip(old.ids, _right(old), strict=True))
    for name, right in zip(new.ids, _right(new), strict=True):
        before = was.get(name)
        if before is not None and right is not None:
            yield before, right


def _right(found: Predictions) -> Iterator[bool | None]:
    for expected, predicted in zip(found.expected, found.predicted, strict=True):
        yield None if UNKNOWN in (expected, predicted) else expected == predicted


def _predictions(cases: Sequence[Case]) -> Iterator[Predictions]:
    for case in cases:
        yield from case.predictions
