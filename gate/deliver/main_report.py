"""What main's own latest run measured, from the artifact that it left; nothing is excused by anything else.

The run must be one that no pull request can start with code of its own: by a push, a schedule or by hand, on the base
branch of the repository itself, of a commit that is the base of the pull request or stands in its history. The last
condition also keeps out a tag that is named like the branch.
"""

from __future__ import annotations

from dataclasses import dataclass

from gate.deliver import artifacts
from gate.deliver.artifacts import CANDIDATE, Artifact, Run
from gate.deliver.client import GitHub
from gate.deliver.problems import ApiError
from gate.errors import GateError, ReportError
from gate.ingest import read_report
from gate.schema.report import Report

EVENTS = frozenset({"push", "schedule", "workflow_dispatch"})
_MOST_RUNS = 10
_MEASURED_NOTHING = frozenset({"cancelled", "skipped"})


@dataclass(frozen=True, slots=True)
class MainReport:
    """What main shows by itself.

    Attributes:
        report: None when there is none that may excuse anything.
        commit: what that run measured; empty for a file named by hand.
        missing: why there is none, one sentence for a reviewer; empty where main simply leaves no reports.
    """

    report: Report | None = None
    commit: str = ""
    missing: str = ""


NOTHING = MainReport()


def fetch_main_report(github: GitHub, *, suite: str, branch: str, base: str, limit: int) -> MainReport:
    """The report of the base branch's latest run at or before the base. Never raises: without one nothing is excused.

    Args:
        branch: the base branch, without `refs/heads/`.
        base: full name of the commit that decides.
        limit: bytes of the report above which it is refused.
    """
    try:
        found = _latest(github, suite, branch, base)
        if found is None:
            return NOTHING
        artifact, run, newer = found
        if newer is not None:
            return MainReport(missing=_sentence(f"its run of {newer.commit[:7]} left no report"))
        data = artifacts.read_file(github, artifact, CANDIDATE, known={CANDIDATE}, limit=limit)
        if data is None:
            return MainReport(missing=_sentence(f"the artifact holds no {CANDIDATE}"))
        return MainReport(usable(data, f"{CANDIDATE} of {branch}", suite, limit), run.commit)
    except ApiError as error:
        if artifacts.may_not_read(error):
            return MainReport(missing=_sentence(f"the token may not read it; {artifacts.PERMISSION}"))
        return MainReport(missing=_sentence(error.message))
    except GateError as error:
        return MainReport(missing=_sentence(f"{error.where}: {error.message}" if error.where else error.message))


def usable(data: bytes, name: str, suite: str, limit: int) -> Report:
    """A report that may stand for main.

    Raises:
        ReportError: it can't be read, is not whole, or is of another suite; nothing may be excused by it then.
        BaselineError: it is a damaged baseline.
    """
    report = read_report(data, name, limit=limit)
    if report.source.format == "candidate" and report.suite != suite:
        raise ReportError(f"is of the suite `{report.suite:.60}`, not of `{suite}`", where=name, remedy=_REMEDY)
    if not report.completeness.complete:
        raise ReportError(f"is not whole: {report.completeness.reasons[0]:.300}", where=name, remedy=_REMEDY)
    if not report.cases:
        raise ReportError("measured nothing", where=name, remedy=_REMEDY)
    return report


_REMEDY = "give the report of a whole run of main"


def _latest(github: GitHub, suite: str, branch: str, base: str) -> tuple[Artifact, Run, Run | None] | None:
    """The artifact of the latest run that may be trusted, that run, and a later such run that left none."""
    candidates = [
        artifact
        for artifact in artifacts.list_artifacts(github, artifacts.name_for_main(suite))
        if artifact.of_own_branch and artifact.branch == branch
    ]
    for artifact in candidates[:_MOST_RUNS]:
        run = artifacts.read_run(github, artifact.run)
        if run.id != artifact.run or not _may_excuse(github, run, branch, base):
            continue
        return artifact, run, _later(github, run, branch, base)
    return None


def _later(github: GitHub, known: Run, branch: str, base: str) -> Run | None:
    """A run of the same workflow that ended later without a report: then main's latest run shows nothing."""
    later = [
        run
        for run in artifacts.runs_of(github, known.workflow, branch)
        if run.id > known.id and run.finished and run.conclusion not in _MEASURED_NOTHING
    ]
    return next((run for run in later[:_MOST_RUNS] if _may_excuse(github, run, branch, base)), None)


def _may_excuse(github: GitHub, run: Run, branch: str, base: str) -> bool:
    """Whether a run executed main's own code, as it stands in the history of the base."""
    own = run.repository == run.head_repository == github.repository.lower()
    return own and run.event in EVENTS and run.branch == branch and artifacts.is_ancestor(github, run.commit, base)


def _sentence(why: str) -> str:
    return f"main's own latest run excuses nothing: {why}"
