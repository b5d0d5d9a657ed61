"""The command line: one module a command family, and the only place that turns errors into exit codes.

Modules are imported when their command is called, so that `gate --help` starts at once.
"""

from __future__ import annotations

import importlib
import os
import sys
import traceback
from collections.abc import Sequence
from typing import NoReturn

import click

from gate import __version__
from gate.cli.console import Console
from gate.cli.variables import misspelt
from gate.errors import EXIT_INTERNAL, EXIT_UNDECIDED, EXIT_USAGE, GateError

COMMANDS = {
    "run": ("gate.cli.run:run", "Run the suite and write its candidate report."),
    "compare": ("gate.cli.compare:compare", "Compare any two report files."),
    "merge": ("gate.cli.merge:merge", "Join the reports of a suite that ran in shards."),
    "ci": ("gate.cli.ci:ci", "Gate a pull request: run, compare, comment, decide."),
    "nightly": ("gate.cli.nightly:nightly", "Judge main itself, and keep one issue about it."),
    "fork-verdict": ("gate.cli.fork:fork_verdict", "Judge, from the trusted side, what a fork's run left."),
    "show": ("gate.cli.show:show", "Show one finding of the last verdict, whole."),
    "baseline": ("gate.cli.baseline:baseline", "Create, adopt, refresh, show or diff the baseline."),
    "sweep": ("gate.cli.sweep:sweep", "Move a model's inputs a little, and say how many answers flip."),
    "plan": ("gate.cli.plan:plan", "Say what main's trials can show, and how many more are needed."),
    "record": ("gate.cli.record:record", "Record what a replay lacked, and nothing else."),
    "recordings": ("gate.cli.recordings:recordings", "List, check, prune, compare and import recordings."),
    "mutants": ("gate.cli.mutants:mutants", "List the mutants of prompts, and what they may cost."),
    "probes": ("gate.cli.probes:probes", "Ask a coding agent, grade its answers in a cell, score it."),
    "anchor": ("gate.cli.anchor:anchor", "Set or show the anchor that the total loss is measured from."),
    "accept": ("gate.cli.accept:accept", "Waive a finding on main, with a reason, an owner and a last day."),
    "command": ("gate.cli.command:command", "Answer a `/gate` comment on a pull request, in a workflow."),
    "evidence": ("gate.cli.evidence:evidence", "Seal a verdict and all it rests on in one archive, and verify one."),
    "report": ("gate.cli.report:report", "Render the last verdict again."),
    "explain": ("gate.cli.explain:explain", "Say what a rule, an exit code or a setting means."),
    "doctor": ("gate.cli.doctor:doctor", "Look for what would keep the gate from working, and say how to mend it."),
    "init": ("gate.cli.init:init", "Write the workflows and settings of a new user."),
    "demo": ("gate.cli.demo:demo", "Gate a worse and an unchanged pull request, offline."),
    "config": ("gate.cli.config:config", "List each setting, where it came from, and whether it decides."),
}


_NO_ARGUMENTS: tuple[type[click.UsageError], ...] = tuple(
    filter(None, [getattr(click.exceptions, "NoArgsIsHelpError", None)])  # from click 8.2; before, it is no error
)


class LazyGroup(click.Group):
    """A group whose help needs no command's module."""

    def list_commands(self, ctx: click.Context) -> list[str]:
        return list(COMMANDS)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        if cmd_name not in COMMANDS:
            return None
        module, _, attribute = COMMANDS[cmd_name][0].partition(":")
        command: click.Command = getattr(importlib.import_module(module), attribute)
        return command

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        """As click's own, with the nearest name, which click looks for among commands that are imported."""
        if args and args[0] not in COMMANDS and not args[0].startswith("-"):
            from difflib import get_close_matches

            close = get_close_matches(args[0], COMMANDS, n=1)
            hint = f" Did you mean '{close[0]}'?" if close else ""
            raise click.UsageError(f"No such command '{args[0]}'.{hint}", ctx)
        return super().resolve_command(ctx, args)

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        with formatter.section("Commands"):
            formatter.write_dl([(name, text) for name, (_, text) in COMMANDS.items()])


@click.group(
    cls=LazyGroup,
    context_settings={"help_option_names": ["-h", "--help"]},
    epilog="Example: gate ci --base origin/main",
)
@click.version_option(__version__, "-V", "--version", prog_name="gate")
@click.option("-q", "--quiet", is_flag=True, help="Print results and errors only.")
@click.option("-v", "--verbose", is_flag=True, help="Say what is done and where things come from.")
@click.option("--colour/--no-colour", default=None, help="Colour the output; by default only on a terminal.")
@click.pass_context
def gate(ctx: click.Context, quiet: bool, verbose: bool, colour: bool | None) -> None:
    """Fail a pull request that makes a model, a prompt or a coding agent less robust, and name what broke."""
    ctx.obj = Console(quiet=quiet, verbose=verbose, colour=colour)
    for sentence in misspelt(os.environ):
        ctx.obj.warn(sentence)


def main(arguments: Sequence[str] | None = None) -> NoReturn:
    """Entry point of `gate`; the one error boundary of the product."""
    sys.exit(exit_code_of(arguments))


def exit_code_of(arguments: Sequence[str] | None = None) -> int:
    """Run a command line and give its exit code: 0 holds, 1 regression, 2 usage, 3 undecided, 4 internal."""
    console = Console()
    try:
        result = gate.main(args=None if arguments is None else list(arguments), standalone_mode=False)
        return result if isinstance(result, int) else 0
    except click.exceptions.Exit as request:
        return request.exit_code
    except _NO_ARGUMENTS as error:
        console.raw(error.format_message())
        return EXIT_USAGE
    except click.ClickException as error:
        console.error(error.format_message(), remedy=_help_of(error))
        return EXIT_USAGE
    except (click.Abort, KeyboardInterrupt):
        console.error("interrupted: nothing was decided")
        return EXIT_UNDECIDED
    except GateError as error:
        console.error(error.message, where=error.where, remedy=error.remedy)
        return error.exit_code
    except BrokenPipeError:
        sys.stderr.close()
        return EXIT_UNDECIDED
    except Exception as error:
        console.error(f"internal error: {type(error).__name__}: {error}", remedy="please report this with what follows")
        console.raw("".join(traceback.format_exception(error)))
        return EXIT_INTERNAL


def _help_of(error: click.ClickException) -> str:
    context = getattr(error, "ctx", None)
    if context is None:
        return ""
    option = getattr(error, "option_name", "")
    if context.parent is not None and any(option in (*each.opts, *each.secondary_opts) for each in gate.params):
        return f"put {option} before the command: `{context.find_root().info_name} {option} {_words(context)}`"
    return f"`{context.command_path} --help` shows the options"


def _words(context: click.Context) -> str:
    """The command without the program: `baseline adopt`."""
    return context.command_path.removeprefix(context.find_root().command_path).strip()
