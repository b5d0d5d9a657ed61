"""The collaborators of `gate ci` in a user's own Python: this machine's git, pytest and GitHub."""

from __future__ import annotations

import json
import sys
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from gate.cli.console import Console, Echo
from gate.cli.files import CANDIDATE, LOCAL, VERDICT, commit_here, forget_verdict, now, read_bytes, require_own_settings
from gate.cli.ready import hide, import_all
from gate.cli.stored import read_stored
from gate.cli.trials import MOST_BYTES, RUN, keep, local_arms, read_history
from gate.errors import DeliveryError, ReportError, RepositoryError, UsageError

if TYPE_CHECKING:
    from gate.baselines.base import Base
    from gate.baselines.git import Git
    from gate.baselines.trusted import TrustedBase
    from gate.cli.purse import Purse
    from gate.collaborators import Delivery, Measured, Request, Told, Tools
    from gate.deliver.acceptances import Stored
    from gate.deliver.client import GitHub
    from gate.deliver.event import Event
    from gate.deliver.main_report import MainReport
    from gate.record.run import RunResult
    from gate.sandbox.network.guard import Guard
    from gate.schema.verdict import Verdict
    from gate.settings import Layer, Settings

AGAIN = "candidate.again.json"
Fetch = Callable[[str, str], bytes | None]
PATIENCE = 60.0
"""Seconds that a gate may wait in all for what it can do without."""


def local_tools(console: Console, *, python: str) -> Tools:
    """Collaborators that run the suite with `python`, as this user."""
    from gate.cli.purse import Purse
    from gate.collaborators import Tools

    purse = Purse()

    def measure(request: Request, settings: Settings, told: Told) -> Measured:
        if told.rejudge:
            from gate.cli.rejudge import measure_again

            return measure_again(console, request, settings, told, python, purse)
        return _measure(console, request, settings, told, python, purse)

    def stored(request: Request, event: Event | None, settings: Settings) -> Stored:
        from gate.baselines.write import write_atomically

        return read_stored(request, event, settings, client(request, event, patience=PATIENCE), write_atomically)

    def prepare(request: Request) -> None:
        forget_verdict(request.root / request.output)
        require_own_settings(request.root, "gate ci", suite=True)
        import_all()
        hide()

    return Tools(
        prepare=prepare,
        read_event=read_event,
        find_base=lambda request, event: told_base(console, find_base(git_of(request), request, event)),
        read_trusted=lambda request, base, others: read_trusted(git_of(request), request, base, others),
        read_readable=lambda request, base: read_readable(git_of(request), request, base),
        read_main=read_main,
        read_history=lambda request, event, settings: read_history(
            request, event, settings, client(request, event, patience=PATIENCE)
        ),
        read_stored=stored,
        arms=lambda request, base, settings: local_arms(console, request, base, settings, python, purse),
        measure=measure,
        keep=keep,
        read_file=read_bytes,
        delivery=lambda request: _delivery(console, request),
        say=console.say,
    )


def git_of(request: Request, *, trust: bool = False) -> Git:
    """Git of the checkout."""
    from gate.baselines.git import Git

    return Git(request.root, trust=trust)


def read_event(request: Request, *, trust: bool = False) -> Event | None:
    """The event of GitHub Actions; None in a shell."""
    from gate.deliver.runner import in_workflow

    if not in_workflow(request.environ):
        return None
    from gate.deliver.event import read_event as parse_event

    try:
        checked_out = git_of(request, trust=trust).head()
    except RepositoryError:
        checked_out = ""  # whoever needs a commit says so, and where to
    return parse_event(request.environ, payload_of(request.environ), checked_out=checked_out)


def payload_of(environ: Mapping[str, str]) -> Mapping[str, Any]:
    """What GitHub says of the event; empty outside a workflow."""
    path = environ.get("GITHUB_EVENT_PATH", "")
    if not path:
        return {}
    try:
        payload = json.loads(Path(path).read_text(encoding="utf-8"))
    except (OSError, ValueError, RecursionError) as error:
        raise UsageError(
            f"the event can't be read: {error}", where="GITHUB_EVENT_PATH", remedy="leave it as the runner sets it"
        ) from None
    if not isinstance(payload, Mapping):
        raise UsageError("the event is no object", where="GITHUB_EVENT_PATH", remedy="leave it as the runner sets it")
    return payload


def find_base(git: Git, request: Request, event: Event | None) -> Base:
    """The base, with the contents API as the way out of a shallow clone."""
    from gate.baselines.base import resolve_base

    refs = event.refs if event is not None else None
    return resolve_base(git, refs, explicit=request.base, fetch=_fetch(request, event))


def told_base(console: Console, base: Base) -> Base:
    """Say which commit is compared with, and why that one."""
    console.say(f"base: {base.short} ({base.how})")
    return base


def read_trusted(git: Git, request: Request, base: Base | None, others: Sequence[Layer]) -> TrustedBase:
    """Settings and baseline of the base."""
    from gate.baselines import trusted

    if base is None:
        return trusted.read_folder(request.root, others, now=now(request.environ))
    fetch = _fetch(request, read_event(request))
    return trusted.read_trusted(git, base, others=others, fetch=fetch, now=now(request.environ))


def read_readable(git: Git, request: Request, base: Base | None) -> Sequence[Layer]:
    """The settings that count, as far as they can be read; without a base only the name of the suite."""
    from gate.baselines.deciding import readable_layers

    return readable_layers(git, base, _fetch(request, read_event(request)))


def read_main(request: Request, event: Event | None, base: Base | None, settings: Settings) -> MainReport:
    """What main's own latest run shows: of a pull request what GitHub has, in a shell the file that the user named."""
    from gate.deliver.main_report import NOTHING, MainReport, fetch_main_report, usable

    limit = settings.max_report_bytes
    proposed = event is not None and (event.is_pull_request or (base is not None and base.proposed))
    if request.main_report is not None:
        if proposed:
            raise UsageError(
                "a pull request can't name the report of main's own run",
                where="--main-report",
                remedy="leave it out: the artifact of main's latest run is read from GitHub",
            )
        data = read_bytes(request.main_report, limit)
        return MainReport(usable(data, str(request.main_report), settings.suite, limit))
    github = client(request, event, patience=PATIENCE)
    if not proposed or event is None or base is None or github is None:
        return NOTHING
    if settings.reports:
        return MainReport(missing="main's own latest run excuses nothing: `reports` joins several, and it leaves one")
    return fetch_main_report(github, suite=settings.suite, branch=event.base_ref, base=base.commit, limit=limit)


def _fetch(request: Request, event: Event | None) -> Fetch | None:
    github = client(request, event)
    return github.contents if github is not None else None


def client(request: Request, event: Event | None, patience: float | None = None) -> GitHub | None:
    """The GitHub of the event; None without a token. `patience` is in seconds, the client's own when None."""
    token = request.environ.get("INPUT_TOKEN", "") if request.action else ""
    token = token or request.environ.get("GITHUB_TOKEN", "")
    if event is None or not token:
        return None
    from gate.deliver.client import GitHub
    from gate.deliver.patience import TOTAL_SECONDS

    try:
        return GitHub(event.api_url, event.repository, token, patience=patience or TOTAL_SECONDS)
    except DeliveryError:
        return None  # a token that can't be one is as good as none, and delivery says so


def _measure(console: Console, request: Request, settings: Settings, told: Told, python: str, purse: Purse) -> Measured:
    from gate.cli.suite import said_of_overlay
    from gate.record.locally import as_meant, guard_for, run_locally
    from gate.sandbox.worlds import read_left

    settings = as_meant(settings, request.environ)
    folder = request.root / request.output
    candidate = folder / (AGAIN if told.again else CANDIDATE.name)
    local = None if request.environ.get("CI") else request.root / request.output / LOCAL.name
    guard = guard_for(settings)
    result = run_locally(
        settings,
        root=request.root,
        report=candidate,
        environ=request.environ,
        python=python,
        local=local,
        echo=None if console.quiet else Echo(),
        commit=commit_here(request.root, request.environ),
        plan=told.plan,
        trials=folder / RUN if told.plan else None,
        guard=guard,
        witnesses=told.witnesses,
        spent=purse.book,
        again=told.again,
        shard=told.shard,
    )
    purse.take(folder, read_left)
    told_first = (*told_guard(settings, guard), *said_of_overlay(settings, request.root, request.environ))
    found = measured(result, settings, told_first)
    if told.again:
        candidate.unlink(missing_ok=True)
    found = with_witnesses(found, candidate)
    return with_trials(found, folder / RUN) if told.plan else found


def with_witnesses(found: Measured, report: Path) -> Measured:
    """What was measured, with a sentence where stored witnesses could not be tried; `report` is where its report is."""
    from gate.cli.suite import said_of_witnesses

    told = said_of_witnesses(report)
    return replace(found, notices=(*found.notices, told)) if told else found


def told_guard(settings: Settings, guard: Guard) -> tuple[str, ...]:
    """What kept a replay from the network, for the comment; nothing in the other modes."""
    return (guard.describe(),) if settings.mode == "replay" else ()


def measured(result: RunResult, settings: Settings, notices: tuple[str, ...] = ()) -> Measured:
    """What a run left; its report is read as foreign code's, and one that can't be is a reason, never an error."""
    from gate.collaborators import Measured
    from gate.sandbox.worlds import read_left

    notices = (*notices, result.warning) if result.warning else notices
    if result.report is None:
        return Measured(None, reason=result.reason, notices=notices)
    try:
        data = read_left(result.report, settings.max_report_bytes)
    except ReportError as error:
        return Measured(None, reason=f"the report {error.message}; {error.remedy}", notices=notices)
    return Measured(data, notices=notices, exit_code=result.exit_code)


def with_trials(found: Measured, path: Path) -> Measured:
    """What was measured, with the trials that the run left for later ones; the file is removed."""
    from gate.sandbox.worlds import read_left

    if not path.exists() and not path.is_symlink():
        return found
    try:
        return replace(found, trials=read_left(path, MOST_BYTES))
    except ReportError as error:
        trouble = f"the trials of this run can't be kept for later ones: {error.message}"
        return replace(found, notices=(*found.notices, trouble))
    finally:
        path.unlink(missing_ok=True)


def _delivery(console: Console, request: Request) -> Delivery:
    """Files, comment and log; an action names its report from the workspace, wherever that is."""
    from gate.baselines.write import write_atomically
    from gate.cli.report_page import page_beside
    from gate.deliver.publish import Publisher
    from gate.deliver.runner import RunnerFiles

    publisher = Publisher(
        output=request.root / request.output,
        runner=RunnerFiles(request.environ, sys.stdout),
        write=write_atomically,
        tokens=request.environ,
        named=request.output if request.action else None,
        page=page_beside(
            request.root / request.output / VERDICT.name, lambda: git_of(request), request.root, request.merged
        ),
    )
    return Printing(console, publisher, request.environ)


class Printing:
    """A delivery that also prints the verdict for whoever reads the log.

    Args:
        environ: of the gate; what is printed shows no token of it.
    """

    def __init__(self, console: Console, inner: Delivery, environ: Mapping[str, str]) -> None:
        self._console = console
        self._inner = inner
        self._environ = environ

    def publish(self, verdict: Verdict, event: Event | None, settings: Settings) -> tuple[str, ...]:
        """Deliver, print, and warn of what could not be delivered, also when only errors are asked for.

        Why nothing could be judged is left to whoever ends the process.
        """
        from gate.cli.verdict_text import verdict_text
        from gate.deliver.hide import hidden, secrets

        sentences = self._inner.publish(verdict, event, settings)
        if verdict.problem is None:
            shown = hidden(verdict, secrets(self._environ, settings.token))
            try:
                self._console.result(verdict_text(shown, "text", self._console))
            except Exception as error:  # the verdict stands, whether or not it can be shown
                sentences = (*sentences, f"the verdict could not be printed: {type(error).__name__}")
        for sentence in sentences:
            self._console.warn(sentence)
        return ()

    def hand_over(self, complete: bool) -> tuple[str, ...]:
        """Say in the log too that a trusted workflow decides."""
        from gate.deliver.publish import HANDED_OVER, NOTHING_TO_HAND_OVER

        self._console.result(HANDED_OVER if complete else NOTHING_TO_HAND_OVER)
        for sentence in self._inner.hand_over(complete):
            self._console.warn(sentence)
        return ()
