"""Calls that leave the machine: allowed by the meter, taken down as they come back, stored and counted."""

from __future__ import annotations

import datetime as dt
from collections.abc import Callable
from dataclasses import dataclass, replace
from hashlib import blake2b
from typing import Any

from gate.errors import BudgetExhaustedError, RecordingError
from gate.record.recordings import canonical
from gate.record.recordings.entry import Entry, Slot, encode_tail, is_failure
from gate.record.recordings.exchange import Answer, Recorder, Request, Scope
from gate.record.recordings.live import LARGEST, LiveCall
from gate.record.recordings.metering import Meter, Unmetered
from gate.record.recordings.new_entry import new_entry
from gate.record.recordings.scope import judging
from gate.record.recordings.store import Store
from gate.record.recordings.tally import Event, Tally


@dataclass(frozen=True, slots=True)
class _Call:
    """A live call: what it is stored as, and what the meter gave for it."""

    request: Request
    slot: Slot
    key: canonical.Key | None
    ticket: Any
    judge: str


class LiveCalls:
    """Thread-safe.

    Args:
        store: where answers go.
        meter: counts costs and holds the budget.
        tally: told of what happens.
        run: marks what is stored; empty outside of the mode `record`.
        least: the smallest number that an answer in a slot may have.
        today: gives the day in UTC.
    """

    def __init__(
        self,
        store: Store,
        meter: Meter,
        tally: Tally,
        *,
        run: str,
        least: Callable[[Slot], int],
        today: Callable[[], dt.date],
    ) -> None:
        self._store = store
        self._meter = meter
        self._tally = tally
        self._run = run
        self._least = least
        self._today = today
        self.purpose = ""
        """What the answers are stored for, where it is not simply the run."""

    def send(self, request: Request, slot: Slot, key: canonical.Key | None) -> Recorder:
        """A recorder for a call that may leave: its answer can be paid, and stored."""
        ticket = None
        try:
            if key is not None:
                self._store.prepare(slot[0])
            ticket = self._meter.before(request, slot[2], Scope(slot[0], slot[1]))
        except RecordingError as error:
            refused = isinstance(error, BudgetExhaustedError)
            with self._tally.turn():
                self._tally.happened(Event("refused" if refused else "broken", slot, error=error))
            raise
        with self._tally.turn():
            self._tally.happened(Event("live", slot))
        call = _Call(request, slot, key, ticket, judging())
        keep = key is not None or not isinstance(self._meter, Unmetered)
        return LiveCall(lambda answer, too_large: self._came(call, answer, too_large), keep=keep)

    def _came(self, call: _Call, answer: Answer, too_large: bool) -> None:
        """Store what came back, then count what it cost, which is due even where it can't be stored."""
        stored = None
        try:
            try:
                if call.key is not None:
                    stored = self._append(call, call.key, answer, too_large)
            finally:
                self._meter.after(call.ticket, answer)
        except RecordingError as error:
            with self._tally.turn():
                self._tally.happened(Event("broken", call.slot, error=error))
            raise
        with self._tally.turn():
            if is_failure(answer):
                self._tally.happened(Event("failed", call.slot))
            elif stored is not None:
                self._tally.happened(Event("stored", call.slot, stored.n, sample=sample_of(stored.answer)))

    def _append(self, call: _Call, key: canonical.Key, answer: Answer, too_large: bool) -> Entry:
        if too_large:
            raise RecordingError(
                f"an answer of more than {LARGEST:,} bytes is not stored",
                where=call.slot[0],
                remedy="ask for less at once, or run this test with the mode `live`",
            )
        entry = new_entry(call.request, key, call.slot, answer, self._today(), call.judge)
        entry = replace(entry, run=self._run, meta=replace(entry.meta, purpose=self.purpose))
        return self._store.append(entry, encode_tail(entry.answer, entry.meta), least=self._least(call.slot))


def sample_of(answer: Answer) -> str:
    """Digest by which answers that say the very same are known."""
    return blake2b(b"%d\n" % answer.status + answer.body, digest_size=16).hexdigest()
