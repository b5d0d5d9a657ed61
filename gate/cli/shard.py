"""One part of a suite that several machines run: what `gate run --shard` and `gate ci --shard` have in common."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from gate.cli.console import Console
from gate.errors import EXIT_HOLDS, EXIT_UNDECIDED, UsageError

if TYPE_CHECKING:
    from gate.collaborators import Request, Tools
    from gate.schema.report import Report


def require_shard(text: str, *, alone: bool = True) -> None:
    """Refuse what names no shard, and what a part of a suite can't do.

    Args:
        alone: whether nothing is to be asked against a baseline or confirmed.

    Raises:
        UsageError: 0/8, 9/8, 3/0 or x/y, or `--against` or `--confirm` beside it.
    """
    from gate.record.sharding import shard_from_text

    shard_from_text(text)
    if not alone:
        raise UsageError(
            "a shard makes a fixed number of trials and confirms nothing",
            where="--shard",
            remedy="leave out --against and --confirm; `gate ci --shard` asks as the base's baseline says",
        )


def as_shard(report: Report) -> Report:
    """The report of one part, which is whole where that part is."""
    from gate.ingest.shards import ALONE

    reasons = tuple(reason for reason in report.completeness.reasons if not reason.endswith(ALONE))
    return replace(report, completeness=replace(report.completeness, reasons=reasons))


def of_merged(request: Request, tools: Tools) -> tuple[Request, Tools]:
    """What judges the joined parts of a suite, whatever report the settings name for other runs; else the same.

    Raises:
        UsageError: a report of a run made elsewhere beside it.
    """
    from gate.cli.trials import MOST_BYTES, TRIALS
    from gate.collaborators import with_merged

    merged = request.merged
    if merged is None:
        return request, tools
    if request.options.get("report"):
        raise UsageError(
            "--merged is a report of its own", where="--merged", remedy="leave out --report, which compares only"
        )
    request = replace(request, options={**request.options, "report": ""})
    return request, with_merged(tools, merged, merged.with_name(TRIALS), MOST_BYTES)


def measure(console: Console, request: Request, tools: Tools) -> int:
    """Measure one part of a pull request's suite; gives the exit code: 0 where that part is whole, else 3.

    Raises:
        UsageError: what names no shard, or a report of a run made elsewhere beside it.
    """
    from gate.cli.files import CANDIDATE
    from gate.ingest import read_report
    from gate.pipeline import measure_shard
    from gate.render.words import plural

    require_shard(request.shard)
    if request.options.get("report") or request.merged is not None:
        raise UsageError(
            "a shard measures, and --report and --merged are judged",
            where="--shard",
            remedy="leave one of them out",
        )
    path = request.output / CANDIDATE.name
    (request.root / path).unlink(missing_ok=True)  # what stands there was not measured by this machine
    measured = measure_shard(request, tools)
    for sentence in measured.notices:
        console.say(sentence)
    if measured.report is None:
        console.error(measured.reason, where=f"shard {request.shard}", remedy="mend that, and run this shard again")
        return EXIT_UNDECIDED
    report = as_shard(read_report(measured.report, str(path)))
    for reason in report.completeness.reasons:
        console.error(f"this shard is not whole: {reason}")
    console.say(f"shard {request.shard}, {plural(len(report.cases), 'case')}: {path}")
    return EXIT_HOLDS if report.completeness.complete else EXIT_UNDECIDED
