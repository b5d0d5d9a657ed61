"""`gate ci`: the whole sentence, from a pull request to one comment and an exit code."""

from __future__ import annotations

import os
import sys
from pathlib import Path

import click

from gate.cli.console import Console
from gate.cli.files import MODES, OUTPUT, VERDICT


@click.command(epilog="Example: gate ci --base origin/main -- tests/robustness")
@click.option(
    "--base", default=None, help="Branch or commit to compare with; of a branch that moved on, its merge base."
)
@click.option("--report", default=None, help="Candidate report of a run made elsewhere: compare only.")
@click.option(
    "--main-report", type=click.Path(path_type=Path), default=None, help="Report of a run of main, in a shell only."
)
@click.option("--mode", type=click.Choice(MODES), default=None, help="How calls of models are answered.")
@click.option("--suite", default=None, help="Name of the suite: its baseline and its comment.")
@click.option("--python", default=sys.executable, help="Interpreter of the suite; by default this one.")
@click.option("--comment", type=click.Choice(["always", "findings", "never"]), default=None, help="When to comment.")
@click.option(
    "--output", type=click.Path(path_type=Path), default=OUTPUT, show_default=True, help="Folder for what it writes."
)
@click.option(
    "--shard", metavar="K/N", default="", help="Measure part K of N and judge nothing; `gate merge` joins the parts."
)
@click.option(
    "--merged",
    type=click.Path(path_type=Path),
    default=None,
    help="Report that `gate merge` wrote: judge it, and confirm its suspects here.",
)
@click.argument("arguments", nargs=-1, type=click.UNPROCESSED)
@click.pass_obj
def ci(
    console: Console,
    /,
    base: str | None,
    main_report: Path | None,
    python: str,
    output: Path,
    shard: str,
    merged: Path | None,
    arguments: tuple[str, ...],
    **settings: str | None,
) -> int:
    """Run the suite with pytest ARGUMENTS, compare it with the baseline of the base commit, comment, decide.

    In GitHub Actions the pull request is read from the event, and `GITHUB_TOKEN` lets it comment. In a shell the base
    is the merge base with the default branch, or with what --base names, and the comment is printed. There too the
    base's settings and baseline decide; on the default branch itself the settings of the working tree do.

    With --shard one machine of several measures its part, asks its stochastic tests as the base's whole baseline says,
    and neither judges nor comments: `gate merge` joins the parts, and `gate ci --merged` judges what it wrote. That
    runs suspects alone, beside the base, as one machine would have done.

    Exit codes: 0 holds; 1 regression; 2 wrong usage or configuration; 3 could not decide; 4 internal error.
    """
    import shlex

    from gate.cli.shard import measure, of_merged
    from gate.cli.tools import local_tools
    from gate.cli.verdict_text import tell_where
    from gate.collaborators import Request
    from gate.pipeline import gate_pull_request

    chosen = {**settings, "arguments": shlex.join(arguments) or None}
    request = Request(
        root=Path.cwd(),
        environ=dict(os.environ),
        options={key: value for key, value in chosen.items() if value is not None},
        base=base,
        output=output,
        main_report=main_report,
        shard=shard,
        merged=merged,
    )
    tools = local_tools(console, python=python)
    if shard:
        return measure(console, request, tools)
    outcome = gate_pull_request(*of_merged(request, tools))
    tell_where(console, outcome.verdict, output / VERDICT.name)
    return outcome.exit_code
