"""Entry point of the container action: `gate ci` in two worlds, the gate's as root, the suite's as another user."""

from __future__ import annotations

import contextlib
import os
import sys
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

from gate.cli.console import Console, Echo
from gate.cli.files import CANDIDATE, VERDICT, forget_verdict
from gate.cli.install import install_project
from gate.cli.purse import Purse
from gate.cli.trials import RUN, TRIALS
from gate.cli.variables import misspelt
from gate.errors import EXIT_INTERNAL, EXIT_USAGE, GateError, SuiteError, UsageError

if TYPE_CHECKING:
    from gate.baselines.base import Base
    from gate.baselines.trusted import TrustedBase
    from gate.cli.arms import Place
    from gate.collaborators import Delivery, Measured, Request, Told
    from gate.deliver.acceptances import Stored
    from gate.deliver.earlier import History
    from gate.deliver.event import Event
    from gate.rounds import RunTurn
    from gate.sandbox.worlds import Folders, SuiteUser
    from gate.settings import Layer, Settings

SUITE_PYTHON = "/opt/suite/bin/python"
SUITE_NAME = "suite"
_BINARIES = "/opt/suite/bin"


def main() -> int:
    """Gate the pull request of the event; ends with the documented exit code and an annotation for every error."""
    return ended(_run)


def ended(run: Callable[[Console], int]) -> int:
    """The exit code of an action, whatever happens in it."""
    console = Console()
    try:
        return run(console)
    except GateError as error:
        console.error(error.message, where=error.where, remedy=error.remedy)
        return error.exit_code
    except Exception as error:
        console.error(f"internal error: {type(error).__name__}", remedy="please report this with the log")
        import traceback

        console.raw("".join(traceback.format_exception(error)))
        return EXIT_INTERNAL


def _run(console: Console) -> int:
    from gate.cli.tools import read_main
    from gate.collaborators import Request, Tools
    from gate.pipeline import gate_pull_request
    from gate.sandbox.worlds import read_left

    workspace = Path(os.environ.get("GITHUB_WORKSPACE", "")).resolve()
    world = Container(console, workspace)
    request = Request(root=workspace, environ=dict(os.environ), action=True)
    for sentence in misspelt(request.environ):
        console.warn(sentence)
    tools = Tools(
        prepare=world.prepare,
        read_event=world.read_event,
        find_base=world.find_base,
        read_trusted=world.read_trusted,
        read_readable=world.read_readable,
        read_main=read_main,
        read_history=world.read_history,
        read_stored=world.read_stored,
        arms=world.arms,
        measure=world.measure,
        keep=world.keep,
        read_file=lambda path, limit: read_left(_inside(workspace, path), limit),
        delivery=world.delivery,
        say=console.say,
    )
    return gate_pull_request(request, tools).exit_code


def _inside(workspace: Path, path: Path) -> Path:
    """A path of the workspace without a link that leads out of it."""
    if not path.resolve().is_relative_to(workspace):
        raise UsageError("lies outside the workspace", where=str(path), remedy="name a file of the checkout")
    return path.resolve()


def _forget(folder: Path) -> None:
    """A pull request may have committed a verdict, or a link in the place of the folder."""
    if folder.is_symlink():
        folder.unlink()
    forget_verdict(folder)


class Container:
    """Collaborators inside the container."""

    def __init__(self, console: Console, workspace: Path) -> None:
        self._console = console
        self._workspace = workspace
        self._purse = Purse()

    def prepare(self, request: Request) -> None:
        """Hide from the suite's user; nothing is imported ahead, since what is imported here belongs to root."""
        from gate.sandbox.worlds import harden

        harden()
        if not request.environ.get("GITHUB_WORKSPACE", "") or not request.root.is_dir():
            raise UsageError(
                "there is no workspace", where="GITHUB_WORKSPACE", remedy="run actions/checkout before the gate"
            )
        _forget(request.root / request.output)

    def read_event(self, request: Request) -> Event | None:
        from gate.cli import tools

        return tools.read_event(request, trust=True)

    def find_base(self, request: Request, event: Event | None) -> Base | None:
        from gate.cli import tools

        base = tools.find_base(tools.git_of(request, trust=True), request, event)
        return tools.told_base(self._console, base)

    def read_trusted(self, request: Request, base: Base | None, others: Sequence[Layer]) -> TrustedBase:
        from gate.cli import tools

        return tools.read_trusted(tools.git_of(request, trust=True), request, base, others)

    def read_readable(self, request: Request, base: Base | None) -> Sequence[Layer]:
        from gate.cli import tools

        return tools.read_readable(tools.git_of(request, trust=True), request, base)

    def read_history(self, request: Request, event: Event | None, settings: Settings) -> History:
        from gate.cli import tools
        from gate.cli.trials import read_history

        return read_history(request, event, settings, tools.client(request, event, patience=tools.PATIENCE))

    def read_stored(self, request: Request, event: Event | None, settings: Settings) -> Stored:
        from gate.cli import tools
        from gate.cli.stored import read_stored

        github = tools.client(request, event, patience=tools.PATIENCE)
        return read_stored(request, event, settings, github, self._write)

    def keep(self, request: Request, data: bytes) -> None:
        self._write(request.root / request.output / TRIALS, data)

    @contextlib.contextmanager
    def arms(self, request: Request, base: Base | None, settings: Settings) -> Iterator[RunTurn | None]:
        """What runs base and head beside each other, as the suite's user; None where there is no other base."""
        from gate.cli import tools
        from gate.cli.arms import Beside, run_beside
        from gate.cli.trials import confirmable

        if base is None or not confirmable(base, settings):
            yield None
            return
        git = tools.git_of(request, trust=True)
        beside = Beside(git, base.commit, lambda: self._place(request, settings), Echo(sys.stdout), self._purse)
        with run_beside(beside, settings) as run:
            yield run

    @contextlib.contextmanager
    def _place(self, request: Request, settings: Settings) -> Iterator[Place]:
        from gate.cli.arms import Place
        from gate.deliver.runner import RunnerFiles
        from gate.record.run import User, World
        from gate.sandbox.workspace import give, handed_over
        from gate.sandbox.worlds import read_left, suite_folders

        user = _suite_user()
        stopped = RunnerFiles(request.environ, sys.stdout).stopped_commands
        with suite_folders(user) as folders, handed_over(self._workspace, user, environ=request.environ), stopped():
            environ = self._environment(request, settings, folders)
            world = World(SUITE_PYTHON, self._workspace, environ, User(user.uid, user.gid))
            yield Place(world, folders.report, lambda tree: give(tree, user), read_left)

    def measure(self, request: Request, settings: Settings, told: Told) -> Measured:
        """Install and run the suite as its own user; read its report once none of its processes is left."""
        from gate.cli import tools
        from gate.cli.recordings_at import stored_answers
        from gate.collaborators import Measured
        from gate.deliver.runner import RunnerFiles
        from gate.record import locally
        from gate.record.run import User, World, run_suite
        from gate.sandbox.workspace import handed_over
        from gate.sandbox.worlds import read_left, suite_folders

        user = _suite_user()
        settings = locally.as_meant(settings, request.environ)
        folder = _inside(self._workspace, self._workspace / settings.working_directory)
        arguments = locally.split_arguments(settings)
        git = tools.git_of(request, trust=True)
        commit = git.head()
        with suite_folders(user) as folders:
            place = self._workspace, folders.report
            options = _options(settings, told, *place, commit, request.environ, self._purse.book)
            answers = folders.report / "answers"
            options += locally.rejudge_options(stored_answers(git, told.rejudge, settings, self._workspace, answers))
            with handed_over(self._workspace, user, environ=request.environ) as notices:
                environ = self._environment(request, settings, folders)
                rights = User(user.uid, user.gid)
                guard = locally.guard_for(settings, rights)
                world = World(SUITE_PYTHON, folder, environ, rights, guard)
                with RunnerFiles(request.environ, sys.stdout).stopped_commands():
                    failed = "" if told.again else install_project(self._console, settings, world)
                    if failed:
                        return Measured(None, reason=failed, notices=notices)
                    result = run_suite(
                        locally.to_the_end(arguments) if told.plan else arguments,
                        world=world,
                        report=folders.report / CANDIDATE.name,
                        timeout=settings.timeout,
                        options=options,
                        echo=Echo(sys.stdout),
                    )
            self._purse.take(folders.report, read_left)
            left = tools.measured(result, settings, (*notices, *tools.told_guard(settings, guard)))
            left = tools.with_trials(left, folders.report / RUN) if told.plan else left
            for name in () if told.rejudge else (locally.MISSING, locally.WITNESSES):
                left = self._with_left(left, folders.report / name, request.root / request.output / name)
            left = tools.with_witnesses(left, folders.report / CANDIDATE.name)
        if left.report is not None and not told.again:
            self._write(request.root / request.output / CANDIDATE.name, left.report)
        return left

    def _with_left(self, left: Measured, path: Path, kept: Path) -> Measured:
        """What was measured; what else the plugin left is kept beside the report: what a replay lacked, witnesses."""
        from gate.cli.trials import MOST_BYTES
        from gate.errors import ReportError
        from gate.record.locally import MISSING
        from gate.sandbox.worlds import read_left

        if not path.exists() and not path.is_symlink():
            return left
        try:
            self._write(kept, read_left(path, MOST_BYTES))
        except ReportError as error:
            what = "what the recordings lack" if kept.name == MISSING else "the witnesses of this run"
            trouble = f"{what} can't be kept: {error.message}"
            return replace(left, notices=(*left.notices, trouble))
        return left

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

    def delivery(self, request: Request) -> Delivery:
        from gate.cli.report_page import page_beside
        from gate.cli.tools import Printing, git_of
        from gate.deliver.publish import Publisher
        from gate.deliver.runner import RunnerFiles

        publisher = Publisher(
            output=request.root / request.output,
            runner=RunnerFiles(request.environ, sys.stdout),
            write=self._write,
            tokens=request.environ,
            named=request.output,
            page=page_beside(
                request.root / request.output / VERDICT.name, lambda: git_of(request, trust=True), request.root
            ),
        )
        return Printing(self._console, publisher, request.environ)

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


def _options(
    settings: Settings, told: Told, root: Path, folder: Path, commit: str, environ: Mapping[str, str], spent: bytes
) -> list[str]:
    """What the plugin is told; plan and witnesses, where there are any, stand in a folder that the suite can read."""
    from gate.record.locally import going_on, plugin_options, recording_options, rejudging

    records = told.again and settings.mode == "record"
    settings = going_on(settings) if told.again else settings
    settings = rejudging(settings) if told.rejudge else settings
    plan = _readable(folder / "plan.json", told.plan.encode("utf-8"))
    witnesses = _readable(folder / "stored.witnesses", told.witnesses)
    trials = folder / RUN if told.plan else None
    options = plugin_options(settings, commit=commit, plan=plan, trials=trials, witnesses=witnesses)
    return [*options, *recording_options(settings, root, folder, environ, spent=spent, records=records)]


def _readable(path: Path, data: bytes) -> Path | None:
    """A file that the suite can read; None where there is nothing to tell."""
    if not data:
        return None
    path.write_bytes(data)
    path.chmod(0o644)
    return path


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


if __name__ == "__main__":
    sys.exit(main() if sys.platform == "linux" else EXIT_USAGE)
