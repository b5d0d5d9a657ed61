"""`gate run`: the suite as a child process, always with a report or a reason."""

from __future__ import annotations

import sys
from pathlib import Path

import click

from gate.cli.console import Console
from gate.cli.files import CANDIDATE, LOCAL, local_settings


@click.command(
    context_settings={"ignore_unknown_options": False},
    epilog="Example: gate run -- tests/robustness -n 2",
)
@click.option("--output", type=click.Path(path_type=Path), default=CANDIDATE, show_default=True)
@click.option("--python", default=sys.executable, help="Interpreter of the suite; by default this one.")
@click.option("--timeout", type=click.FloatRange(min=0, min_open=True), default=None, help="Seconds for the whole run.")
@click.option("--suite", default=None, help="Name of the suite.")
@click.argument("arguments", nargs=-1, type=click.UNPROCESSED)
@click.pass_obj
def run(
    console: Console, output: Path, python: str, timeout: float | None, suite: str | None, arguments: tuple[str, ...]
) -> int:
    """Run pytest with ARGUMENTS and write the candidate report.

    Ends with 0 once a complete report exists, whatever the tests said: only `gate ci` and `gate compare` judge.
    """
    import os

    from gate.cli.files import read_report_file
    from gate.cli.tools import echo
    from gate.errors import EXIT_HOLDS, EXIT_UNDECIDED
    from gate.pipeline import run_locally

    settings = local_settings(Path.cwd())
    changed = {"suite": suite or settings.suite, "timeout": timeout or settings.timeout}
    settings = settings.model_copy(update=changed)
    result = run_locally(
        settings,
        arguments,
        root=Path.cwd(),
        report=output,
        environ=os.environ,
        python=python,
        local=None if os.environ.get("CI") else LOCAL,
        echo=None if console.quiet else echo,
    )
    if result.report is None:
        console.error(result.reason, remedy="the output above is pytest's own")
        return EXIT_UNDECIDED
    report = read_report_file(output, settings.max_report_bytes)
    if result.warning:
        console.warn(result.warning)
    for reason in report.completeness.reasons:
        console.error(f"the run is not whole: {reason}")
    console.say(f"{len(report.cases):,} cases: {output}")
    return EXIT_HOLDS if report.completeness.complete else EXIT_UNDECIDED
