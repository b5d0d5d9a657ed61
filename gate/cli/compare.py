"""`gate compare`: the verdict over any two report files."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

import click

from gate.cli.console import Console
from gate.cli.files import OUTPUT, VERDICT, forget_verdict, local_settings, read_report_file, require_own_settings
from gate.cli.verdict_text import FORMATS, tell_where, verdict_text
from gate.errors import GateError, UsageError

if TYPE_CHECKING:
    from gate.schema.report import Report
    from gate.schema.verdict import Verdict


@click.command(epilog="\b\nExample: gate compare baselines/default.jsonl candidate.json --format markdown")
@click.argument("baseline", type=click.Path(path_type=Path))
@click.argument("candidate", type=click.Path(path_type=Path))
@click.option(
    "--rejudged",
    type=click.Path(path_type=Path),
    default=None,
    help="What `gate run --rejudge` wrote: says which part of a regression is a changed judge's.",
)
@click.option("--format", "form", type=click.Choice(FORMATS), default="text", help="How to print the verdict.")
@click.option(
    "--output",
    type=click.Path(path_type=Path),
    default=OUTPUT,
    show_default=True,
    help="Folder for the verdict, which `gate show` and `gate report` read.",
)
@click.option(
    "--waivers",
    type=click.Path(path_type=Path),
    default=None,
    help="File of waivers; default: baselines/waivers.toml of this folder.",
)
@click.option("--no-waivers", is_flag=True, help="Excuse nothing.")
@click.option(
    "--max-report-bytes",
    type=click.IntRange(min=1),
    default=None,
    help="Refuse larger files; default: the settings'.",
)
@click.pass_obj
def compare(  # noqa: PLR0913, PLR0917  one for each option
    console: Console,
    /,
    baseline: Path,
    candidate: Path,
    rejudged: Path | None,
    form: str,
    output: Path,
    waivers: Path | None,
    no_waivers: bool,
    max_report_bytes: int | None,
) -> int:
    """Compare CANDIDATE with BASELINE under the settings and waivers of this folder, and exit as `gate ci` would.

    Either file may be a candidate, a baseline, a pytest-json-report file or JUnit XML.
    """
    from gate.baselines.measured import uncommitted
    from gate.cli.waived import permissions_for
    from gate.compare import compare as compare_reports
    from gate.schema.acceptance import Permissions
    from gate.schema.changes import Changes
    from gate.schema.verdict import Provenance

    require_own_settings(Path.cwd(), "gate compare …")
    if waivers is not None and no_waivers:
        raise UsageError("either waivers or none", where="--no-waivers", remedy="leave one of the two out")
    settings = local_settings(Path.cwd())
    limit = max_report_bytes or settings.max_report_bytes
    before = read_report_file(baseline, limit)
    after = read_report_file(candidate, limit)
    again = None if rejudged is None else _rejudged(rejudged, limit)
    forget_verdict(output)
    provenance = Provenance(
        suite=settings.suite,
        base=before.source.commit or baseline.name,
        head=after.source.commit or candidate.name,
        settings_from="this folder",
        mode="",  # a report does not say how its calls were answered
    )
    permissions = Permissions() if no_waivers else permissions_for(waivers)
    verdict = compare_reports(
        before,
        after,
        settings,
        changes=Changes(asked=False),
        provenance=provenance,
        permissions=permissions,
        again=again,
    )
    verdict = replace(verdict, notices=(*verdict.notices, *uncommitted(after.source.commit)))
    _store(console, verdict, output)
    console.result(verdict_text(verdict, form, console))
    return int(verdict.exit_code)


def _rejudged(path: Path, limit: int) -> Report:
    report = read_report_file(path, limit, by="`gate run --rejudge`")
    if report.rejudged is None:
        raise UsageError("no stored answers were judged again", where=str(path), remedy="use `gate run --rejudge`")
    return report


def _store(console: Console, verdict: Verdict, folder: Path) -> None:
    """Keep the verdict for `gate show`; where it can't be kept, it is printed all the same."""
    from gate.baselines.write import write_atomically
    from gate.render import verdict_json

    path = folder / VERDICT.name
    try:
        write_atomically(path, verdict_json(verdict).encode("utf-8", "replace"))
    except GateError as error:
        console.warn(f"the verdict is not kept, so `gate show` can't show it: {error.where}: {error.message}")
        return
    tell_where(console, verdict, path)
