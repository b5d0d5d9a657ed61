"""Which stored answers are to go: those that a run did not ask for, and those that are too old."""

from __future__ import annotations

import datetime as dt
import json
from collections import defaultdict
from collections.abc import Container, Iterable
from typing import Any

from gate.errors import RecordingError
from gate.record.recordings.entry import Entry, Head, Slot

Call = tuple[str, int, str, int]
"""Case, trial, key and number of an answer."""


def call_of(entry: Entry) -> Call:
    """What an entry answers; a failure on the way to an answer belongs to it."""
    return entry.case, entry.trial, entry.key, entry.n


def unwanted(entries: Iterable[Entry], unused: Container[Call] = (), before: dt.date | None = None) -> frozenset[Call]:
    """What goes, with the answers to the same request that come after it in its trial: those are told apart by number.

    Args:
        unused: answers that a run did not ask for.
        before: what was recorded earlier than this day goes; nothing when None. What has no date stays.
    """
    limit = before.isoformat() if before is not None else ""
    numbers: dict[Slot, list[int]] = defaultdict(list)
    first: dict[Slot, int] = {}
    for entry in entries:
        numbers[entry.slot].append(entry.n)
        if call_of(entry) in unused or (entry.meta.at and entry.meta.at < limit):
            first[entry.slot] = min(entry.n, first.get(entry.slot, entry.n))
    return frozenset((*slot, n) for slot, least in first.items() for n in numbers[slot] if n >= least)


def unused_fields(heads: Iterable[Head]) -> list[list[Any]]:
    """What `RecordingSession.unused` gives, as a report carries it in `gate.recordings.unused`."""
    return [[head.case, head.trial, head.key, head.n] for head in heads]


def unused_in(data: bytes, where: str) -> frozenset[Call]:
    """Answers that the run of a report did not ask for.

    Args:
        data: the report that `gate run` wrote.
        where: named in errors.

    Raises:
        RecordingError: the report doesn't say, because it is another tool's, or of a run that replayed nothing.
    """
    try:
        found = json.loads(data)
        calls = found["gate"]["recordings"]["unused"]
        return frozenset((_text(case), _count(trial), _text(key), _count(n)) for case, trial, key, n in calls)
    except (ValueError, KeyError, TypeError, RecursionError):
        raise RecordingError(
            "the report doesn't say which recordings its run did not ask for",
            where=where,
            remedy="take the report of `gate run --mode replay` over the whole suite",
        ) from None


def _text(value: Any) -> str:
    if not isinstance(value, str):
        raise TypeError
    return value


def _count(value: Any) -> int:
    if not isinstance(value, int) or isinstance(value, bool):
        raise TypeError
    return value
