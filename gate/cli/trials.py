"""The trials of a pull request on this machine and on GitHub: those of earlier runs, and both arms of this one."""

from __future__ import annotations

import contextlib
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING

from gate.cli.console import Console, Echo
from gate.errors import ReportError

if TYPE_CHECKING:
    from gate.baselines.base import Base
    from gate.cli.purse import Purse
    from gate.collaborators import Request
    from gate.deliver.client import GitHub
    from gate.deliver.earlier import History
    from gate.deliver.event import Event
    from gate.rounds import RunTurn
    from gate.settings import Settings

TRIALS, RUN = "trials.jsonl", "trials.run.jsonl"
MOST_BYTES = 16 * 2**20


def read_history(request: Request, event: Event | None, settings: Settings, github: GitHub | None) -> History:
    """Trials of earlier runs: of a pull request what GitHub has, in a shell what the last runs left here."""
    from gate.deliver.earlier import History, earlier_trials, joined, local_trials
    from gate.sandbox.worlds import read_left

    if event is not None and event.pull_request is not None:
        if github is None:
            return History(missing="trials of earlier runs could not be read without a token")
        return earlier_trials(github, settings.suite, event.pull_request, head=event.head_sha or "", run=event.run_id)
    if event is not None:
        return History()
    from gate.record.memory import read_lines

    found = []
    left = request.root / request.output / RUN
    for path in (left.with_name(TRIALS), left):
        with contextlib.suppress(ReportError):
            data = read_left(path, MOST_BYTES)
            found.append(data if path is not left else read_lines(data).trials)  # the suite's own file
    data = joined(found).data
    if left.exists():  # a run was killed; should this one be too, they would be lost
        keep(request, data)
    return local_trials(data, head=_head(request))


def _head(request: Request) -> str:
    from gate.baselines.git import Git
    from gate.errors import RepositoryError

    try:
        return Git(request.root).head()
    except RepositoryError:
        return ""


def keep(request: Request, data: bytes) -> None:
    """Leave the trials for later runs."""
    from gate.baselines.write import write_atomically

    write_atomically(request.root / request.output / TRIALS, data)


def confirmable(base: Base, settings: Settings) -> bool:
    """Whether there is another commit here beside which the head can be run."""
    live = settings.mode in ("live", "record")  # a recorded answer, given again, is no fresh trial
    asked = live and not settings.report and settings.confirm != "off"
    return asked and base.commit != base.head and base.local


@contextlib.contextmanager
def local_arms(
    console: Console, request: Request, base: Base | None, settings: Settings, python: str, purse: Purse
) -> Iterator[RunTurn | None]:
    """What runs base and head beside each other in the user's own Python; None where there is no other base."""
    if base is None or not confirmable(base, settings):
        yield None
        return
    from gate.baselines.git import Git
    from gate.cli.arms import Beside, Place, run_beside
    from gate.record.run import World
    from gate.sandbox.environment import suite_environment
    from gate.sandbox.worlds import read_left

    @contextlib.contextmanager
    def enter() -> Iterator[Place]:
        with tempfile.TemporaryDirectory(prefix="gate-arms-") as folder:
            world = World(python, request.root, suite_environment(request.environ))
            yield Place(world, Path(folder), lambda tree: None, read_left)

    beside = Beside(Git(request.root), base.commit, enter, None if console.quiet else Echo(), purse)
    with run_beside(beside, settings) as run:
        yield run
