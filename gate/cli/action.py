"""Entry point of the container action: `gate ci` in two worlds, the gate's as root, the suite's as another user."""

from __future__ import annotations

import os
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from gate.cli.console import Console
from gate.cli.files import CANDIDATE
from gate.errors import EXIT_INTERNAL, EXIT_USAGE, GateError, ReportError, SuiteError, UsageError

if TYPE_CHECKING:
    from gate.baselines.base import Base
    from gate.baselines.trusted import TrustedBase
    from gate.deliver.event import Event
    from gate.pipeline import Delivery, Measured, Request
    from gate.record.run import World
    from gate.sandbox.worlds import Folders, SuiteUser
    from gate.settings import Layer, Settings

SUITE_PYTHON = "/opt/suite/bin/python"
SUITE_NAME = "suite"
_BINARIES = "/opt/suite/bin"
_TAIL_LINES = 3
_TAIL_CHARACTERS = 500
_LONGEST_LINE = 10_000


def main() -> int:
    """Gate the pull request of the event; ends with the documented exit code and an annotation for every error."""
    console = Console()
    from gate.sandbox.worlds import harden

    try:
        harden()
        return _run(console)
    except GateError as error:
        console.error(error.message, where=error.where, remedy=error.remedy)
        _annotate(str(error))
        return error.exit_code
    except Exception as error:
        console.error(f"internal error: {type(error).__name__}", remedy="please report this with the log")
        import traceback

        console.raw("".join(traceback.format_exception(error)))
        return EXIT_INTERNAL


def _run(console: Console) -> int:
    from gate.pipeline import Request, Tools, gate_pull_request
    from gate.sandbox.worlds import read_left

    workspace = _workspace()
    world = Container(console, workspace)
    request = Request(root=workspace, environ=dict(os.environ), action=True)
    tools = Tools(
        read_event=world.read_event,
        find_base=world.find_base,
        read_trusted=world.read_trusted,
        measure=world.measure,
        read_file=lambda path, limit: read_left(_inside(workspace, path), limit),
        delivery=world.delivery,
        say=console.say,
    )
    return gate_pull_request(request, tools).exit_code


def _workspace() -> Path:
    named = os.environ.get("GITHUB_WORKSPACE", "")
    if not named or not Path(named).is_dir():
        raise UsageError(
            "there is no workspace", where="GITHUB_WORKSPACE", remedy="run actions/checkout before the gate"
        )
    return Path(named).resolve()


def _inside(workspace: Path, path: Path) -> Path:
    """A path of the workspace without a link that leads out of it."""
    if not path.resolve().is_relative_to(workspace):
        raise UsageError("lies outside the workspace", where=str(path), remedy="name a file of the checkout")
    return path.resolve()


class Container:
    """Collaborators inside the container."""

    def __init__(self, console: Console, workspace: Path) -> None:
        self._console = console
        self._workspace = workspace

    def read_event(self, request: Request) -> Event | None:
        from gate.cli import tools

        return tools.read_event(request, trust=True)

    def find_base(self, request: Request, event: Event | None) -> Base | None:
        from gate.cli import tools

        return tools.find_base(tools.git_of(request, trust=True), request, event)

    def read_trusted(self, request: Request, base: Base | None, others: Sequence[Layer]) -> TrustedBase:
        from gate.cli import tools

        return tools.read_trusted(tools.git_of(request, trust=True), request, base, others)

    def measure(self, request: Request, settings: Settings) -> Measured:
        """Install and run the suite as its own user; read its report once none of its processes is left."""
        from gate.deliver.runner import RunnerFiles
        from gate.pipeline import Measured, plugin_options
        from gate.record.run import User, World, run_suite
        from gate.sandbox.workspace import handed_over
        from gate.sandbox.worlds import read_left, suite_folders

        user = _suite_user()
        folder = _inside(self._workspace, self._workspace / settings.working_directory)
        arguments = _split(settings.arguments)
        with suite_folders(user) as folders:
            report = folders.report / "candidate.json"
            with handed_over(self._workspace, user, environ=request.environ) as notices:
                environ = self._environment(request, settings, folders)
                world = World(SUITE_PYTHON, folder, environ, User(user.uid, user.gid))
                with RunnerFiles(request.environ, sys.stdout).stopped_commands():
                    failed = self._install(settings, world)
                    if failed:
                        return Measured(None, reason=failed, notices=notices)
                    result = run_suite(
                        arguments,
                        world=world,
                        report=report,
                        timeout=settings.timeout,
                        options=plugin_options(settings),
                        echo=_Echo(),
                    )
            if result.report is None:
                return Measured(None, reason=result.reason, notices=notices)
            try:
                data = read_left(report, settings.max_report_bytes)
            except ReportError as error:
                return Measured(None, reason=f"the report {error.message}", notices=notices)
        self._write(request.root / request.output / CANDIDATE.name, data)
        return Measured(data, notices=notices)

    def _environment(self, request: Request, settings: Settings, folders: Folders) -> dict[str, str]:
        from gate.sandbox.environment import suite_environment

        extra = {
            "HOME": str(folders.home),
            "USER": SUITE_NAME,
            "LOGNAME": SUITE_NAME,
            "TMPDIR": str(folders.temporary),
            "RUNNER_TEMP": str(folders.temporary),
            "PATH": f"{_BINARIES}:{request.environ.get('PATH', os.defpath)}",
            "VIRTUAL_ENV": "/opt/suite",
            "GIT_CONFIG_COUNT": "1",
            "GIT_CONFIG_KEY_0": "safe.directory",
            "GIT_CONFIG_VALUE_0": str(self._workspace),
        }
        if settings.cache:
            extra["PIP_CACHE_DIR"] = str(_inside(self._workspace, self._workspace / settings.cache) / "pip")
        return suite_environment(request.environ, extra)

    def _install(self, settings: Settings, world: World) -> str:
        """Run the install command; why it failed, one sentence, or nothing."""
        if not settings.install.strip():
            return ""
        from gate.record.run import run_command

        self._console.say("installing the project of the suite")
        ended = run_command(
            ["/bin/sh", "-e", "-c", settings.install], world=world, timeout=settings.timeout, echo=_Echo()
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

    def delivery(self, request: Request) -> Delivery:
        from gate.cli.tools import Printing
        from gate.deliver.publish import Publisher
        from gate.deliver.runner import RunnerFiles

        publisher = Publisher(
            output=request.root / request.output,
            runner=RunnerFiles(request.environ, sys.stdout),
            write=self._write,
            tokens={},
            named=request.output,
        )
        return Printing(self._console, publisher, in_actions=True)

    def _write(self, path: Path, data: bytes) -> None:
        """Write into the output folder, which the pull request may have replaced by a link."""
        from gate.baselines.write import write_atomically

        folder = path.parent
        if folder.is_symlink() or (folder.exists() and not folder.is_dir()):
            folder.unlink()
        write_atomically(path, data)
        owner = self._workspace.stat()
        for mine in (folder, path):
            os.lchown(mine, owner.st_uid, owner.st_gid)


def _suite_user() -> SuiteUser:
    import pwd

    from gate.sandbox.worlds import SuiteUser

    try:
        entry = pwd.getpwnam(SUITE_NAME)
    except KeyError:
        raise SuiteError(
            f"this container has no user `{SUITE_NAME}`", remedy="use the image that this project's Dockerfile builds"
        ) from None
    return SuiteUser(entry.pw_uid, entry.pw_gid)


def _split(arguments: str) -> list[str]:
    import shlex

    try:
        return shlex.split(arguments)
    except ValueError as error:
        raise UsageError(
            f"can't be split: {str(error).lower()}", where="arguments", remedy="quote it as for a shell"
        ) from None


class _Echo:
    """What the suite prints, line by line, without a way to command the terminal."""

    def __init__(self) -> None:
        self._rest = b""

    def __call__(self, data: bytes) -> None:
        from gate.render.escape import terminal

        *lines, self._rest = (self._rest + data).split(b"\n")
        if len(self._rest) > _LONGEST_LINE:
            lines.append(self._rest)
            self._rest = b""
        sys.stdout.write("".join(f"  {terminal(line.decode('utf-8', 'replace'))}\n" for line in lines))
        sys.stdout.flush()


def _annotate(message: str) -> None:
    from gate.render.escape import workflow_data

    sys.stdout.write(f"::error title=robustness gate::{workflow_data(message)}\n")
    sys.stdout.flush()


if __name__ == "__main__":
    sys.exit(main() if sys.platform == "linux" else EXIT_USAGE)
