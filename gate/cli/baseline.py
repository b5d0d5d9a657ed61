"""`gate baseline`: create, adopt, refresh, show and diff the committed baseline."""

from __future__ import annotations

import os
import sys
from pathlib import Path
from typing import TYPE_CHECKING

import click

from gate.cli.baseline_files import chosen, commit_of, joined, keep_witnesses, previous, write
from gate.cli.baseline_floor import floor
from gate.cli.console import Console
from gate.cli.files import (
    OUTPUT,
    commit_here,
    local_settings,
    read_report_file,
)
from gate.cli.shard_durations import keep_durations
from gate.errors import EXIT_HOLDS, EXIT_REGRESSION, BaselineError, UsageError

if TYPE_CHECKING:
    from gate.baselines.create import Created
    from gate.baselines.refresh import Prepared
    from gate.schema.report import Report
    from gate.settings import Settings

_SUITE = click.option("--suite", default=None, help="Name of the suite; by default the settings' own.")
_OUTPUT = click.option(
    "--output",
    type=click.Path(path_type=Path),
    default=None,
    help="Where the baseline is; by default the settings' own, else baselines/<suite>.jsonl.",
)
_FORCE = click.option(
    "--force-incomplete",
    "force",
    metavar="REASON",
    default="",
    help="Use a run that is not whole, or in which nothing passes; stores the reason.",
)
_COMMIT = click.option("--commit", default=None, help="Commit that was measured; by default the report's, else HEAD.")
_OF_SETTINGS = "(settings)"
"""In place of a folder: that which the settings name."""
_FORMAT = click.option(
    "--format",
    "form",
    type=click.Choice(["text", "markdown"]),
    default="text",
    show_default=True,
    help="How to print what changed.",
)


@click.group(epilog="Example: gate baseline create -- tests/robustness")
def baseline() -> None:
    """Create, adopt, refresh, show or diff the baseline.

    Exit codes: 0 done; 1 `refresh --check` would change the file; 2 wrong usage; 3 a report or baseline can't be used.
    """


@baseline.command(
    short_help="Run the suite several times and write a first baseline.",
    epilog="Example: gate baseline create --runs 5 -- tests/robustness",
)
@click.option("--runs", type=click.IntRange(min=1, max=10), default=5, show_default=True, help="Runs of each test.")
@click.option("--python", default=sys.executable, help="Interpreter of the suite; by default this one.")
@click.option("--replace", is_flag=True, help="Replace the baseline that exists.")
@_SUITE
@_OUTPUT
@_FORCE
@click.argument("arguments", nargs=-1, type=click.UNPROCESSED)
@click.pass_obj
def create(
    console: Console,
    runs: int,
    python: str,
    replace: bool,
    suite: str | None,
    output: Path | None,
    force: str,
    arguments: tuple[str, ...],
) -> int:
    """Run the suite several times with pytest ARGUMENTS, or with those of the settings, and write a first baseline.

    Lists the tests that vary with the marker that each needs. Failing tests enter the baseline as failing.
    """
    from gate.baselines.create import create as create_baseline
    from gate.baselines.refresh import adopt as prepare

    settings, path = chosen("create", suite, output, arguments)
    if path.exists() and not replace:
        raise UsageError(
            "a baseline exists already",
            where=str(path),
            remedy="`gate baseline refresh REPORT` keeps its history; --replace starts again",
        )
    measured = commit_here(Path.cwd(), os.environ)
    commit = commit_of(console, measured)

    def run(number: int) -> Report:
        console.say(f"run {number} of {runs}")
        return _run_suite(settings, python, number, measured)

    created = create_baseline(run, runs=runs, session=commit[:7], force=force)
    prepared = prepare(created.report, commit, force=created.report.forced, sessions=settings.baseline_sessions)
    write(console, path, prepared, measured)
    keep_witnesses(console, path, OUTPUT, created.report, settings)
    keep_durations(console, path, OUTPUT / f"create-{runs}.json", settings)
    console.result(_story(created, runs))
    return EXIT_HOLDS


@baseline.command(
    short_help="Take a report as the accepted state.", epilog="Example: gate baseline adopt .gate/candidate.json"
)
@click.argument("report", type=click.Path(path_type=Path))
@click.option("--restart", multiple=True, metavar="ID", help="Count this case's trials from here on; repeatable.")
@_SUITE
@_OUTPUT
@_FORCE
@_COMMIT
@_FORMAT
@click.pass_obj
def adopt(
    console: Console,
    report: Path,
    restart: tuple[str, ...],
    suite: str | None,
    output: Path | None,
    force: str,
    commit: str | None,
    form: str,
) -> int:
    """Take REPORT, for example the candidate of a pull request that is merged, as the accepted state.

    The trials of cases that changed start again; a stochastic one changed where its trials show another rate. Only what
    the default branch holds decides, so run this there, and after the merge: a baseline that is ahead of its code turns
    every branch red.
    """
    from gate.baselines.refresh import adopt as prepare

    settings, path = chosen("adopt …", suite, output)
    candidate = joined(read_report_file(report, settings.max_report_bytes), settings, report)
    current, before = previous(path, settings)
    prepared = prepare(
        candidate,
        commit_of(console, commit or candidate.source.commit),
        previous=before,
        current=current,
        restart=restart,
        force=force,
        sessions=settings.baseline_sessions,
    )
    write(console, path, prepared, candidate.source.commit)
    keep_witnesses(console, path, report.parent, candidate, settings)
    keep_durations(console, path, report, settings)
    console.result(_difference(prepared, form))
    return EXIT_HOLDS


@baseline.command(
    short_help="Bring the baseline up to a run on main.",
    epilog="Example: gate baseline refresh .gate/candidate.json --format markdown",
)
@click.argument("report", type=click.Path(path_type=Path))
@click.option("--check", is_flag=True, help="Write nothing; exit with 1 if the baseline would change.")
@click.option(
    "--recordings",
    type=click.Path(path_type=Path),
    is_flag=False,
    flag_value=_OF_SETTINGS,
    default=None,
    help="Also say how pass rates and the answers in this folder changed; by itself, in that of the settings. Where "
    "there is no such folder, nothing more.",
)
@click.option(
    "--before", default="HEAD", show_default=True, help="Commit or folder with the answers so far, for --recordings."
)
@_SUITE
@_OUTPUT
@_FORCE
@_COMMIT
@_FORMAT
@click.pass_obj
def refresh(  # noqa: PLR0913  the options of a command
    console: Console,
    /,
    report: Path,
    *,
    check: bool,
    recordings: Path | None,
    before: str,
    suite: str | None,
    output: Path | None,
    force: str,
    commit: str | None,
    form: str,
) -> int:
    """Bring the baseline up to REPORT, a run on main, keep its history, and print what changed.

    Trials of a replay count once: given again, the same answers are no new ones. Where the setting `anchor` names a tag
    and more was lost since than its limit, nothing is written, and the exit code is 1.
    """
    from gate.baselines.refresh import refresh as prepare
    from gate.cli.anchor import refuse_loss
    from gate.cli.recordings import of_settings
    from gate.cli.refreshed import answers, told

    recordings = of_settings() if recordings == Path(_OF_SETTINGS) else recordings
    settings, path = chosen("refresh …", suite, output)
    candidate = joined(read_report_file(report, settings.max_report_bytes), settings, report)
    current, known = previous(path, settings)
    measured = commit_of(console, commit or candidate.source.commit)
    prepared = prepare(
        candidate,
        measured,
        previous=known,
        current=current,
        force=force,
        sessions=settings.baseline_sessions,
    )
    refuse_loss(console, prepared, path, settings)
    found = None if recordings is None else answers(recordings, before)
    if not check:
        write(console, path, prepared, candidate.source.commit)
        keep_witnesses(console, path, report.parent, candidate, settings)
        _prune_waivers(console, candidate, known, path, settings)
        keep_durations(console, path, report, settings)
    console.result(told(prepared.entries, form, known, candidate, found))
    return EXIT_REGRESSION if check and prepared.changed else EXIT_HOLDS


@baseline.command(short_help="List what is accepted.", epilog="Example: gate baseline show")
@_SUITE
@_OUTPUT
@click.option("--limit", type=click.IntRange(min=1), default=200, show_default=True, help="Most cases to list.")
@click.pass_obj
def show(console: Console, suite: str | None, output: Path | None, limit: int) -> int:
    """List the cases of the baseline with outcome, trials, metrics, predictions, and the commit of the last change."""
    from gate.baselines.table import as_table

    settings, path = chosen("show", suite, output)
    _, found = previous(path, settings)
    if found is None:
        raise BaselineError(
            "there is no baseline", where=str(path), remedy="`gate baseline create` or `gate baseline adopt REPORT`"
        )
    console.result(as_table(found, limit=limit))
    return EXIT_HOLDS


@baseline.command(
    short_help="Say what differs between two baselines.",
    epilog="Example: gate baseline diff baselines/default.jsonl .gate/candidate.json",
)
@click.argument("before", type=click.Path(path_type=Path))
@click.argument("after", type=click.Path(path_type=Path))
@_FORMAT
@click.pass_obj
def diff(console: Console, before: Path, after: Path, form: str) -> int:
    """Say what differs between two baselines, or a baseline and a report. It judges nothing: `gate compare` does."""
    from gate.baselines.difference import as_markdown, as_text, difference

    limit = local_settings(Path.cwd()).max_report_bytes
    old, new = read_report_file(before, limit), read_report_file(after, limit)
    entries = difference(old, new)
    console.result(as_markdown(entries) if form == "markdown" else as_text(entries))
    return EXIT_HOLDS


def _prune_waivers(console: Console, candidate: Report, known: Report | None, path: Path, settings: Settings) -> None:
    from gate.cli.waived import prune

    _, after = previous(path, settings)
    if after is not None:
        prune(console, candidate, known, after, settings)


def _run_suite(settings: Settings, python: str, number: int, commit: str) -> Report:
    from gate.cli.suite import own_witnesses, run_for_baseline

    report = OUTPUT / f"create-{number}.json"
    found = run_for_baseline(settings, python, report, commit, name=f"run {number}", witnesses=own_witnesses(settings))
    return joined(found, settings, report)


def _difference(prepared: Prepared, form: str) -> str:
    from gate.baselines.difference import as_markdown, as_text

    return as_markdown(prepared.entries) if form == "markdown" else as_text(prepared.entries)


def _story(created: Created, runs: int) -> str:
    from gate.baselines.table import as_story

    return as_story(created, runs)


baseline.add_command(floor)
