"""Entry point of the container action: `gate ci` with two worlds, the gate's as root and the suite's as another user."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from gate.cli.console import Console
from gate.errors import EXIT_INTERNAL, EXIT_USAGE, GateError, SuiteError, UsageError

if TYPE_CHECKING:
    from gate.baselines.base import Base
    from gate.baselines.trusted import TrustedBase
    from gate.deliver.event import Event
    from gate.pipeline import Delivery, Measured, Request
    from gate.sandbox.worlds import SuiteUser
    from gate.settings import Layer, Settings

SUITE_PYTHON = "/opt/suite/bin/python"
SUITE_NAME = "suite"
_PATH = "/opt/suite/bin:/usr/local/bin:/usr/bin:/bin"
_TAIL_LINES = 20


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
        from gate.pipeline import Measured, plugin_options
        from gate.record.run import User, World, run_suite
        from gate.sandbox.worlds import handed_over, read_left

        user = _suite_user()
        folder = _inside(self._workspace, self._workspace / settings.working_directory)
        scratch = Path(tempfile.mkdtemp(prefix="gate-suite-"))
        os.chown(scratch, user.uid, user.gid)
        report = scratch / "candidate.json"
        with handed_over(self._workspace, user) as notices:
            environ = self._environment(request, settings, scratch, user)
            world = World(SUITE_PYTHON, folder, environ, User(user.uid, user.gid))
            with self._quoted(request):
                self._install(settings, world)
                arguments = _split(settings.arguments)
                result = run_suite(
                    arguments,
                    world=world,
                    report=report,
                    timeout=settings.timeout,
                    options=plugin_options(settings),
                    echo=_echo,
                )
        if result.report is None:
            return Measured(None, reason=result.reason, notices=notices)
        try:
            data = read_left(report, settings.max_report_bytes)
        finally:
            shutil.rmtree(scratch, ignore_errors=True)
        return Measured(data, notices=notices)

    def _environment(self, request: Request, settings: Settings, scratch: Path, user: SuiteUser) -> dict[str, str]:
        from gate.sandbox.environment import suite_environment

        home = scratch / "home"
        home.mkdir(mode=0o700)
        os.chown(home, user.uid, user.gid)
        extra = {
            "HOME": str(home),
            "USER": SUITE_NAME,
            "LOGNAME": SUITE_NAME,
            "TMPDIR": str(scratch),
            "PATH": _PATH,
            "VIRTUAL_ENV": "/opt/suite",
            "GIT_CONFIG_COUNT": "1",
            "GIT_CONFIG_KEY_0": "safe.directory",
            "GIT_CONFIG_VALUE_0": str(self._workspace),
        }
        if settings.cache:
            cache = self._workspace / settings.cache
            if not cache.resolve().is_relative_to(self._workspace):
                raise UsageError(
                    "`cache` lies outside the workspace", where="action input", remedy="name a folder in it"
                )
            extra["PIP_CACHE_DIR"] = str(cache / "pip")
        return suite_environment(request.environ, extra)

    def _install(self, settings: Settings, world: object) -> None:
        if not settings.install.strip():
            return
        from gate.record.run import World

        assert isinstance(world, World)
        self._console.say("installing the project of the suite")
        user = world.user
        result = subprocess.run(
            ["/bin/sh", "-e", "-c", settings.install],
            cwd=world.cwd,
            env=dict(world.environ),
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            start_new_session=True,
            user=user.uid if user else None,
            group=user.gid if user else None,
            extra_groups=[] if user else None,
            umask=0o022,
            timeout=settings.timeout,
            check=False,
        )
        _echo(result.stdout[-200_000:])
        if result.returncode != 0:
            tail = result.stdout.decode("utf-8", "replace").splitlines()[-_TAIL_LINES:]
            raise SuiteError(
                f"the install command ended with {result.returncode}: {tail[-1] if tail else 'it printed nothing'}",
                where="install",
                remedy="its output stands above; try the command in a plain container of python:3.13-slim",
            )

    def _quoted(self, request: Request) -> object:
        from gate.deliver.runner import RunnerFiles

        return RunnerFiles(request.environ, sys.stdout).stopped_commands()

    def delivery(self, request: Request) -> Delivery:
        from gate.cli.tools import Printing
        from gate.deliver.publish import Publisher
        from gate.deliver.runner import RunnerFiles

        publisher = Publisher(
            output=request.root / request.output,
            runner=RunnerFiles(request.environ, sys.stdout),
            write=self._write,
            tokens={},
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


def _echo(data: bytes) -> None:
    from gate.render.escape import terminal

    text = data.decode("utf-8", "replace")
    sys.stdout.write("".join(f"  {terminal(line)}\n" for line in text.splitlines()))
    sys.stdout.flush()


def _annotate(message: str) -> None:
    from gate.render.escape import workflow_data

    sys.stdout.write(f"::error title=robustness gate::{workflow_data(message)}\n")
    sys.stdout.flush()


if __name__ == "__main__":
    sys.exit(main() if sys.platform == "linux" else EXIT_USAGE)
