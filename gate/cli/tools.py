"""The collaborators of `gate ci` in a user's own Python: this machine's git, pytest and GitHub."""

from __future__ import annotations

import json
import sys
import time
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from gate.cli.console import Console
from gate.cli.files import CANDIDATE, LOCAL, read_bytes
from gate.errors import DeliveryError, UsageError

if TYPE_CHECKING:
    from gate.baselines.base import Base
    from gate.baselines.git import Git
    from gate.baselines.trusted import TrustedBase
    from gate.deliver.event import Event
    from gate.pipeline import Delivery, Measured, Request, Tools
    from gate.settings import Layer, Settings

Fetch = Callable[[str, str], bytes | None]


def local_tools(console: Console, *, python: str) -> Tools:
    """Collaborators that run the suite with `python`, as this user."""
    from gate.pipeline import Tools

    def measure(request: Request, settings: Settings) -> Measured:
        return _measure(console, request, settings, python)

    return Tools(
        read_event=read_event,
        find_base=lambda request, event: find_base(git_of(request), request, event),
        read_trusted=lambda request, base, others: read_trusted(git_of(request), request, base, others),
        measure=measure,
        read_file=read_bytes,
        delivery=lambda request: _delivery(console, request),
        say=console.say,
    )


def git_of(request: Request, *, trust: bool = False) -> Git:
    """Git of the checkout."""
    from gate.baselines.git import Git

    return Git(request.root, trust=trust)


def read_event(request: Request, *, trust: bool = False) -> Event | None:
    """The event of GitHub Actions; None in a shell, or where the user named a base."""
    if request.environ.get("GITHUB_ACTIONS") != "true":
        return None
    from gate.deliver.event import read_event as parse_event

    return parse_event(request.environ, _payload(request.environ), checked_out=git_of(request, trust=trust).head())


def _payload(environ: Mapping[str, str]) -> Mapping[str, Any]:
    path = environ.get("GITHUB_EVENT_PATH", "")
    if not path:
        return {}
    try:
        payload = json.loads(Path(path).read_text(encoding="utf-8"))
    except (OSError, ValueError) as error:
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


def read_trusted(git: Git, request: Request, base: Base | None, others: Sequence[Layer]) -> TrustedBase:
    """Settings and baseline of the base."""
    from gate.baselines import trusted

    if base is None:
        return trusted.read_folder(request.root, others)
    event = read_event(request) if not base.local else None
    return trusted.read_trusted(git, base, others=others, fetch=_fetch(request, event), now=time.time())


def _fetch(request: Request, event: Event | None) -> Fetch | None:
    token = request.environ.get("INPUT_TOKEN", "") if request.action else ""
    token = token or request.environ.get("GITHUB_TOKEN", "")
    if event is None or not token:
        return None
    from gate.deliver.client import GitHub

    client = GitHub(event.api_url, event.repository, token)
    return client.contents


def _measure(console: Console, request: Request, settings: Settings, python: str) -> Measured:
    from gate.pipeline import Measured, run_locally
    from gate.sandbox.worlds import read_left

    candidate = request.root / request.output / CANDIDATE.name
    local = None if request.environ.get("CI") else request.root / request.output / LOCAL.name
    show = None if console.quiet else echo
    result = run_locally(
        settings,
        (),
        root=request.root,
        report=candidate,
        environ=request.environ,
        python=python,
        local=local,
        echo=show,
    )
    if result.report is None:
        return Measured(None, reason=result.reason)
    notices = (result.warning,) if result.warning else ()
    return Measured(read_left(result.report, settings.max_report_bytes), notices=notices)


def echo(data: bytes) -> None:
    """What the suite prints, without a way to command the runner or the terminal."""
    from gate.render.escape import terminal

    text = data.decode("utf-8", "replace")
    sys.stderr.write("".join(f"  {terminal(line)}\n" for line in text.splitlines()))
    sys.stderr.flush()


def _delivery(console: Console, request: Request) -> Delivery:
    from gate.baselines.write import write_atomically
    from gate.deliver.publish import Publisher
    from gate.deliver.runner import RunnerFiles

    publisher = Publisher(
        output=request.root / request.output,
        runner=RunnerFiles(request.environ, sys.stdout),
        write=write_atomically,
        tokens=request.environ,
    )
    return Printing(console, publisher, in_actions=request.environ.get("GITHUB_ACTIONS") == "true")


class Printing:
    """A delivery that also prints the verdict for whoever reads the log."""

    def __init__(self, console: Console, inner: Delivery, *, in_actions: bool) -> None:
        self._console = console
        self._inner = inner
        self._in_actions = in_actions

    def publish(self, verdict: Any, event: Event | None, settings: Settings) -> tuple[str, ...]:
        """Deliver, then print."""
        from gate.cli.verdict_text import verdict_text

        try:
            sentences = self._inner.publish(verdict, event, settings)
        except DeliveryError as error:
            sentences = (error.message,)
        self._console.result(verdict_text(verdict, "text", self._console))
        return sentences
