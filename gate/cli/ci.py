"""`gate ci`: the whole sentence, from a pull request to one comment and an exit code."""

from __future__ import annotations

import os
import sys
from pathlib import Path

import click

from gate.cli.console import Console
from gate.cli.files import OUTPUT


@click.command(epilog="Example: gate ci --base origin/main -- tests/robustness")
@click.option("--base", default=None, help="Commit to compare with; by default the event's, else the merge base.")
@click.option("--report", default=None, help="Candidate report of a run made elsewhere: compare only.")
@click.option("--suite", default=None, help="Name of the suite: its baseline and its comment.")
@click.option("--python", default=sys.executable, help="Interpreter of the suite; by default this one.")
@click.option("--comment", type=click.Choice(["always", "findings", "never"]), default=None)
@click.option("--output", type=click.Path(path_type=Path), default=OUTPUT, show_default=True)
@click.argument("arguments", nargs=-1, type=click.UNPROCESSED)
@click.pass_obj
def ci(
    console: Console,
    base: str | None,
    report: str | None,
    suite: str | None,
    python: str,
    comment: str | None,
    output: Path,
    arguments: tuple[str, ...],
) -> int:
    """Run the suite with pytest ARGUMENTS, compare it with the baseline of the base commit, comment, decide.

    In GitHub Actions the pull request is read from the event, and `GITHUB_TOKEN` lets it comment. In a shell the base
    is the merge base with the default branch, and the comment is printed.
    """
    import shlex

    from gate.cli.tools import local_tools
    from gate.pipeline import Request, gate_pull_request

    chosen = {"report": report, "suite": suite, "comment": comment, "arguments": shlex.join(arguments) or None}
    request = Request(
        root=Path.cwd(),
        environ=dict(os.environ),
        options={key: value for key, value in chosen.items() if value is not None},
        base=base,
        output=output,
    )
    return gate_pull_request(request, local_tools(console, python=python)).exit_code
