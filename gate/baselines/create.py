"""A first baseline: the suite runs several times, so that what varies is known before it can fail anybody."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from itertools import chain

from gate.errors import BaselineError
from gate.schema.mutation import Mutation
from gate.schema.outcome import Outcome
from gate.schema.report import Case, Kind, Location, Metric, Report, Session, Trials

RUNS = 5


@dataclass(frozen=True, slots=True)
class Varying:
    """A case that did not end the same each time.

    Attributes:
        passes, runs: how often it held, of how many runs.
        declared: whether the suite says itself that it is stochastic.
    """

    id: str
    passes: int
    runs: int
    declared: bool = False
    location: Location | None = None

    @property
    def proposal(self) -> str:
        """The marker to add with its place; empty where the suite has it already."""
        if self.declared:
            return ""
        if self.location is None:
            return f"@pytest.mark.stochastic  # at {self.id}"
        line = f":{self.location.line}" if self.location.line is not None else ""
        return f"{self.location.path}{line}: @pytest.mark.stochastic"


@dataclass(frozen=True, slots=True)
class Created:
    """Several runs joined to one report.

    Attributes:
        report: to be distilled; varying cases carry one trial a run.
        varying: cases whose outcome varied, declared ones included, in the order of the report.
        moving: metrics whose value varied, with the smallest and the largest: (case, metric, low, high).
        unsteady: ids that some run did not report; they are left out of the baseline.
        failing: cases that hold in no run; they are in the baseline as failing.
        replayed: stochastic cases whose later runs were given the same recorded answers, and are counted once.
    """

    report: Report
    varying: tuple[Varying, ...] = ()
    moving: tuple[tuple[str, str, float, float], ...] = ()
    unsteady: tuple[str, ...] = ()
    failing: tuple[str, ...] = ()
    replayed: tuple[str, ...] = ()


def create(run: Callable[[int], Report], *, runs: int = RUNS, session: str = "", force: str = "") -> Created:
    """Run the suite `runs` times and join what it reported.

    Args:
        run: runs the suite once and gives its report; called with 1, 2, … in order.
        session: name of this occasion (a commit), put before the number of the run in the trials' sessions.
        force: the reason for a baseline of an incomplete run; it is stored.

    Raises:
        BaselineError: no case stands in every run, or without a reason: a run is not whole, or nothing passes in any.
    """
    reports = []
    for number in range(1, runs + 1):
        report = run(number)
        require_whole(report, force, f"run {number} of {runs}")
        reports.append(report)
    require_passing(reports, force)
    return join(reports, session=session, force=force)


def require_whole(report: Report, force: str, what: str = "the run") -> None:
    """Refuse a baseline of a run that is not whole, unless a reason is given.

    Raises:
        BaselineError: with the reasons, as the run states them.
    """
    if report.completeness.complete or force.strip():
        return
    raise BaselineError(
        f"{what} is not whole: " + "; ".join(report.completeness.reasons[:3]),
        remedy="mend the run, or store why it may be used: --force-incomplete 'REASON'",
    )


def require_passing(reports: Sequence[Report], force: str) -> None:
    """Refuse a baseline in which nothing passes, unless a reason is given: it would find nothing worse, ever.

    Raises:
        BaselineError: with the first case that fails, and why.
    """
    cases = reports[-1].cases if reports else ()
    if force.strip() or not cases or any(passes(report) for report in reports):
        return
    counts = Counter(case.outcome.value for case in cases if case.outcome is not None)
    worst = next((case for case in cases if case.outcome is not None and case.outcome.fails), cases[0])
    why = worst.message.strip().partition("\n")[0] or "no reason is given"
    told = ", ".join(f"{count:,} {name}" for name, count in counts.items())
    raise BaselineError(
        f"nothing passes ({told}); the first: {worst.id:.200}: {why:.300}",
        remedy="mend what keeps the suite from passing, or store why it may be used: --force-incomplete 'REASON'",
    )


def passes(report: Report) -> bool:
    """Whether at least one case holds; one that was only measured does, if it is no mutant."""
    measured = [case for case in report.cases if case.kind is not Kind.MUTANT]
    return any(case.outcome is None or case.outcome.holds for case in measured)


def join(reports: Sequence[Report], *, session: str = "", force: str = "") -> Created:
    """Join reports of the same suite and commit to one, see `Created`."""
    by_id = [_by_id(report) for report in reports]
    everywhere = set.intersection(*(set(cases) for cases in by_id)) if by_id else set()
    if not everywhere:
        raise BaselineError("no case stands in every run", remedy="check what the suite collects: `gate run`")
    joined, varying, moving, replayed = [], [], [], []
    for case_id in by_id[0]:
        if case_id not in everywhere:
            continue
        cases = _of_one_killer([cases[case_id] for cases in by_id])
        asked = independent(cases)
        replayed += [case_id] if len(asked) < len(cases) else []
        case, varies = _join_case(asked, session)
        joined.append(case)
        varying += [varies] if varies is not None else []
        moving += _moving(cases)
    unsteady = sorted(set(chain.from_iterable(by_id)) - everywhere)
    usual = all(report.completeness.complete for report in reports) and any(passes(report) for report in reports)
    return Created(
        report=replace(reports[0], cases=tuple(joined), forced="" if usual else force.strip()),
        varying=tuple(varying),
        moving=tuple(moving),
        unsteady=tuple(unsteady),
        failing=tuple(case.id for case in joined if case.outcome is not None and case.outcome.fails),
        replayed=tuple(replayed),
    )


def _of_one_killer(cases: Sequence[Case]) -> Sequence[Case]:
    """Of a mutant the runs in which it ended as in the first; only trials of one test under it are one sample."""
    first = cases[0].mutation
    if first is None:
        return cases
    return [case for case in cases if case.mutation is not None and _ended(case.mutation) == _ended(first)]


def _ended(mutation: Mutation) -> tuple[str, str]:
    return mutation.status, mutation.killer


def was_replayed(case: Case) -> bool:
    """Whether the answers that a case was given are all recorded ones, so that another replay gives the same again."""
    return case.calls is not None and case.calls.replayed > 0 and case.calls.live == 0


def independent(cases: Sequence[Case]) -> Sequence[Case]:
    """Of the runs of one case those that are samples of their own.

    Trials of recorded answers are the same sample in each replay: of them the first run alone counts. A test that is
    not declared stochastic keeps all its runs, since what varies on equal answers is the test itself.
    """
    if not (cases[0].stochastic or cases[0].trials is not None):
        return cases
    return [cases[0], *(case for case in cases[1:] if not was_replayed(case))]


def _join_case(cases: Sequence[Case], session: str) -> tuple[Case, Varying | None]:
    first = cases[0]
    sessions = tuple(
        replace(each, id=_session(session, number))
        for number, case in enumerate(cases, start=1)
        for each in sessions_of(case)
    )
    trials = Trials(sessions, asked={} if first.trials is None else first.trials.asked)
    declared = first.stochastic or first.trials is not None
    if not trials.varies:
        return (replace(first, trials=trials) if declared else first), None
    # only the trials judge a varying case; the outcome is the usual one, so that the baseline reads well
    outcome = Counter(case.outcome for case in cases).most_common(1)[0][0]
    location = first.location
    found = Varying(first.id, trials.passes, trials.count, declared, location)
    return replace(first, outcome=outcome, trials=trials, message=_message(cases, outcome)), found


def sessions_of(case: Case) -> tuple[Session, ...]:
    """The case's own trials, else its outcome as one trial without a name; none where it was skipped."""
    if case.trials is not None:
        return case.trials.sessions
    if case.outcome is None or not (case.outcome.holds or case.outcome.fails):
        return ()
    first_try = case.outcome.holds and case.outcome is not Outcome.RERUN
    return (Session("", "1" if first_try else "0"),)


def _session(name: str, number: int) -> str:
    return f"{name}.{number}" if name else str(number)


def _message(cases: Sequence[Case], outcome: Outcome | None) -> str:
    return next((case.message for case in cases if case.outcome is outcome and case.message), "")


def _moving(cases: Sequence[Case]) -> list[tuple[str, str, float, float]]:
    found = []
    for metric in cases[0].metrics:
        values = [value for case in cases for value in _values(case, metric)]
        if values and min(values) != max(values):
            found.append((cases[0].id, metric.name, min(values), max(values)))
    return found


def _values(case: Case, metric: Metric) -> list[float]:
    return [each.value for each in case.metrics if each.name == metric.name and each.value is not None]


def _by_id(report: Report) -> dict[str, Case]:
    return {case.id: case for case in report.cases}
