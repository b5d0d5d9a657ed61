"""`gate mutants`: what prompt mutation would do, before it costs anything."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from gate.cli.console import Console

if TYPE_CHECKING:
    from gate.settings import Settings

_LIMIT = 200_000_000
_SECONDS = 600.0
_COLLECTED = (0, 5)
"""Exit codes of pytest with which the tests were collected; 5 where there are none."""


@click.group(epilog="Example: gate mutants list -- tests/robustness")
def mutants() -> None:
    """Mutants of the prompts that tests marked `mutate_prompt` name (docs/mutation.md)."""


@mutants.command("list", epilog="Example: gate mutants list -- tests/robustness")
@click.option("--python", default=sys.executable, help="Interpreter of the suite; by default this one.")
@click.option("--json", "as_json", is_flag=True, help="Everything, as JSON.")
@click.argument("arguments", nargs=-1, type=click.UNPROCESSED)
@click.pass_obj
def list_(console: Console, /, python: str, as_json: bool, arguments: tuple[str, ...]) -> int:
    """List the mutants of a run without running a test, with the calls that it may take.

    The tests are collected with ARGUMENTS, or with those of the settings.
    """
    import json
    import shlex

    from gate.cli.files import local_settings, require_own_settings
    from gate.errors import EXIT_HOLDS, EXIT_UNDECIDED
    from gate.record.plugin.mutation.listing import lines_of

    require_own_settings(Path.cwd(), "gate mutants", suite=True)
    settings = local_settings(Path.cwd(), {"arguments": shlex.join(arguments) or None})
    found, said = _collected(settings, python)
    if found is None:
        console.error(said, remedy="mend that; `pytest --collect-only --gate-mutate` shows the whole output")
        return EXIT_UNDECIDED
    if as_json:
        console.result(json.dumps(found, ensure_ascii=True, indent=1))
    elif not found.get("targets"):
        console.result("no test is marked `mutate_prompt`")
    for line in [] if as_json else lines_of(found):
        console.result(line)
    return EXIT_HOLDS


def _collected(settings: Settings, python: str) -> tuple[dict[str, Any] | None, str]:
    """What the suite's own Python says, or why it says nothing."""
    import json
    import os
    import tempfile

    from gate.record.locally import fixed_plan, split_arguments
    from gate.record.run import World, run_command
    from gate.sandbox.environment import suite_environment

    with tempfile.TemporaryDirectory(prefix="gate-mutants-") as folder:
        path, plan = Path(folder, "mutants.json"), Path(folder, "plan.json")
        plan.write_text(fixed_plan(settings, ""), encoding="utf-8")
        own = [
            "--collect-only",
            "-q",
            "--gate-mutate",
            f"--gate-mutate-json={path}",
            f"--gate-report={Path(folder, 'report.json')}",
            f"--gate-plan={plan}",
            f"--gate-recordings={Path.cwd() / settings.working_directory / settings.recordings}",
        ]
        command = [python, "-m", "pytest", "-p", "gate", *own, *split_arguments(settings)]
        world = World(python, Path.cwd() / settings.working_directory, suite_environment(os.environ))
        ended = run_command(command, world=world, timeout=min(settings.timeout, _SECONDS))
        if ended.reason or ended.exit_code not in _COLLECTED or not path.is_file() or path.stat().st_size > _LIMIT:
            return None, ended.reason or _last(ended.tail)
        found: dict[str, Any] = json.loads(path.read_text(encoding="ascii"))
        return found, ""


def _last(tail: str) -> str:
    """What pytest said last that is an error, with what to do about it."""
    lines = [line.strip() for line in tail.splitlines() if line.strip()]
    places = [place for place, line in enumerate(lines) if line.startswith(("ERROR", "E  ", "ImportError"))]
    if not places:
        return (lines or ["the tests could not be collected"])[-1][:500]
    found = lines[places[-1] : places[-1] + 2]
    return "; ".join(found if found[-1].startswith("next:") else found[:1])[:500]
