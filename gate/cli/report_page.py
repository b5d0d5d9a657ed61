"""The whole page of a verdict: with what stands beside it on this machine, and with main's last refreshes from git."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING

from gate.cli.files import CANDIDATE, local_settings, read_report_file
from gate.errors import GateError

if TYPE_CHECKING:
    from gate.baselines.git import Git
    from gate.render.trend import Refresh, Trend
    from gate.schema.report import Report
    from gate.schema.verdict import Verdict
    from gate.settings import Settings

ABSENT = "The trends come from git, and there is no repository here."


def whole_page(verdict: Verdict, path: Path, folder: Path) -> str:
    """The page as HTML. What can't be read beside the verdict is left out, and where it matters the page says so.

    Args:
        path: where the verdict stands; the candidate that it judged is looked for beside it.
        folder: of the settings and the repository.
    """
    from gate import render
    from gate.baselines.git import Git

    report = candidate_beside(path, verdict)
    trend = trend_of(verdict, report, lambda: local_settings(folder), lambda: Git(folder))
    return render.page(verdict, report=report, trend=trend)


def page_beside(
    path: Path, git: Callable[[], Git], root: Path, merged: Path | None = None
) -> Callable[[Verdict, Settings], str]:
    """What renders the page where a verdict is delivered, under the settings that decided.

    Args:
        path, git: as of `whole_page` and `trend_of`.
        root: folder in which the path of a report starts that is judged in the place of a run.
        merged: the joined report of shards, where that is judged.
    """
    from gate import render

    def page(verdict: Verdict, settings: Settings) -> str:
        named = settings.report or merged
        report = candidate_beside(path, verdict, root / named if named else None)
        return render.page(verdict, report=report, trend=trend_of(verdict, report, lambda: settings, git))

    return page


def candidate_beside(path: Path, verdict: Verdict, judged: Path | None = None) -> Report | None:
    """The report that a verdict judged; None where there is none, or where it is of another commit.

    Args:
        judged: the report, where it is known which; None takes the one that a run leaves beside the verdict.
    """
    from gate.settings import Settings

    beside = judged or path.with_name(CANDIDATE.name)
    if not beside.is_file():
        return None
    try:
        report = read_report_file(beside, Settings().max_report_bytes)
    except GateError:
        return None
    origin, commit = verdict.provenance, report.source.commit
    # a workflow measures GitHub's merge commit, and its verdict names the head of the pull request
    same = commit.startswith(origin.head) or not commit or origin.pull_request is not None
    return report if same else None


def trend_of(
    verdict: Verdict, report: Report | None, settings: Callable[[], Settings], git: Callable[[], Git]
) -> Trend:
    """The last refreshes of main's baseline up to the verdict's base, or to HEAD where that is not known here.

    Args:
        report: what was measured here; None where that is not known.
        settings, git: read where they are needed, since either may fail.
    """
    from gate.render.trend import Trend

    try:
        told, repository = settings(), git()
        base = repository.resolve(verdict.provenance.base) or repository.head()
        return _told(repository, told, base, report)
    except GateError as error:
        return Trend(note=ABSENT if "not a git repository" in error.message else f"No trends: {error.message}.")


def _told(git: Git, settings: Settings, base: str, report: Report | None) -> Trend:
    from gate.baselines.history import history
    from gate.baselines.places import baseline_path
    from gate.ingest import read_report
    from gate.render.trend import Trend, refresh_of

    found = history(git, git.prefix + baseline_path(settings), base, limit=settings.max_report_bytes)
    refreshes: list[Refresh] = []
    before: Report | None = None
    for each in found.kept:
        try:
            now = read_report(each.data, each.name, limit=settings.max_report_bytes)
        except GateError:
            continue  # of a version that this one does not read
        refreshes.append(refresh_of(now, before, commit=each.commit, when=each.when))
        before = now
    here = None if report is None or before is None else refresh_of(report, before)
    return Trend(tuple(refreshes), here, found.cut)
