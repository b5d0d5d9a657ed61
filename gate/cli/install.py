"""The command that installs the project for its suite, which the action runs before it."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from typing import TYPE_CHECKING

from gate.cli.console import Console, Echo

if TYPE_CHECKING:
    from gate.record.run import World
    from gate.settings import Settings

_TAIL_LINES = 3
_TAIL_CHARACTERS = 500


def install_project(console: Console, settings: Settings, world: World, shell: Sequence[str] = ("/bin/sh",)) -> str:
    """Run the install command of the settings; why it failed, one sentence, or nothing.

    Args:
        world: whose rights, folder and environment the command has.
        shell: what takes `-e -c COMMAND`.
    """
    if not settings.install.strip():
        return ""
    from gate.record.run import run_command

    console.say("installing the project of the suite")
    ended = run_command(
        [*shell, "-e", "-c", settings.install], world=world, timeout=settings.timeout, echo=Echo(sys.stdout)
    )
    if ended.reason:
        return f"the install command failed: {ended.reason}"
    if ended.timed_out:
        return f"the install command was stopped after {settings.timeout:g} seconds"
    if ended.exit_code == 0:
        return ""
    lines = [line.strip() for line in ended.tail.splitlines() if line.strip()]
    last = " / ".join(lines[-_TAIL_LINES:]) or "it printed nothing"
    how = f"exit code {ended.exit_code}" if ended.exit_code is not None else f"signal {ended.signal}"
    return f"the install command ended with {how}: {last[:_TAIL_CHARACTERS]}"
