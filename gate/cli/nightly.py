"""`gate nightly`: main judged against its own baseline, and one issue a suite that tells of it."""

from __future__ import annotations

import os
import sys
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

import click

from gate.cli.console import Console
from gate.cli.files import MODES, OUTPUT
from gate.errors import EXIT_HOLDS, EXIT_REGRESSION, EXIT_UNDECIDED, EXIT_USAGE, GateError, UsageError

if TYPE_CHECKING:
    from gate.collaborators import Request, Tools
    from gate.deliver.event import Event
    from gate.schema.verdict import Finding, Verdict
    from gate.settings import Settings

EVENTS = frozenset({"schedule", "push", "workflow_dispatch"})
"""Events that propose nothing."""


@click.command(epilog="Example: gate nightly --suite default")
@click.option("--report", default=None, help="Candidate report of a run made elsewhere: compare only.")
@click.option("--again", default=None, help="Report of a second such run, which confirms the first.")
@click.option("--mode", type=click.Choice(MODES), default=None, help="How calls of models are answered.")
@click.option("--suite", default=None, help="Name of the suite: its baseline and its issue.")
@click.option("--python", default=sys.executable, help="Interpreter of the suite; by default this one.")
@click.option(
    "--output", type=click.Path(path_type=Path), default=OUTPUT, show_default=True, help="Folder for what it writes."
)
@click.argument("arguments", nargs=-1, type=click.UNPROCESSED)
@click.pass_obj
def nightly(
    console: Console,
    /,
    again: str | None,
    python: str,
    output: Path,
    arguments: tuple[str, ...],
    **settings: str | None,
) -> int:
    """Run the suite on main with pytest ARGUMENTS, compare it with the baseline there, and keep one issue up to date.

    For workflows on a schedule, a push to main or by hand, with `issues: write`. What got worse is confirmed by a
    second run, or by the run before (`nightly-confirm`), before an issue is opened; one that is open is updated, and
    closed with a comment once main holds. What could not be judged is told apart, and is no regression. The baseline is
    never changed.

    Each stochastic test is decided against the baseline, since fresh trials of main would compare main with itself.

    Exit codes: 0 holds, or was worse once and not again; 1 regression; 2 wrong usage; 3 could not decide; 4 internal.
    """
    import shlex

    from gate.cli.tools import local_tools, read_event
    from gate.collaborators import Request

    chosen = {**settings, "arguments": shlex.join(arguments) or None, "confirm": "off", "comment": "never"}
    request = Request(
        root=Path.cwd(),
        environ=dict(os.environ),
        options={key: value for key, value in chosen.items() if value is not None},
        output=output,
    )
    event = read_event(request)
    if event is not None and event.name not in EVENTS:
        raise UsageError(
            f"`{event.name}` proposes a change, and main is judged here",
            where="workflow",
            remedy="start `gate nightly` on `schedule`, `push` to main or `workflow_dispatch`, and `gate ci` otherwise",
        )
    return judge_main(console, request, event, local_tools(console, python=python), again=again)


def judge_main(
    console: Console, request: Request, event: Event | None, tools: Tools, *, again: str | None = None
) -> int:
    """Judge main, once more where it got worse, and tell of it; gives the exit code of what was confirmed.

    Args:
        again: report of a second run, where the first was made elsewhere.
    """
    first = _verdict(request, tools)
    settings = _settings(request)
    if event is None and int(first.would_exit) == EXIT_USAGE:
        _tell(console, request, event, first, settings)  # no second run mends a folder that is no repository
        return int(first.exit_code)
    if int(first.would_exit) and settings.nightly_confirm == "two-nights" and event is not None:
        found = _with_the_run_before(console, request, event, first)
        if isinstance(found, int):
            return found
        first = found
    if int(first.would_exit) and settings.nightly_confirm == "rerun":
        how = "does not hold" if int(first.would_exit) == EXIT_REGRESSION else "could not be judged"
        console.say(f"main {how}; running once more to confirm it")
        second = (
            replace(request, options={**request.options, "report": again}) if settings.report and again else request
        )
        if settings.report and not again:
            console.warn("a single report confirms nothing: give the report of a second run with --again")
            return int(first.exit_code)
        other = _verdict(second, tools)
        both = confirmed(first, other)
        if both is None:
            console.result("main did not hold once and not again in the same way: nothing is told of it")
            return EXIT_UNDECIDED if int(other.would_exit) else 0
        first = both
    _tell(console, request, event, first, settings)
    return int(first.exit_code)


def _with_the_run_before(console: Console, request: Request, event: Event, now: Verdict) -> Verdict | int:
    """What the run before this one showed too; else the exit code, since nothing is told of it."""
    from gate.cli.tools import client
    from gate.deliver.earlier_night import verdict_before

    github = client(request, event)
    if github is None:
        console.warn("the run before this one can't be asked: there is no token (GITHUB_TOKEN, with `actions: read`)")
        return EXIT_UNDECIDED
    try:
        before = verdict_before(github, now.provenance.suite, event.run_id)
    except GateError as error:
        console.error(f"the run before this one can't be read: {error.message}", where=error.where, remedy=error.remedy)
        return EXIT_UNDECIDED
    found = None if before is None else confirmed(before, now)
    if found is not None:
        return found
    missing = "the run before this one left no verdict" if before is None else "the run before did not show it"
    console.result(f"main does not hold, and {missing}: a second such run in a row will tell of it")
    return EXIT_HOLDS if int(now.would_exit) == EXIT_REGRESSION else EXIT_UNDECIDED


def confirmed(first: Verdict, again: Verdict) -> Verdict | None:
    """What both runs show: the second verdict with the findings of both; None where they share nothing that fails.

    Two runs that could not be judged confirm each other, whatever their reasons are.
    """
    if int(first.would_exit) != int(again.would_exit):
        return None
    if int(again.would_exit) != 1:
        return again
    before = {_about(finding) for finding in first.failing}
    both = tuple(finding for finding in again.findings if _about(finding) in before)
    kept = replace(again, findings=both)
    return kept if kept.failing else None


def _about(finding: Finding) -> tuple[str, str]:
    return finding.rule.value, finding.case_id


def _verdict(request: Request, tools: Tools) -> Verdict:
    """The verdict of a run; what can't be judged is one too."""
    from gate.pipeline import gate_pull_request
    from gate.schema.verdict import ExitCode, Problem, Provenance, Verdict

    try:
        return gate_pull_request(request, tools).verdict
    except GateError as error:
        code = ExitCode(error.exit_code)
        suite = str(request.options.get("suite") or _settings(request).suite)
        problem = Problem(error.message, error.where, error.remedy)
        origin = Provenance(suite=suite, head=request.environ.get("GITHUB_SHA", ""))
        return Verdict(exit_code=code, would_exit=code, provenance=origin, problem=problem)


def _settings(request: Request) -> Settings:
    from gate.cli.files import local_settings

    return local_settings(request.root, request.options)


def _tell(console: Console, request: Request, event: Event | None, verdict: Verdict, settings: Settings) -> None:
    from gate.cli.tools import client
    from gate.deliver.hide import hidden, secrets
    from gate.deliver.rolling_issue import tell_main

    if verdict.problem is not None:
        console.error(verdict.problem.message, where=verdict.problem.where, remedy=verdict.problem.remedy)
    github = client(request, event)
    if event is None or github is None:
        if event is not None:
            console.warn("no issue: there is no token (GITHUB_TOKEN, with `issues: write`)")
        return
    told = tell_main(github, hidden(verdict, secrets(request.environ, settings.token)), order=event.run_id)
    if told.warning:
        console.warn(told.warning)
    if told.done:
        console.result(f"issue {told.done}: {told.url}")
