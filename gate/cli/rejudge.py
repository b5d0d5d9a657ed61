"""`gate run --rejudge`: what a base recorded, judged by the judges of this checkout."""

from __future__ import annotations

import os
import tempfile
from pathlib import Path
from typing import TYPE_CHECKING

from gate.cli.console import Console, Echo
from gate.cli.files import CANDIDATE, commit_here
from gate.errors import UsageError

if TYPE_CHECKING:
    from gate.cli.purse import Purse
    from gate.collaborators import Measured, Request, Told
    from gate.settings import Settings

REJUDGED = CANDIDATE.with_name("rejudged.json")


def run_rejudge(console: Console, settings: Settings, output: Path, python: str, base: str, *, alone: bool) -> int:
    """Give the answers of a base again, let judges judge them, and write the report.

    Args:
        output: where the report goes; `REJUDGED` in the place of the default.
        base: commit or branch; empty for the merge base.
        alone: whether no other manner of running was asked for.

    Returns:
        The exit code: 0 once every test came to a result, 3 where something could not be judged again.
    """
    from gate.cli import tools
    from gate.collaborators import Request, Told
    from gate.errors import EXIT_HOLDS, EXIT_UNDECIDED
    from gate.ingest import read_report
    from gate.record.locally import fixed_plan
    from gate.schema.rejudged import NO_RUN

    if not alone:
        raise UsageError("--rejudge runs alone", remedy="leave out --against, --confirm and --shard")
    request = Request(Path.cwd(), os.environ, base=base or None, output=output.parent)
    found_base = tools.told_base(console, tools.find_base(tools.git_of(request), request, None))
    told = Told(fixed_plan(settings, "judged again"), again=True, rejudge=found_base.commit)
    measured = tools.local_tools(console, python=python).measure(request, settings, told)
    if measured.report is None:
        console.error(measured.reason, remedy="mend that, and run it again")
        return EXIT_UNDECIDED
    from gate.baselines.write import write_atomically

    path = REJUDGED if output == CANDIDATE else output
    write_atomically(path, measured.report)
    report = read_report(measured.report, str(path), limit=settings.max_report_bytes)
    counts = report.rejudged
    missing = [case.id for case in report.cases if case.calls is not None and case.calls.missing]
    reasons = [each for each in report.completeness.reasons if each != NO_RUN]
    for reason in [*reasons, *(f"{name} asked for what is not stored" for name in missing)]:
        console.error(f"not judged again: {reason}")
    if counts is not None:
        console.say(
            f"{counts.answers:,} stored answers, {counts.judge_live:,} live and {counts.judge_replayed:,} replayed "
            f"calls of judges: {path}"
        )
    return EXIT_UNDECIDED if reasons or missing else EXIT_HOLDS


def measure_again(
    console: Console, request: Request, settings: Settings, told: Told, python: str, purse: Purse
) -> Measured:
    """What the judges of this checkout make of the answers that a commit recorded.

    It stands in a folder of its own: what the run of the suite left beside its report stays.

    Raises:
        UndecidedError: the commit has no recordings.
    """
    from gate.cli.recordings_at import stored_answers
    from gate.cli.tools import git_of, measured
    from gate.record.locally import run_locally
    from gate.sandbox.worlds import read_left

    with tempfile.TemporaryDirectory(prefix="gate-again-") as place:
        report = Path(place) / "run" / CANDIDATE.name
        result = run_locally(
            settings,
            root=request.root,
            report=report,
            environ=request.environ,
            python=python,
            echo=None if console.quiet else Echo(),
            commit=commit_here(request.root, request.environ),
            plan=told.plan,
            spent=purse.book,
            again=True,
            rejudge=stored_answers(git_of(request), told.rejudge, settings, request.root, Path(place) / "answers"),
        )
        purse.take(report.parent, read_left)
        return measured(result, settings)
