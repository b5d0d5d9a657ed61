"""`gate compare`: the verdict over any two report files."""

from __future__ import annotations

from pathlib import Path

import click

from gate.cli.console import Console
from gate.cli.files import local_settings, read_report_file
from gate.cli.verdict_text import FORMATS, verdict_text


@click.command(epilog="Example: gate compare baselines/default.jsonl candidate.json --format markdown")
@click.argument("baseline", type=click.Path(path_type=Path))
@click.argument("candidate", type=click.Path(path_type=Path))
@click.option("--format", "form", type=click.Choice(FORMATS), default="text", help="How to print the verdict.")
@click.option("--max-report-bytes", type=click.IntRange(min=1), default=None, help="Refuse larger files.")
@click.pass_obj
def compare(console: Console, baseline: Path, candidate: Path, form: str, max_report_bytes: int | None) -> int:
    """Compare CANDIDATE with BASELINE under the settings of this folder, and exit as `gate ci` would.

    Either file may be a candidate, a baseline, a pytest-json-report file or JUnit XML.
    """
    from gate.compare import compare as compare_reports
    from gate.schema.verdict import Provenance

    settings = local_settings(Path.cwd())
    limit = max_report_bytes or settings.max_report_bytes
    before = read_report_file(baseline, limit)
    after = read_report_file(candidate, limit)
    provenance = Provenance(
        suite=settings.suite,
        base=before.source.commit or baseline.name,
        head=after.source.commit or candidate.name,
        settings_from="this folder",
    )
    verdict = compare_reports(before, after, settings, provenance=provenance)
    console.result(verdict_text(verdict, form, console))
    return int(verdict.exit_code)
