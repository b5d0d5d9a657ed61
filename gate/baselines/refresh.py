"""A baseline from one report: adopted by a person, or refreshed on main with its history kept."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, replace

from gate.baselines.create import require_whole, sessions_of
from gate.baselines.difference import Entry, difference
from gate.errors import BaselineError, UsageError
from gate.schema.report import Report, Trials


@dataclass(frozen=True, slots=True)
class Prepared:
    """A baseline that is ready to be written.

    Attributes:
        data: what belongs into the file.
        entries: what changes against the previous baseline.
        changed: whether the bytes differ from the file's.
    """

    data: bytes
    entries: tuple[Entry, ...]
    changed: bool


def refresh(
    report: Report, commit: str, *, previous: Report | None = None, current: bytes | None = None, force: str = ""
) -> Prepared:
    """The distilled report with the history of the previous baseline.

    Args:
        commit: where the report was measured; it is stored with the cases that changed.
        previous: the baseline so far, read from `current`.
        current: content of the file so far, to say whether it changes.
        force: the reason for using a run that is not whole; it is stored.

    Raises:
        BaselineError: the run is not whole, has no case, or is of another suite.
    """
    return _prepare(report, commit, history=previous, before=previous, current=current, force=force)


def adopt(
    report: Report,
    commit: str,
    *,
    previous: Report | None = None,
    current: bytes | None = None,
    restart: Iterable[str] = (),
    force: str = "",
) -> Prepared:
    """Take a report as the accepted state: as `refresh`, but what a person accepted counts from here.

    The trials of a case whose outcome changed, or that `restart` names, start again, so that results from before the
    accepted change don't judge those after it.

    Raises:
        UsageError: `restart` names a case that the report lacks.
        BaselineError: as `refresh`.
    """
    named = set(restart)
    unknown = sorted(named - {case.id for case in report.cases})
    if unknown:
        raise UsageError(
            f"the report has no case `{unknown[0]:.200}`", where="--restart", remedy="copy the id from the report"
        )
    kept = previous
    if previous is not None:
        outcomes = {case.id: case.outcome for case in report.cases}
        changed = named | {case.id for case in previous.cases if outcomes.get(case.id, case.outcome) != case.outcome}
        kept = replace(previous, cases=tuple(case for case in previous.cases if case.id not in changed))
    return _prepare(report, commit, history=kept, before=previous, current=current, force=force)


def _prepare(
    report: Report, commit: str, *, history: Report | None, before: Report | None, current: bytes | None, force: str
) -> Prepared:
    from gate.baselines.distill import distill, dump_baseline

    _require_usable(report, before, force)
    forced = (report.forced or force.strip()) if report.forced or not report.completeness.complete else ""
    distilled = distill(replace(_counted(report, before, commit), forced=forced), commit, history)
    data = dump_baseline(distilled)
    return Prepared(data, difference(before, distilled), data != current)


def _counted(report: Report, before: Report | None, commit: str) -> Report:
    """A case that the baseline counts gets a trial of this run, also where the suite doesn't say that it varies."""
    counted = set() if before is None else {case.id for case in before.cases if case.trials is not None}
    cases = tuple(
        replace(case, trials=Trials(tuple(replace(each, id=commit[:7]) for each in sessions_of(case))))
        if case.id in counted and case.trials is None and sessions_of(case)
        else case
        for case in report.cases
    )
    return replace(report, cases=cases)


def _require_usable(report: Report, previous: Report | None, force: str) -> None:
    require_whole(report, force)
    if not report.cases:
        raise BaselineError("the report has no case", remedy="check what the suite collects: `gate run`")
    if previous is not None and previous.suite != report.suite:
        raise BaselineError(
            f"the report is of the suite `{report.suite:.60}`, the baseline of `{previous.suite:.60}`",
            remedy="name the suite with --suite, or run it again with the name of the baseline",
        )
