"""Entry point of the action without a container: `gate ci` with the action's inputs, in the job's own Python.

Inputs come as one JSON object in `INPUT_ALL`, since a shell drops variables whose names have a hyphen. It holds the
token, so it leaves the environment before anything else is started.
"""

from __future__ import annotations

import json
import os
import shutil
import sys
from collections.abc import MutableMapping
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

from gate.cli.action import ended
from gate.cli.console import Console
from gate.cli.variables import misspelt
from gate.errors import UsageError

if TYPE_CHECKING:
    from gate.collaborators import Measured, Request, Told, Tools
    from gate.settings import Settings

ALL = "INPUT_ALL"
_PREFIX = "INPUT_"


def main() -> int:
    """Gate the pull request of the event; ends with the documented exit code."""
    return ended(_run)


def _run(console: Console) -> int:
    from gate.cli.tools import local_tools
    from gate.collaborators import Request
    from gate.pipeline import gate_pull_request

    take_inputs(os.environ)
    workspace = Path(os.environ.get("GITHUB_WORKSPACE", "")).resolve()
    if not os.environ.get("GITHUB_WORKSPACE", "") or not workspace.is_dir():
        raise UsageError(
            "there is no workspace", where="GITHUB_WORKSPACE", remedy="run actions/checkout before the gate"
        )
    request = Request(root=workspace, environ=dict(os.environ), action=True)
    for sentence in misspelt(request.environ):
        console.warn(sentence)
    return gate_pull_request(request, _installing(console, local_tools(console, python=sys.executable))).exit_code


def take_inputs(environ: MutableMapping[str, str]) -> None:
    """Put the inputs where those of a container action stand; what stood there under such a name is dropped.

    Raises:
        UsageError: they are no object of texts.
    """
    given = environ.pop(ALL, "{}")
    for name in [name for name in environ if name.startswith(_PREFIX)]:
        del environ[name]
    try:
        inputs = json.loads(given)
        named = {f"{_PREFIX}{key.upper()}": value for key, value in inputs.items()}
        if not all(isinstance(value, str) for value in named.values()):
            raise ValueError
    except (ValueError, AttributeError, RecursionError):
        raise UsageError(
            "the inputs are no JSON object of texts", where=ALL, remedy="leave it as the action's own file sets it"
        ) from None
    environ.update(named)


def _installing(console: Console, tools: Tools) -> Tools:
    """Collaborators that install the project before its suite runs, once what decides is read."""

    def measure(request: Request, settings: Settings, told: Told) -> Measured:
        from gate.cli.install import install_project
        from gate.collaborators import Measured
        from gate.record.run import World
        from gate.sandbox.environment import suite_environment

        if settings.cache:
            cache = str(request.root / settings.cache / "pip")
            request = replace(request, environ={**request.environ, "PIP_CACHE_DIR": cache})
        folder = request.root / settings.working_directory
        world = World(sys.executable, folder, suite_environment(request.environ))
        failed = "" if told.again else install_project(console, settings, world, (_shell(),))
        return Measured(None, reason=failed) if failed else tools.measure(request, settings, told)

    return replace(tools, measure=measure)


def _shell() -> str:
    """Bash, which every runner of GitHub has and which runs the step itself, or what POSIX has."""
    return shutil.which("bash") or "/bin/sh"


if __name__ == "__main__":
    sys.exit(main())
