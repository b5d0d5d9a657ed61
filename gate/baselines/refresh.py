"""A baseline from one report: adopted by a person, or refreshed on main with its history kept."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace

from gate.baselines.attached import detach
from gate.baselines.counting import DRAWN, moved, says_nothing, stopped, unmarked, why_anew
from gate.baselines.create import passes, require_passing, require_whole, sessions_of, was_replayed
from gate.baselines.difference import Entry, counts, difference, in_order
from gate.baselines.distill import SESSIONS, distill, dump_baseline
from gate.baselines.floors import keep_floors
from gate.compare.ledger import declares
from gate.errors import BaselineError, UsageError
from gate.schema.report import Case, Report, Trials

SHORT = 7
_OUR_FORMATS = ("candidate", "baseline", "")
NOT_COUNTED = "stopped by their own results, so no fair sample"
NO_DRAW = "no draw of its rate, so its trials and outcome stay as they were"
KNOWN_ANSWERS = "a replay of recorded answers that the baseline has counted already"


@dataclass(frozen=True, slots=True)
class Prepared:
    """A baseline that is ready to be written.

    Attributes:
        data: what belongs into the file.
        entries: what changes against the previous baseline.
        changed: whether the bytes differ from the file's.
        files: large sets of examples by the name of their file beside the baseline, see `gate.baselines.attached`.
    """

    data: bytes
    entries: tuple[Entry, ...]
    changed: bool
    files: Mapping[str, bytes] = field(default_factory=dict)


def refresh(
    report: Report,
    commit: str,
    *,
    previous: Report | None = None,
    current: bytes | None = None,
    force: str = "",
    sessions: int = SESSIONS,
) -> Prepared:
    """The distilled report with the history of the previous baseline.

    Args:
        commit: where the report was measured; it is stored with the cases that changed.
        previous: the baseline so far, read from `current`.
        current: content of the file so far, to say whether it changes.
        force: the reason for using a run that is not whole; it is stored.
        sessions: how many sessions of trials each case keeps, at least 1.

    Raises:
        BaselineError: the run is not whole, has no case, or is of another suite.
    """
    return _prepare(report, commit, history=previous, before=previous, current=current, force=force, sessions=sessions)


def adopt(
    report: Report,
    commit: str,
    *,
    previous: Report | None = None,
    current: bytes | None = None,
    restart: Iterable[str] = (),
    force: str = "",
    sessions: int = SESSIONS,
) -> Prepared:
    """Take a report as the accepted state: as `refresh`, but what a person accepted counts from here.

    The trials of a case that changed, or that `restart` names, start again, so that results from before the accepted
    change don't judge those after it. A deterministic case changed when its outcome did, a stochastic one when its
    trials show another rate: one outcome of it says nothing.

    Raises:
        UsageError: `restart` names a case that the report lacks.
        BaselineError: as `refresh`, or a first baseline in which nothing passes.
    """
    named = set(restart)
    unknown = sorted(named - {case.id for case in report.cases})
    if unknown:
        raise UsageError(
            f"the report has no case `{unknown[0]:.200}`", where="--restart", remedy="copy the id from the report"
        )
    kept = previous
    if previous is None:
        require_whole(report, force)
        require_passing([report], force)
    else:
        changed = named | _changed(report, previous)
        kept = replace(previous, cases=tuple(case for case in previous.cases if case.id not in changed))
    return _prepare(report, commit, history=kept, before=previous, current=current, force=force, sessions=sessions)


def _changed(report: Report, previous: Report) -> set[str]:
    here = {case.id: case for case in report.cases}
    pairs = [(case, here[case.id]) for case in previous.cases if case.id in here]
    return {
        now.id
        for before, now in pairs
        if (moved(before, now) if declares(before) and before.trials is not None else before.outcome != now.outcome)
    }


def _prepare(
    report: Report,
    commit: str,
    *,
    history: Report | None,
    before: Report | None,
    current: bytes | None,
    force: str,
    sessions: int,
) -> Prepared:
    _require_usable(report, before, force)
    usual = report.completeness.complete and passes(report)
    forced = (report.forced or force.strip()) if report.forced or not usual else ""
    named = replace(_with_trials(_once(report, history), before, commit[:SHORT]), forced=forced)
    distilled = distill(keep_floors(named, before), commit, history, sessions=sessions)
    data, files = detach(dump_baseline(distilled))
    entries = in_order([*difference(before, distilled), *_not_counted(report, history)])
    return Prepared(data, entries, data != current, files)


def _not_counted(report: Report, history: Report | None) -> list[Entry]:
    known = {} if history is None else {case.id: case for case in history.cases}
    found = [
        Entry("Not counted", case.id, "", counts(case), NOT_COUNTED) for case in report.cases if _is_left_out(case)
    ]
    found += [
        Entry("Not counted", case.id, "", counts(case), KNOWN_ANSWERS)
        for case in report.cases
        if _counted_before(case, known.get(case.id))
    ]
    return found + [
        Entry("Not counted", case.id, "", case.outcome.value, NO_DRAW)
        for case in report.cases
        if case.outcome is not None and case.id in known and says_nothing(known[case.id], case)
    ]


def _is_left_out(case: Case) -> bool:
    """Whether trials of a case are no fair sample; of a mutant that is not killed none are kept anyway."""
    return stopped(case) and (case.mutation is None or case.mutation.status == "killed")


def _counted_before(case: Case, before: Case | None) -> bool:
    """Whether a case's trials are the answers of a session that the baseline has, given once more.

    Equal answers judged by equal code end equally. Where they end otherwise, the code is another one, and so is what
    they show.
    """
    if before is None or before.trials is None or case.trials is None or not was_replayed(case):
        return False
    known = {session.outcomes for session in before.trials.sessions}
    return case.trials.count > 0 and case.trials.outcomes in known and not why_anew(before, case)


def _once(report: Report, history: Report | None) -> Report:
    """The report without trials that are a replay of those which the baseline has: they are no new ones."""
    known = {} if history is None else {case.id: case for case in history.cases}
    return replace(
        report,
        cases=tuple(
            replace(case, trials=replace(case.trials, sessions=()))
            if case.trials is not None and _counted_before(case, known.get(case.id))
            else case
            for case in report.cases
        ),
    )


def _with_trials(report: Report, before: Report | None, session: str) -> Report:
    """The report with its trials in sessions that have a name, and with what it does not say itself.

    A case that varies without saying so, and that the baseline therefore counts, gets the outcome of this run as one
    trial. A tool that knows no markers does not say that one was removed.
    """
    known = {} if before is None else {case.id: case for case in before.cases}
    says = report.source.format in _OUR_FORMATS
    return replace(
        report,
        cases=tuple(
            replace(case, stochastic=True)
            if not says and case.id in known and known[case.id].stochastic
            else _one_with_trials(case, known.get(case.id), session)
            for case in report.cases
        ),
    )


def _one_with_trials(case: Case, before: Case | None, session: str) -> Case:
    counted = before is not None and before.trials is not None and not unmarked(before, case)
    if case.trials is None and (not counted or case.outcome not in DRAWN):
        return case
    found = tuple(replace(each, id=each.id or session) for each in sessions_of(case))
    return replace(case, trials=Trials(found) if case.trials is None else replace(case.trials, sessions=found))


def _require_usable(report: Report, previous: Report | None, force: str) -> None:
    require_whole(report, force)
    if not report.cases:
        raise BaselineError("the report has no case", remedy="check what the suite collects: `gate run`")
    if previous is not None and previous.suite != report.suite:
        raise BaselineError(
            f"the report is of the suite `{report.suite:.60}`, the baseline of `{previous.suite:.60}`",
            remedy="name the suite with --suite, or run it again with the name of the baseline",
        )
