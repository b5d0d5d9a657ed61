"""What a run finds of its own head on GitHub: acceptances, and what an earlier attempt measured."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING

from gate.cli.files import CANDIDATE
from gate.errors import GateError

if TYPE_CHECKING:
    from gate.collaborators import Request
    from gate.deliver.acceptances import Stored
    from gate.deliver.client import GitHub
    from gate.deliver.event import Event
    from gate.settings import Settings

Write = Callable[[Path, bytes], None]


def read_stored(
    request: Request, event: Event | None, settings: Settings, github: GitHub | None, write: Write
) -> Stored:
    """Never raises: what can't be had accepts nothing, and the suite runs.

    Args:
        write: leaves the candidate in the output folder, so that this attempt uploads it again.
    """
    from gate.deliver.acceptances import NOTHING, Stored
    from gate.deliver.acceptances import read_stored as read

    if event is None or event.pull_request is None or not event.head_sha or github is None:
        return NOTHING
    try:
        found = read(
            github,
            settings.suite,
            event.pull_request,
            settings,
            head=event.head_sha,
            run=event.run_id,
            attempt=event.attempt,
        )
    except GateError as error:
        return Stored(notices=(f"nothing is accepted, since acceptances could not be read: {error.message}",))
    if found.candidate is not None:
        write(request.root / request.output / CANDIDATE.name, found.candidate)
    return found
