"""What `gate recordings check` says of recordings that are whole, and yet say what a model answered long ago."""

from __future__ import annotations

import datetime as dt
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from gate.render.escape import terminal
from gate.render.words import plural

if TYPE_CHECKING:
    from gate.record.recordings.store import Store
    from gate.schema.stale import Stale

MOST_CASES = 5
_OUTSIDE = "(outside of a test)"


def outdated_lines(store: Store, today: dt.date, folder: Path) -> Iterator[str]:
    """Sentences about answers that are older than the setting `stale-days`, and about those of another model.

    Args:
        store: can be read.
        folder: whose settings count.
    """
    from gate.cli.files import local_settings
    from gate.record.recordings.staleness import outdated

    days = local_settings(folder).stale_days
    found = outdated([store], (), today, days)
    yield from _told([each for each in found if each.reason == "old"], f"older than {plural(days, 'day')}")
    other = [each for each in found if each.reason == "model"]
    yield from _told(other, "of another version of their model than the newest recordings")


def _told(found: Sequence[Stale], what: str) -> Iterator[str]:
    if not found:
        return
    cases = [f"{each.case or _OUTSIDE} ({each.text})" for each in found[:MOST_CASES]]
    more = [f"{len(found) - MOST_CASES:,} more"] if len(found) > MOST_CASES else []
    count = plural(sum(each.count for each in found), "answer")
    yield terminal(f"{count} of {plural(len(found), 'test')} {what}: {', '.join([*cases, *more])}")
