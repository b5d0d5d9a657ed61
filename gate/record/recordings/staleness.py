"""Recordings that no longer say what a model would answer, or that nothing asks for, as values for a rule.

Old: recorded longer ago than a limit. Another model: the model that answers to the same name has changed since.
Changed: a request was edited, so its answer is missing, and the stored one nearest to it is shown. Unused: no test
asked.
"""

from __future__ import annotations

import datetime as dt
from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any, Literal

from gate.record.recordings import canonical, differences
from gate.record.recordings.entry import Entry, Head
from gate.record.recordings.missing import MissingEntry
from gate.record.recordings.payload import model_of_shown
from gate.record.recordings.volatile import NONE, Volatile

Reason = Literal["old", "model", "changed", "unused"]


@dataclass(frozen=True, slots=True)
class Stale:
    """Recordings of one case that are stale for one reason.

    Attributes:
        reason: which.
        case: id; empty for calls outside of a test.
        count: how many answers, or for `changed` how many requests.
        text: one sentence without its full stop.
        diff: for `changed`, how the request differs from the stored one; empty otherwise.
    """

    reason: Reason
    case: str
    count: int
    text: str
    diff: str = ""


def old(entries: Iterable[Entry], today: dt.date, days: int) -> tuple[Stale, ...]:
    """Cases with answers that were recorded more than so many days ago; those without a date are not among them."""
    limit = (today - dt.timedelta(days=days)).isoformat()
    dates: dict[str, list[str]] = defaultdict(list)
    for entry in entries:
        if not entry.failed and entry.meta.at and entry.meta.at < limit:
            dates[entry.case].append(entry.meta.at)
    return tuple(
        Stale("old", case, len(found), f"{_answers(len(found))} older than {days} days, the oldest of {min(found)}")
        for case, found in sorted(dates.items())
    )


def other_model(entries: Iterable[Entry], live: Mapping[str, str] | None = None) -> tuple[Stale, ...]:
    """Cases with answers of another model than the one that answers to the same name now.

    Args:
        live: the model that answered by the name that was asked for, as seen in this run. A name that isn't in it
            is answered now by the model of its newest recordings.
    """
    found = [entry for entry in entries if not entry.failed and entry.meta.model and entry.request]
    asked = {entry.order: model_of_shown(entry.request or {}) for entry in found}
    newest: dict[str, tuple[str, str]] = {}
    for entry in found:
        name = asked[entry.order]
        newest[name] = max(newest.get(name, ("", "")), (entry.meta.at, entry.meta.model))
    now = {name: model for name, (_, model) in newest.items()} | dict(live or {})
    others: dict[str, Counter[tuple[str, str]]] = defaultdict(Counter)
    for entry in found:
        current = now[asked[entry.order]]
        if asked[entry.order] and entry.meta.model != current:
            others[entry.case][entry.meta.model, current] += 1
    return tuple(
        Stale(
            "model",
            case,
            counts.total(),
            "; ".join(_replaced(*names, count) for names, count in sorted(counts.items())),
        )
        for case, counts in sorted(others.items())
    )


def changed(missing: Iterable[MissingEntry], entries: Iterable[Entry], volatile: Volatile = NONE) -> tuple[Stale, ...]:
    """Requests without an answer, of whose case others are stored: each with how it differs from the nearest of those.

    Args:
        volatile: what the settings declare, so that it isn't shown as different.
    """
    stored: dict[str, dict[str, Mapping[str, Any]]] = defaultdict(dict)
    for entry in entries:
        if entry.request is not None:
            stored[entry.case][entry.key] = entry.request
    found = []
    for lacking in missing:
        shown = canonical.key(lacking.request, volatile).shown
        for case in sorted({asked.case for asked in lacking.asked}):
            near = differences.closest(shown, stored[case].items())
            if near is not None:
                diff = differences.between(stored[case][near], shown)
                found.append(Stale("changed", case, 1, "a request changed since its answer was recorded", diff))
    return tuple(sorted(found, key=lambda stale: (stale.case, stale.diff)))


def unused(heads: Iterable[Head]) -> tuple[Stale, ...]:
    """Cases with answers that nothing asked for in a run, as `RecordingSession.unused` gives them."""
    counts = Counter(head.case for head in heads)
    return tuple(
        Stale("unused", case, count, f"{_answers(count)} that nothing asked for")
        for case, count in sorted(counts.items())
    )


def as_fields(stale: Stale) -> dict[str, Any]:
    """As a report carries it; an empty diff is left out."""
    fields = {"reason": stale.reason, "case": stale.case, "count": stale.count, "text": stale.text}
    return fields | ({"diff": stale.diff} if stale.diff else {})


def _answers(count: int) -> str:
    return f"{count:,} answer{'' if count == 1 else 's'}"


def _replaced(before: str, now: str, count: int) -> str:
    return f"{_answers(count)} of {before}, where {now} answers now"
