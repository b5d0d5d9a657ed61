"""`gate fork-verdict`: the second step of a fork's pull request, in a workflow of the default branch."""

from __future__ import annotations

import os
from pathlib import Path

import click

from gate.cli.console import Console
from gate.cli.files import OUTPUT


@click.command(epilog="Example: gate fork-verdict --suite default")
@click.option("--run", "number", type=click.IntRange(min=1), default=None, help="By default the one of the event.")
@click.option(
    "--workflow", default="robustness.yml", show_default=True, help="Workflow file whose runs measure pull requests."
)
@click.option("--suite", default=None, help="Name of the suite: its baseline, its artifact and its comment.")
@click.option("--mirror", is_flag=True, help="Publish the check for runs of the repository itself too, as they ended.")
@click.option("--comment", type=click.Choice(["always", "findings", "never"]), default=None, help="When to comment.")
@click.option(
    "--output", type=click.Path(path_type=Path), default=OUTPUT, show_default=True, help="Folder for what it writes."
)
@click.pass_obj
def fork_verdict(
    console: Console, /, number: int | None, workflow: str, mirror: bool, output: Path, **settings: str | None
) -> int:
    """Judge the report that a fork's run left: comment, publish a check run, decide.

    For a workflow on `workflow_run` that has the default branch checked out with `fetch-depth: 0`. The artifact is
    hostile data; nothing of it is run. Settings and baseline are the base's. GITHUB_TOKEN must be able to read actions,
    and to write checks and pull requests.

    Exit codes: 0 holds, or there is nothing to judge (own branch, closed, a newer commit); 1 regression; 2 wrong usage
    or configuration; 3 could not decide; 4 internal error.
    """
    from gate.cli.fork_tools import Judge

    chosen = {key: value for key, value in settings.items() if value is not None}
    here = Path.cwd()
    judge = Judge(console, dict(os.environ), here, workflow=workflow, chosen=chosen, output=output, mirror=mirror)
    return judge.run(number)
