"""`gate probes`: ask a coding agent, grade its answers in a cell, and score it in eight dimensions."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import click

from gate.cli.console import Console
from gate.cli.files import MODES, OUTPUT

FOLDER = OUTPUT / "probes"


def which(command: Any) -> Any:
    """Options that say which probes are meant."""
    for option in (
        click.option("--tag", "tags", multiple=True, help="Only probes with this tag; repeatable."),
        click.option("--only", multiple=True, metavar="ID", help="Only this probe, or this group; repeatable."),
        click.option("--scope", "scopes", multiple=True, help="Only probes within this claimed scope; repeatable."),
        click.option("--dimension", "dimensions", multiple=True, help="Only this dimension; repeatable."),
        click.option("--no-shipped", is_flag=True, help="Leave the shipped probes out."),
        click.option(
            "--probes",
            "folders",
            multiple=True,
            type=click.Path(path_type=Path),
            help="Folder or file with probes of your own; repeatable.",
        ),
    ):
        command = option(command)
    return command


def who(command: Any) -> Any:
    """Options that say which agent is meant."""
    for option in (
        click.option("--agent-version", default=None, help="Version of the agent, as you name it."),
        click.option("--model", default=None, help="Model that the agent is to use."),
        click.option("--home", default=None, help="Folder that is laid over the agent's HOME."),
        click.option("--agent-url", default=None, help="An API like OpenAI's chat completions."),
        click.option("--preset", default=None, help="A known command line: claude, codex, gemini, opencode, aider."),
        click.option("--agent-cmd", default=None, help="Command that asks the agent; {prompt} and others are filled."),
    ):
        command = option(command)
    return command


def scored(command: Any) -> Any:
    """Options of what is made of answers."""
    for option in (
        click.option(
            "--unsafe-no-sandbox", is_flag=True, help="Run everything with your own rights; marks the report."
        ),
        click.option("--date", default=None, help="Date that the report shows; by default today's."),
        click.option("--strict", is_flag=True, help="Exit with 1 where a hard gate fails."),
        click.option("--max-unscored", default=None, type=float, help="Share of answers that may be unscored."),
        click.option("--weights", default=None, help="Weights of dimensions, such as security=2,consistency=0.5."),
        click.option("--samples", default=None, type=click.IntRange(1, 100), help="How often each probe is asked."),
        click.option("--answers", default=None, type=click.Path(path_type=Path), help="File of recorded answers."),
        click.option(
            "--output",
            default=FOLDER,
            show_default=True,
            type=click.Path(path_type=Path),
            help="Folder for the candidate, the report and the exports.",
        ),
        click.option("--jobs", default=None, type=click.IntRange(1, 64), help="Probes at the same time."),
    ):
        command = option(command)
    return command


@click.group(epilog="Example: gate probes run --preset claude --dimension security")
def probes() -> None:
    """Probes of coding agents in eight dimensions (docs/probes.md).

    Exit codes: 0 done; 1 with --strict, a hard gate fails; 2 wrong usage; 3 something was not measured.
    """


@probes.command(epilog='Example: gate probes run --agent-cmd "my-agent --ask {prompt}" --mode record')
@click.option(
    "--mode",
    type=click.Choice(MODES),
    default=None,
    help="Ask (live), ask and keep (record), ask for what is missing (auto), or ask nobody (replay).",
)
@click.option("--rate", default=None, type=float, help="Most calls of the agent a minute.")
@click.option("--max-cost", default=None, type=float, help="USD of this run, from which on nothing more is asked.")
@scored
@who
@which
@click.pass_obj
def run(console: Console, /, **options: Any) -> int:
    """Ask the agent, grade what it answers in a cell, and write the candidate report that `gate ci` joins.

    A run that was broken off goes on where it stopped: the same command asks for what is missing.
    """
    from gate.cli.probes_run import run_probes

    return run_probes(console, options)


@probes.command(epilog="Example: gate probes score --weights security=2")
@click.option("--agent", "named", default=None, help="Whose answers, by name or digest, where several are recorded.")
@scored
@which
@click.pass_obj
def score(console: Console, /, **options: Any) -> int:
    """Grade recorded answers again, of one agent, without asking anybody."""
    from gate.cli.probes_run import run_probes

    return run_probes(console, {**options, "mode": "replay"})
