"""A live answer as an entry: without secrets, its encoding undone, with where it comes from."""

from __future__ import annotations

import datetime as dt

from gate import __version__
from gate.record.recordings import redact
from gate.record.recordings.bodies import header
from gate.record.recordings.canonical import Key
from gate.record.recordings.entry import Entry, Meta, Slot, is_failure, storable
from gate.record.recordings.exchange import Answer, Request
from gate.record.recordings.usage import read_usage


def new_entry(request: Request, key: Key, slot: Slot, answer: Answer, today: dt.date, judge: str = "") -> Entry:
    """The entry of an answer that came today, to be numbered by the store; `failed` is 1 for a failure.

    Args:
        judge: that asked; empty for none.
    """
    plain = redact.answer(storable(answer))
    client = header(request.headers, "user-agent").partition(" ")[0]
    meta = Meta(
        at=today.isoformat(),
        model=redact.text(read_usage(plain, request).model)[:200],
        client=redact.text(client)[:80],
        tool=__version__,
        judge=redact.text(judge)[:80],
    )
    case, trial, _ = slot
    return Entry(key.digest, case, trial, 0, plain, meta, int(is_failure(plain)), request=key.shown)
