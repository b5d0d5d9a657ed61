"""One run's calls: answered from what is stored, sent and recorded, or refused, as the mode says."""

from __future__ import annotations

import datetime as dt
import os
from collections.abc import Callable, Iterable
from dataclasses import replace
from hashlib import blake2b
from typing import Literal, NoReturn

from gate.errors import MissingRecordingError, RecordingError, RecordingExhaustedError
from gate.record.recordings import canonical, redact
from gate.record.recordings.bodies import header
from gate.record.recordings.entry import Head, Slot, encode_tail
from gate.record.recordings.exchange import Answer, Recorder, Request, Scope
from gate.record.recordings.live_calls import LiveCalls, sample_of
from gate.record.recordings.metering import Meter, Unmetered
from gate.record.recordings.missing import Asked, MissingEntry, sendable
from gate.record.recordings.overlay import Layers, read
from gate.record.recordings.runs import RecordingRun
from gate.record.recordings.scope import refuse_secret
from gate.record.recordings.store import Store
from gate.record.recordings.tally import Counts, Event, Tally
from gate.record.recordings.trials_asked import answering, spread
from gate.record.recordings.usage import read_usage
from gate.record.recordings.volatile import NONE, Volatile

Mode = Literal["live", "record", "replay", "auto"]
_RETRIED = "x-stainless-retry-count"
"""Header by which clients of several providers say that they ask again, since the call before had no answer."""


class RecordingSession:
    """What interceptors and the proxy ask; thread-safe, and one over all processes that fork from its own.

    Args:
        store: what is stored, and where answers go.
        mode: `live` stores nothing; `record` asks everything anew and replaces what is stored for each case that ends;
            `replay` never lets a call out; `auto` replays what is stored and records the rest.
        overlay: looked up before the store, unless the mode is `record`; nothing is written there.
        volatile: parts of requests that don't count.
        can_record: whether `auto` may send calls: a key is present and not empty.
        replay_failures: whether stored failures are given back before the answers that came after them; else they are
            passed over, and a call that only ever failed is missing.
        meter: counts costs and holds the budget.
        today: gives the day in UTC.
        run: what `told` of the process says that started this one, in `record`; empty where none did.

    Raises:
        RecordingError: the mode is `record`, and the folder can't be written.
    """

    def __init__(  # noqa: PLR0913  what is stored, what may leave, and what it is told
        self,
        store: Store,
        mode: Mode,
        *,
        overlay: Store | None = None,
        volatile: Volatile = NONE,
        can_record: bool = False,
        replay_failures: bool = False,
        meter: Meter | None = None,
        today: Callable[[], dt.date] = lambda: dt.datetime.now(dt.UTC).date(),
        run: str = "",
    ) -> None:
        self.mode: Mode = "replay" if mode == "auto" and not can_record else mode
        self._store = store
        self._layers = Layers(store, overlay if mode != "record" else None)
        self._volatile = volatile
        self._replay_failures = replay_failures
        self._meter = meter or Unmetered()
        self._tally = Tally()
        self._process = os.getpid()
        self._recording = RecordingRun(store, run) if self.mode == "record" else None
        self._run = "" if self._recording is None else self._recording.name
        least = self._layers.first_free if self._recording is None else self._recording.least
        self._live = LiveCalls(store, self._meter, self._tally, run=self._run, least=least, today=today)
        self._kept: list[str] = []
        self._wanted: dict[str, int] = {}

    def ask(self, request: Request, scope: Scope) -> Answer | Recorder:
        """The stored answer, or a recorder for the live one.

        Raises:
            MissingRecordingError: nothing is stored for this request in this scope, and the mode allows no live call.
            RecordingExhaustedError: all answers that are stored for it in this scope were given already.
            BudgetExhaustedError: a live call would go beyond a limit.
            RecordingError: a file is damaged, an answer could not be stored, or the id of the case holds a secret.
        """
        if self.mode == "live":
            return self._live.send(request, (scope.case, scope.trial, ""), None)
        refuse_secret(scope.case)
        key = canonical.key(request, self._volatile)
        slot = scope.case, scope.trial, key.digest
        answer = self._stored(request, slot, key) if self._recording is None else self._paid(slot)
        return self._live.send(request, slot, key) if answer is None else answer

    def stores(self, request: Request, scope: Scope) -> bool:
        """Whether an answer or a failure is stored for a request in a scope, or the file is damaged."""
        try:
            return self._layers.holds((scope.case, scope.trial, canonical.key(request, self._volatile).digest))
        except RecordingError:
            return True

    def _paid(self, slot: Slot) -> Answer | None:
        """The next answer of a slot that a killed recording has paid for, which becomes this one's; None without.

        The meter hears nothing of it: it was counted when it was paid, and it is as fresh as those that follow.
        """
        if self._recording is None or not self._recording.earlier:
            return None
        with self._tally.turn():
            n, _ = self._tally.position(slot)
            try:
                entry = self._recording.draft(slot, n)
                if entry is None:
                    return None
                kept = replace(entry, run=self._run)
                self._store.append(kept, encode_tail(kept.answer, kept.meta), at=n)
            except RecordingError as error:
                self._tally.happened(Event("broken", slot, error=error))
                raise
            self._tally.happened(Event("replayed", slot, n, sample=sample_of(entry.answer)))
            self._tally.happened(Event("stored", slot))
        return entry.answer

    def _stored(self, request: Request, slot: Slot, key: canonical.Key) -> Answer | None:
        """The next answer of a slot; None where it is to be asked live."""
        answer, n = self._next(self._layers, request, slot)
        if answer is None and self.mode == "replay":
            self._lacks(request, slot, key, n)
        return answer

    def _next(self, layers: Layers, request: Request, slot: Slot) -> tuple[Answer | None, int]:
        """The next answer of a slot, None where none is stored, and its number."""
        with self._tally.turn():
            try:
                n, failed = self._tally.position(slot)
                found = layers.failure(slot, n, failed) if self._replay_failures else None
                number = failed + 1 if found else 0
                found = found or layers.answer(slot, n)
                answer = read(found) if found else None
            except RecordingError as error:
                self._tally.happened(Event("broken", slot, error=error))
                raise
            if answer is None:
                return None, n
            self._tally.happened(Event("replayed", slot, n, number, "" if number else sample_of(answer)))
        self._meter.replayed(Scope(slot[0], slot[1]), read_usage(answer, request))
        return answer, n

    def _lacks(self, request: Request, slot: Slot, key: canonical.Key, n: int) -> NoReturn:
        case, trial, _ = slot
        exhausted = self._layers.answers(slot) > 0
        asked = f"{request.method} {redact.url(request.url)}"
        by = f"trial {trial} of {case}" if case else "no test"
        remedy = "record it with `gate run --mode auto` and a key, or `gate record --requests .gate/missing.jsonl`"
        where = str(self._store.path_of(case))
        error: RecordingError
        if exhausted:
            error = RecordingExhaustedError(
                f"recording exhausted: all {n:,} stored answers to {asked} were given already in {by}",
                where=where,
                remedy=remedy,
            )
        else:
            error = MissingRecordingError(f"no answer is stored for {asked}, asked by {by}", where=where, remedy=remedy)
        lacked = MissingEntry(key.digest, sendable(request, key), (Asked(case, trial, n),))
        again = header(request.headers, _RETRIED) not in ("", "0")
        with self._tally.turn():
            self._tally.happened(
                Event("exhausted" if exhausted else "missing", slot, None if again else n, error=error, missing=lacked)
            )
        raise error

    def ended(self, case: str, *, whole: bool = True) -> bool:
        """Say that a case was recorded to its end: in `record`, its new answers replace the old ones from now on.

        They don't where older answers are stored and a request of the case only ever failed, or was beyond a limit, or
        nothing was asked: neither an outage nor a limit must cost them, nor a key that is missing or wrong.

        Args:
            whole: whether it passed. One that was skipped or failed before its first call says nothing of its answers.

        Returns:
            Whether what is stored is now what this run recorded.
        """
        if self.mode != "record" or os.getpid() != self._process:
            return False
        had, asked = any(head.run != self._run for head in self._store.heads([case])), self._asked(case)
        if not had and not asked:
            return True
        failed = not self._replay_failures and self._tally.failed_only(case)
        if had and (failed or not (whole or asked) or self.counts(case).refused):
            self._kept.append(case)
            return False
        self._store.end(case, self._run)
        return True

    def _asked(self, case: str) -> bool:
        """Whether a case of a recording has asked anything, of the model or of what a killed recording left."""
        counts = self.counts(case)
        return counts.live + counts.replayed > 0

    @property
    def kept(self) -> tuple[str, ...]:
        """Cases that ended, whose older answers were kept, see `ended`."""
        return tuple(self._kept)

    def finish(self, *, whole: bool = True) -> None:
        """End the run: everything is on the disk, and the files that were written are sorted. A forked child does
        nothing here.

        Args:
            whole: whether it came to its end; else the next recording goes on from it, as from one that was killed.

        Raises:
            RecordingError: the disk refuses; what was appended is there.
        """
        if os.getpid() != self._process:
            return
        if self._recording is not None:
            if whole and self._asked(""):
                self.ended("")
            self._recording.close(whole=whole)
        if self.mode in ("record", "auto"):
            self._store.sync()
        if self.mode == "auto" or (self._recording is not None and whole):
            self._store.compact(every=self._recording is not None and self._recording.leads)

    def counts(self, case: str) -> Counts:
        """Calls of one case."""
        return self._tally.counts(case)

    def cases(self) -> tuple[str, ...]:
        """Cases that made calls, sorted; the empty one for calls outside of a test."""
        return self._tally.cases()

    def totals(self) -> Counts:
        """Calls of all cases."""
        return self._tally.totals()

    @property
    def untroubled(self) -> bool:
        """Whether `noted` is empty for every scope; quicker than to ask for each."""
        return self._tally.untroubled

    def noted(self, scope: Scope) -> tuple[RecordingError, ...]:
        """What was raised in a scope, also where the code under test swallowed it."""
        return self._tally.noted(scope)

    def missing_entries(self, case: str | None = None) -> tuple[MissingEntry, ...]:
        """What was lacked, by all or by one case: each request once, sorted, for all trials that want it."""
        return spread(self._tally.missing(case), self._wanted, self._is_stored)

    def _is_stored(self, slot: Slot, n: int) -> bool:
        try:
            return self._layers.answer(slot, n) is not None
        except RecordingError:  # damaged, which the test that asks says
            return False

    def wants(self, case: str, trials: int) -> None:
        """Say how many trials of a case are to be made, so that what one of them lacks is asked for all of them."""
        self._wanted[case] = trials

    def answering_trials(self, case: str) -> int:
        """Of how many trials of a case answers are stored to what its first trial asked; call it after that one."""
        return answering(self._layers.heads([case]), self._tally.given(case))

    def stored_trials(self, case: str) -> int:
        """Of how many trials of a case answers are stored."""
        return len(self._layers.trials(case))

    def same_answers(self, case: str) -> str:
        """Digest of what the trials of a case were given, where two or more asked, and all were given the very same
        answers to the same requests; else empty.

        They are then one sample however many they are: a model without chance, or one answer that a cache gave again.
        Answers that carry ids of their own differ, so that equal texts of separate calls count as separate.
        """
        samples = self._tally.samples(case)
        if len(samples) < 2 or any(sample != samples[0] for sample in samples[1:]):
            return ""
        return blake2b(repr(samples[0]).encode(), digest_size=16).hexdigest()

    def unused(self, cases: Iterable[str] | None = None) -> tuple[Head, ...]:
        """Stored answers that were not given, sorted.

        Args:
            cases: those that ran; None for all that are stored.
        """
        wanted = None if cases is None else frozenset(cases)
        left = [head for head in self._layers.heads(wanted) if not head.failed]
        with self._tally.turn():
            left = [head for head in left if head.n >= self._tally.position(head.slot)[0]]
        return tuple(sorted(left, key=lambda head: head.order))

    @property
    def notices(self) -> tuple[str, ...]:
        """What was recovered, one sentence each."""
        return (*(self._recording.notices if self._recording is not None else ()), *self._layers.notices())
