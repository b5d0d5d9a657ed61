"""`gate probes`: ask a coding agent, grade its answers in a cell, and score it in eight dimensions."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import click

from gate.cli.console import Console
from gate.cli.files import MODES, OUTPUT
from gate.schema.dimensions import Dimension

DIMENSIONS = tuple(dimension.value for dimension in Dimension)
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
            help="Folder or file with probes of your own, or git+URL of their repository; repeatable.",
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
        click.option("--unsafe-no-sandbox", is_flag=True, help="Run all with your own rights; marks the report."),
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


@probes.command(epilog="Example: gate probes run --preset claude --mode record")
@click.option(
    "--mode",
    type=click.Choice(MODES),
    default=None,
    help="Ask (live), ask and keep (record), ask for what is missing (auto), or ask nobody (replay).",
)
@click.option("--forget-others", is_flag=True, help="Keep recorded answers of this agent and of main's alone.")
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


@probes.command("list", epilog="Example: gate probes list --dimension security")
@click.option("--json", "as_json", is_flag=True, help="Everything about each, as JSON.")
@which
@click.pass_obj
def list_(console: Console, /, **options: Any) -> int:
    """List the probes that a run would ask."""
    from gate.cli.probes_catalog import list_probes

    return list_probes(console, options)


@probes.command(epilog="Example: gate probes lint --self-test probes/")
@click.option("--self-test", is_flag=True, help="Also prove that each reference answer passes and each bad one fails.")
@click.option("--unsafe-no-sandbox", "unsafe", is_flag=True, help="Run the code of answers with your own rights.")
@click.argument("folders", nargs=-1, type=click.Path(path_type=Path))
@click.pass_obj
def lint(console: Console, /, self_test: bool, unsafe: bool, folders: tuple[Path, ...]) -> int:
    """Check probes in FOLDERS, or those of the settings, else the shipped ones; 1 where something is to be mended."""
    from gate.cli.probes_catalog import lint_probes

    return lint_probes(console, folders, self_test=self_test, unsafe=unsafe)


@probes.command(epilog="Example: gate probes new invoice-total --dimension adversarial-correctness --output probes")
@click.argument("name")
@click.option("--dimension", required=True, type=click.Choice(DIMENSIONS), help="What it is to count for.")
@click.option(
    "--output", default=Path("probes"), show_default=True, type=click.Path(path_type=Path), help="Folder of probes."
)
@click.pass_obj
def new(console: Console, /, name: str, dimension: str, output: Path) -> int:
    """Write a probe under the id NAME to start from."""
    from gate.cli.probes_catalog import new_probe

    return new_probe(console, name, dimension, output)


def by_hand(command: Any) -> Any:
    """Options of agents that a person drives."""
    for option in (
        click.option("--unsafe-no-sandbox", "unsafe", is_flag=True, help="Run code of answers with your own rights."),
        click.option("--samples", default=None, type=click.IntRange(1, 100), help="How often each probe is asked."),
        click.option("--answers", default=None, type=click.Path(path_type=Path), help="File of recorded answers."),
        click.option("--agent", required=True, help="Name of the agent that is asked: product, version, model."),
        click.argument("folder", type=click.Path(path_type=Path)),
    ):
        command = option(command)
    return command


@probes.command("export", epilog="Example: gate probes export by-hand --agent some-ide-4.2")
@by_hand
@which
@click.pass_obj
def export_(console: Console, /, **options: Any) -> int:
    """Write prompts into FOLDER, for an agent that only a person can ask (in an IDE, in a chat).

    Ask each in a conversation of its own, and say nothing else. Prompts of further rounds follow once their answers
    are taken in.
    """
    from gate.cli.probes_by_hand import export_prompts

    return export_prompts(console, options)


@probes.command("import", epilog="Example: gate probes import by-hand --agent some-ide-4.2")
@click.option("--by", default="", help="Who asked; by default your name on this machine.")
@click.option("--correct", is_flag=True, help="Put answers in the place of others that were taken in before.")
@by_hand
@which
@click.pass_obj
def import_(console: Console, /, **options: Any) -> int:
    """Keep the answers in FOLDER, which `gate probes score` then grades."""
    from gate.cli.probes_by_hand import import_answers

    return import_answers(console, options)


@probes.command(epilog="Example: gate probes grade --out to-grade.csv")
@click.option("--out", default=None, type=click.Path(path_type=Path), help="Write what is to be graded, as CSV.")
@click.option("--in", "taken", default=None, type=click.Path(path_type=Path), help="Take in a CSV with grades.")
@click.option("--judge-cmd", default=None, help="Let a command grade, called as --agent-cmd of a run is.")
@click.option("--judge-url", default=None, help="Let a model behind an API like OpenAI's grade.")
@click.option("--judge-model", default=None, help="The model that grades.")
@click.option("--all", "every", is_flag=True, help="All answers, not only those that no check can grade.")
@click.option("--by", default="", help="Who graded, where a row does not say; by default your name here.")
@click.option("--agent", "named", default=None, help="Whose answers, by name or digest, where several are recorded.")
@click.option("--answers", default=None, type=click.Path(path_type=Path), help="File of recorded answers.")
@click.option("--unsafe-no-sandbox", is_flag=True, help="Run code of answers with your own rights.")
@which
@click.pass_obj
def grade(console: Console, /, **options: Any) -> int:
    """Grade by hand, or by a judging model, what no check can.

    A grade belongs to one recorded answer and overrides what the checks say of it. Who gave it, when, and what it was
    before stand in a log beside the record, which only grows.
    """
    from gate.cli.probes_grade import grade_answers

    return grade_answers(console, options)
