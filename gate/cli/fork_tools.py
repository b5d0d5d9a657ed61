"""What `gate fork-verdict` works with: the sentence of `gate ci` over a report that a fork's run left."""

from __future__ import annotations

import json
import sys
import time
from collections.abc import Mapping, Sequence
from contextlib import nullcontext
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, NoReturn

from gate.cli.console import Console
from gate.cli.files import forget_verdict, local_settings
from gate.cli.remote import find_remote, find_token
from gate.errors import DeliveryError, GateError, ReportError, RepositoryError, UndecidedError, UsageError

if TYPE_CHECKING:
    from gate.baselines.base import Base
    from gate.baselines.git import Git
    from gate.baselines.trusted import TrustedBase
    from gate.collaborators import Delivery, Request, Tools
    from gate.deliver.acceptances import Stored
    from gate.deliver.artifacts import Run
    from gate.deliver.checks import Check
    from gate.deliver.client import GitHub, PullRequest
    from gate.deliver.event import Event
    from gate.deliver.fork_run import NothingToJudge
    from gate.deliver.main_report import MainReport
    from gate.settings import Layer, Settings

REPORT = "candidate.json"
"""What the report of the fork's run is called among the settings; no file of the checkout is read for it."""


@dataclass(frozen=True, slots=True)
class Judge:
    """One call of `gate fork-verdict`.

    Attributes:
        root: checkout of the default branch.
        workflow: name of the file whose runs measure pull requests.
        chosen: settings of the command line.
        mirror: whether runs of the repository itself have their conclusion told as a check.
    """

    console: Console
    environ: Mapping[str, str]
    root: Path
    workflow: str
    chosen: Mapping[str, str]
    output: Path
    mirror: bool = False

    def run(self, number: int | None) -> int:
        """Find the pull request of a finished run and judge its report; the exit code.

        Args:
            number: of the run; None takes the event's.

        Raises:
            GateError: what could not be told on the pull request.
        """
        from gate.collaborators import Request
        from gate.deliver.client import GitHub
        from gate.deliver.fork_run import NothingToJudge, find_pull_request, read_fork_run
        from gate.pipeline import gate_pull_request

        remote = find_remote(self.environ, self.root)
        token = find_token(self.environ)
        github = GitHub(remote.api_url, remote.repository, token)
        run = read_fork_run(github, number or _run_of_event(self.environ), self.workflow)
        if isinstance(run, NothingToJudge):
            return self._left(github, run)
        try:
            pull = find_pull_request(github, run)
        except UndecidedError as error:
            self._tell_on_commit(github, run, error)
            raise
        if isinstance(pull, NothingToJudge):
            return self._left(github, pull)
        self.console.say(f"run {run.id} measured #{pull.number} at {run.commit[:7]}")
        options = {**self.chosen, "report": REPORT, "annotations": False}
        environ = {**self.environ, "GITHUB_TOKEN": token}
        request = Request(root=self.root, environ=environ, options=options, output=self.output)
        return gate_pull_request(request, Fork(self.console, github, run, pull, environ).tools()).exit_code

    def _left(self, github: GitHub, nothing: NothingToJudge) -> int:
        from gate.deliver.checks_of_verdict import check_of_run

        self.console.say(f"nothing to judge: {nothing.why}")
        if self.mirror and nothing.judged is not None:
            page = own_page({**self.environ, "GITHUB_RUN_ID": str(nothing.judged.id)})
            self._publish(github, check_of_run(nothing.judged, self._suite(), page))
        return 0

    def _tell_on_commit(self, github: GitHub, run: Run, error: GateError) -> None:
        """Say on the commit alone why nothing could be decided: which pull request to comment on is not known."""
        from gate.deliver.checks_of_verdict import check_of
        from gate.schema.verdict import ExitCode, Problem, Provenance, Verdict

        code = ExitCode(error.exit_code)
        verdict = Verdict(
            exit_code=code,
            would_exit=code,
            provenance=Provenance(suite=self._suite(), head=run.commit, attempt=run.attempt),
            problem=Problem(error.message, error.where, error.remedy),
        )
        self._publish(github, check_of(verdict, head=run.commit, run=run.id, url=own_page(self.environ)))

    def _suite(self) -> str:
        """As the command line names it, else as the default branch's own settings do."""
        return local_settings(self.root, {"suite": self.chosen.get("suite")}).suite

    def _publish(self, github: GitHub, check: Check) -> None:
        from gate.deliver.checks import publish_check

        result = publish_check(github, check)
        if result.warning:
            self.console.warn(result.warning)


def _run_of_event(environ: Mapping[str, str]) -> int:
    path = environ.get("GITHUB_EVENT_PATH", "")
    try:
        found = json.loads(Path(path).read_text(encoding="utf-8"))["workflow_run"]["id"] if path else None
    except (OSError, ValueError, KeyError, TypeError, RecursionError):
        found = None
    if not isinstance(found, int) or isinstance(found, bool) or found < 1:
        raise UsageError(
            "the event names no run of a workflow", where="GITHUB_EVENT_PATH", remedy="use `workflow_run`, or --run"
        )
    return found


@dataclass(slots=True)
class Fork:
    """Collaborators of `gate_pull_request` for one run of a fork: GitHub's word on it, git objects, one artifact.

    Attributes:
        suite: as the base's settings name it, once they are read.
        fetched: whether the artifact was asked for.
    """

    console: Console
    github: GitHub
    run: Run
    pull: PullRequest
    environ: Mapping[str, str]
    suite: str = ""
    fetched: bool = False

    def tools(self) -> Tools:
        """No suite is run here, and no report but the artifact's is read."""
        from gate.collaborators import Tools
        from gate.deliver.earlier import History

        return Tools(
            prepare=lambda request: forget_verdict(request.root / request.output),
            read_event=lambda _: self.event(),
            find_base=lambda request, _: self.find_base(request),
            read_trusted=self.read_trusted,
            read_readable=self.read_readable,
            read_main=self.read_main,
            read_history=lambda *_: History(),
            read_stored=self.read_stored,
            arms=lambda *_: nullcontext(None),
            measure=_no_suite,
            keep=lambda *_: None,
            read_file=self.read_file,
            delivery=self.delivery,
            say=self.console.say,
        )

    def read_stored(self, request: Request, event: Event | None, settings: Settings) -> Stored:
        """What was accepted of this head; what it measured is in the fork's own artifact, at every attempt."""
        from gate.cli.stored import read_stored

        found = read_stored(request, event, settings, self.github, lambda *_: None)
        return replace(found, candidate=None, trials=b"")

    def event(self) -> Event:
        """The pull request's event, put together of what GitHub says now, not of the run's own payload."""
        from gate.deliver.event import PUBLIC_API, PUBLIC_SERVER, Event

        return Event(
            repository=self.github.repository,
            name="pull_request",
            api_url=self.environ.get("GITHUB_API_URL", "").rstrip("/") or PUBLIC_API,
            server_url=self.environ.get("GITHUB_SERVER_URL", "").rstrip("/") or PUBLIC_SERVER,
            pull_request=self.pull.number,
            base_sha=self.pull.base_sha,
            base_ref=self.pull.base_ref,
            head_sha=self.run.commit,
            head_repository=self.run.head_repository or None,
            attempt=self.run.attempt,
            run_id=self.run.id,
        )

    def find_base(self, request: Request) -> Base:
        """The base, after head, test merge and base branch were fetched as objects."""
        from gate.baselines.fetched import base_of_pull_request, fetch_pull_request
        from gate.cli.tools import told_base

        event = self.event()
        fetch_pull_request(
            request.root,
            self.pull.number,
            base_ref=self.pull.base_ref,
            server_url=event.server_url,
            token=find_token(self.environ),
            environ=self.environ,
        )
        return told_base(
            self.console, base_of_pull_request(_git(request), self.pull.number, self.run.commit, self.pull.base_ref)
        )

    def read_trusted(self, request: Request, base: Base | None, others: Sequence[Layer]) -> TrustedBase:
        """Settings and baseline of the base."""
        from gate.baselines import trusted

        if base is None:
            raise RepositoryError("a run of a fork has no base", remedy="run it in a checkout of the default branch")
        return trusted.read_trusted(_git(request), base, others=others, fetch=self.github.contents, now=time.time())

    def read_readable(self, request: Request, base: Base | None) -> Sequence[Layer]:
        """The settings that count, as far as they can be read."""
        from gate.baselines.deciding import readable_layers

        return readable_layers(_git(request), base, self.github.contents)

    def read_main(self, request: Request, event: Event | None, base: Base | None, settings: Settings) -> MainReport:
        """What main's own latest run shows; the suite that the settings name is the one whose artifact is read."""
        from gate.cli.tools import read_main

        self.suite = settings.suite
        return read_main(request, event, base, settings)

    def read_file(self, path: Path, limit: int) -> bytes:
        """The report in the run's artifact, once; what else the settings name was not measured by that run."""
        from gate.deliver.fork_run import fetch_candidate

        if self.fetched:
            raise ReportError(
                "the run of a fork leaves one report, and this is another one",
                where=path.name,
                remedy="judge forks in a suite that joins no `reports`",
            )
        self.fetched = True
        try:
            return fetch_candidate(self.github, self.run, suite=self.suite, number=self.pull.number, limit=limit)
        except DeliveryError as error:
            raise ReportError(error.message, where=error.where, remedy=error.remedy) from None

    def delivery(self, request: Request) -> Delivery:
        """Comment, summary, outputs and files as `gate ci` does, and the check run."""
        from gate.baselines.write import write_atomically
        from gate.cli.tools import Printing
        from gate.deliver.checks_of_verdict import Checking
        from gate.deliver.publish import Publisher
        from gate.deliver.runner import RunnerFiles

        publisher = Publisher(
            output=request.root / request.output,
            runner=RunnerFiles(request.environ, sys.stdout),
            write=write_atomically,
            tokens=self.environ,
        )
        checking = Checking(publisher, self.github, self.run.commit, own_page(self.environ), self.environ)
        return Printing(self.console, checking, request.environ)


def own_page(environ: Mapping[str, str]) -> str:
    """Page of the run that judges; empty outside GitHub Actions."""
    names = ("GITHUB_SERVER_URL", "GITHUB_REPOSITORY", "GITHUB_RUN_ID")
    server, repository, run = (environ.get(name, "").strip("/") for name in names)
    return f"{server}/{repository}/actions/runs/{run}" if server and repository and run else ""


def _git(request: Request) -> Git:
    from gate.baselines.git import Git

    return Git(request.root)


def _no_suite(*_: object) -> NoReturn:
    raise AssertionError("a report is named, so no suite is run")
