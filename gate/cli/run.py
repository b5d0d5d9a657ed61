"""`gate run`: the suite as a child process, always with a report or a reason."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from gate.cli.console import Console, Echo
from gate.cli.files import CANDIDATE, LOCAL, MODES, local_settings

if TYPE_CHECKING:
    from gate.schema.report import Report
    from gate.settings import Settings


@click.command(
    context_settings={"ignore_unknown_options": False},
    epilog="Example: gate run -- tests/robustness -n 2",
)
@click.option(
    "--output", type=click.Path(path_type=Path), default=CANDIDATE, show_default=True, help="Where the report goes."
)
@click.option("--python", default=sys.executable, help="Interpreter of the suite; by default this one.")
@click.option("--timeout", type=click.FloatRange(min=0, min_open=True), default=None, help="Seconds for the whole run.")
@click.option("--mode", type=click.Choice(MODES), default=None, help="How calls of models are answered.")
@click.option("--suite", default=None, help="Name of the suite.")
@click.option("--mutate", is_flag=True, default=None, help="Also try mutants of prompts on the tests marked so.")
@click.option(
    "--against",
    is_flag=False,
    flag_value="",
    default=None,
    metavar="[BASELINE]",
    help="Ask stochastic tests trial by trial as `gate ci` does, against this baseline or the checkout's own.",
)
@click.option(
    "--confirm",
    is_flag=False,
    flag_value="",
    default=None,
    metavar="[BASE]",
    help="The same, and check suspects with fresh trials of a base beside: a commit, or the merge base.",
)
@click.option(
    "--rejudge",
    is_flag=False,
    flag_value="",
    default=None,
    metavar="[BASE]",
    help="Judge again what a base recorded, a commit or the merge base: only calls of judges are asked anew.",
)
@click.option("--shard", metavar="K/N", default="", help="Run only part K of N; `gate merge` joins their reports.")
@click.argument("arguments", nargs=-1, type=click.UNPROCESSED)
@click.pass_obj
def run(
    console: Console,
    /,
    output: Path,
    python: str,
    against: str | None,
    confirm: str | None,
    rejudge: str | None,
    shard: str,
    arguments: tuple[str, ...],
    **chosen: Any,
) -> int:
    """Run pytest with ARGUMENTS, or with those of the settings, and write the candidate report.

    A stochastic test makes a fixed number of trials (`baseline-trials`), a fair sample for the baseline. With --against
    or --confirm it makes as few as its baseline allows, and what they say is printed. With --rejudge the answers of a
    base are given again, and the report says what judges make of them now, for `gate compare --rejudged`.

    Ends with 0 once a complete report exists, whatever the tests said: only `gate ci` and `gate compare` judge.
    """
    import shlex

    from gate.cli.files import require_own_settings
    from gate.errors import EXIT_HOLDS, EXIT_UNDECIDED

    require_own_settings(Path.cwd(), "gate run", suite=True)
    if shard:
        from gate.cli.shard import require_shard

        require_shard(shard, alone=against is None and confirm is None)
    own = shlex.join(arguments) or None
    settings = local_settings(Path.cwd(), {**chosen, "arguments": own})
    if rejudge is not None:
        from gate.cli.rejudge import run_rejudge

        return run_rejudge(console, settings, output, python, rejudge, alone=not (against or confirm or shard))
    if against is None and confirm is None:
        report = _sample(console, settings, output, python, shard)
    else:
        from gate.cli.against import Against, run_against

        report = run_against(console, settings, Against(output, python, against or "", confirm))
    if report is None:
        return EXIT_UNDECIDED
    if shard:
        from gate.cli.shard import as_shard

        report = as_shard(report)
    _tell(console, report, output, settings)
    return EXIT_HOLDS if report.completeness.complete else EXIT_UNDECIDED


def _sample(console: Console, settings: Settings, output: Path, python: str, shard: str) -> Report | None:
    """Run the suite with a fixed number of trials; None, and the reason on the console, where it left no report."""
    import os

    from gate.cli.files import commit_here
    from gate.cli.suite import own_witnesses, report_of, said_of_overlay, said_of_witnesses, session_name
    from gate.cli.tools import told_guard
    from gate.record.locally import as_meant, fixed_plan, guard_for, run_locally

    settings = as_meant(settings, os.environ)
    guard, commit = guard_for(settings), commit_here(Path.cwd(), os.environ)
    result = run_locally(
        settings,
        root=Path.cwd(),
        report=output,
        environ=os.environ,
        python=python,
        local=None if os.environ.get("CI") else LOCAL,
        echo=None if console.quiet else Echo(),
        commit=commit,
        plan=fixed_plan(settings, session_name(commit, settings.mode)),
        witnesses=own_witnesses(settings),
        guard=guard,
        shard=shard,
    )
    for sentence in told_guard(settings, guard):
        console.say(sentence)
    for sentence in said_of_overlay(settings, Path.cwd(), os.environ):
        console.warn(sentence)
    if result.report is None:
        printed = "the output above is pytest's own" if result.tail and not console.quiet else ""
        console.error(result.reason, remedy=printed or "mend that, and run it again")
        return None
    report = report_of(result, output, settings)
    for sentence in filter(None, (result.warning, said_of_witnesses(output))):
        console.warn(sentence)
    return report


def _tell(console: Console, report: Report, output: Path, settings: Settings) -> None:
    import os

    from gate.baselines.measured import uncommitted
    from gate.cli.suite import said_of_missing
    from gate.record.locally import as_meant
    from gate.render.words import plural

    for reason in report.completeness.reasons:
        console.error(f"the run is not whole: {reason}")
    missing = said_of_missing(output, as_meant(settings, os.environ))
    for sentence in (*uncommitted(report.source.commit), *filter(None, (missing,))):
        console.warn(sentence)
    console.say(f"{plural(len(report.cases), 'case')}: {output}")
