"""Recordings that no longer say what a model would answer, or that nothing asks for, as values for a report.

Old: recorded longer ago than a limit. Another model: the model that answers to the same name has changed since.
Changed: a request was edited, so its answer is missing, and the stored one nearest to it is shown. Unused: no test
asked.
"""

from __future__ import annotations

import datetime as dt
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any, NamedTuple

from gate.record.recordings import canonical, differences
from gate.record.recordings.entry import Entry, Head
from gate.record.recordings.missing import MissingEntry
from gate.record.recordings.payload import model_of_shown
from gate.record.recordings.store import Store
from gate.record.recordings.volatile import NONE, Volatile
from gate.schema.stale import LONGEST_DIFF, LONGEST_TEXT, Stale

MOST_DIFFS = 100
"""Requests of one run that are compared with stored ones; those beyond have changed, too, but are not shown."""


class Origin(NamedTuple):
    """Where one stored answer comes from: its case, its day, the model that answered, and the name that was asked."""

    case: str
    at: str
    model: str
    asked: str


def entries_of(stores: Iterable[Store]) -> Iterator[Entry]:
    """Entries of several layers, each call once: what stands in the first precedes.

    Raises:
        RecordingError: a file is damaged.
    """
    seen = set()
    for store in stores:
        for entry in store.entries():
            if entry.order not in seen:
                seen.add(entry.order)
                yield entry


def origin(entry: Entry) -> Origin:
    """Where an answer comes from."""
    return Origin(entry.case, entry.meta.at, entry.meta.model, model_of_shown(entry.request or {}))


def outdated(
    stores: Sequence[Store], missing: Sequence[MissingEntry], today: dt.date, days: int, volatile: Volatile = NONE
) -> tuple[Stale, ...]:
    """What changed, is old, or of another model, of all that is stored; every entry is read once.

    Args:
        stores: in the order in which they precede each other.
        missing: what the run lacked.
        days: after which an answer is old; 0 for no limit.
        volatile: what the settings declare.

    Raises:
        RecordingError: a file is damaged.
    """
    lacking = {asked.case for entry in missing for asked in entry.asked}
    origins, of_lacking = [], []
    for entry in entries_of(stores):
        if not entry.failed:
            origins.append(origin(entry))
        if entry.case in lacking:
            of_lacking.append(entry)
    too_old = old(origins, today, days) if days else ()
    return (*changed(missing, of_lacking, volatile), *too_old, *other_model(origins))


def old(origins: Iterable[Origin], today: dt.date, days: int) -> tuple[Stale, ...]:
    """Cases with answers that were recorded more than so many days ago; those without a date are not among them."""
    limit = (today - dt.timedelta(days=days)).isoformat()
    dates: dict[str, list[str]] = defaultdict(list)
    for each in origins:
        if each.at and each.at < limit:
            dates[each.case].append(each.at)
    return tuple(
        Stale("old", case, len(found), f"{_answers(len(found))}, the oldest of {min(found)}")
        for case, found in sorted(dates.items())
    )


def other_model(origins: Sequence[Origin]) -> tuple[Stale, ...]:
    """Cases with answers of another model than the one that answers to the same name now.

    That is the model of the newest recordings that were asked by this name, those of this run among them.
    """
    now: dict[str, tuple[str, str]] = {}
    for each in origins:
        if each.model:
            now[each.asked] = max(now.get(each.asked, ("", "")), (each.at, each.model))
    others: dict[str, Counter[tuple[str, str]]] = defaultdict(Counter)
    for each in origins:
        if each.model and each.asked and each.model != now[each.asked][1]:
            others[each.case][each.model, now[each.asked][1]] += 1
    return tuple(
        Stale(
            "model",
            case,
            counts.total(),
            _told("; ".join(_replaced(*names, count) for names, count in sorted(counts.items()))),
        )
        for case, counts in sorted(others.items())
    )


def changed(missing: Iterable[MissingEntry], entries: Iterable[Entry], volatile: Volatile = NONE) -> tuple[Stale, ...]:
    """Requests without an answer, of whose case others are stored: each with how it differs from the nearest of those.

    The first 100 are compared, one of each case before a second of any. A request whose answers were all given already
    did not change.

    Args:
        volatile: what the settings declare, so that it isn't shown as different.
    """
    stored: dict[str, dict[str, Mapping[str, Any]]] = defaultdict(dict)
    for entry in entries:
        if entry.request is not None:
            stored[entry.case][entry.key] = entry.request
    wanted: list[tuple[int, str, MissingEntry]] = []
    turns: Counter[str] = Counter()
    for lacking in missing:
        for case in sorted({asked.case for asked in lacking.asked}):
            if stored[case] and lacking.key not in stored[case]:
                wanted.append((turns[case], case, lacking))
                turns[case] += 1
    wanted.sort(key=lambda each: (each[0], each[1], each[2].key))
    found = []
    for _, case, lacking in wanted[:MOST_DIFFS]:
        shown = canonical.key(lacking.request, volatile).shown
        near = differences.closest(shown, stored[case].items())
        if near is not None:
            diff = differences.between(stored[case][near], shown, most=LONGEST_DIFF)
            found.append(Stale("changed", case, 1, "a request changed since its answer was recorded", diff))
    return tuple(sorted(found, key=lambda stale: (stale.case, stale.diff)))


def unused(heads: Iterable[Head]) -> tuple[Stale, ...]:
    """Cases with answers that nothing asked for in a run."""
    counts = Counter(head.case for head in heads)
    return tuple(
        Stale("unused", case, count, f"{_answers(count)} that nothing asked for")
        for case, count in sorted(counts.items())
    )


def _answers(count: int) -> str:
    return f"{count:,} answer{'' if count == 1 else 's'}"


def _replaced(before: str, now: str, count: int) -> str:
    return f"{_answers(count)} of {before}, where {now} answers now"


def _told(text: str) -> str:
    return text if len(text) <= LONGEST_TEXT else text[: LONGEST_TEXT - 1] + "…"
