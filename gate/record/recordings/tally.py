"""What a session gave, asked and lacked so far: one truth for all threads, and for all processes that fork from it."""

from __future__ import annotations

import contextlib
import json
import threading
from collections import defaultdict
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Any, Literal

from gate import errors
from gate.record.recordings import forks
from gate.record.recordings.entry import Slot, to_json
from gate.record.recordings.exchange import Scope
from gate.record.recordings.missing import MissingEntry, from_told, joined, to_fields
from gate.record.recordings.shared_log import SharedLog

What = Literal["live", "replayed", "stored", "failed", "missing", "exhausted", "refused", "broken"]


@dataclass(frozen=True, slots=True)
class Counts:
    """Calls of a case, or of all.

    Attributes:
        live: left the machine.
        replayed: answered from what is stored.
        failed: of the live ones, those without a whole answer or with status 401, 403, 429, 5xx and their like.
        missing: nothing was stored for them.
        exhausted: asked for more often than is stored.
        refused: beyond a budget.
        broken: could not be read or stored.
    """

    live: int = 0
    replayed: int = 0
    failed: int = 0
    missing: int = 0
    exhausted: int = 0
    refused: int = 0
    broken: int = 0


@dataclass(frozen=True, slots=True)
class Event:
    """One thing that happened to a call.

    Attributes:
        what: happened.
        slot: of the call.
        n: its occurrence; None where it has none.
        failed: the how-manieth failure before it was given; 0 for an answer.
        sample: digest of the answer that was given.
        error: what was raised.
        missing: what was lacked.
    """

    what: What
    slot: Slot
    n: int | None = None
    failed: int = 0
    sample: str = ""
    error: errors.RecordingError | None = None
    missing: MissingEntry | None = None


@dataclass(slots=True)
class _Case:
    counts: dict[str, int] = field(default_factory=lambda: defaultdict(int))
    samples: dict[int, list[tuple[str, int, str]]] = field(default_factory=lambda: defaultdict(list))
    answered: set[Slot] = field(default_factory=set)
    failed: set[Slot] = field(default_factory=set)


class Tally:
    """Takes events; every read and write happens within a `turn`."""

    rank = 0

    def __init__(self) -> None:
        self.lock = threading.RLock()
        self._position: dict[Slot, tuple[int, int]] = {}
        self._stored: dict[Slot, set[int]] = defaultdict(set)
        self._cases: dict[str, _Case] = defaultdict(_Case)
        self._counts: dict[str, int] = defaultdict(int)
        self._notes: dict[Scope, list[errors.RecordingError]] = defaultdict(list)
        self._missing: list[MissingEntry] = []
        self._log = SharedLog()
        forks.protect(self)

    def before_fork(self) -> None:
        """From here on events also go to a file without a name that parent and child have open."""
        self._log.before_fork()

    @contextmanager
    def turn(self) -> Iterator[None]:
        """Keep other threads and forked processes out, having read what they did.

        Raises:
            RecordingError: the file that forked processes share was closed.
        """
        with self.lock, contextlib.ExitStack() as held:
            try:
                lines = held.enter_context(self._log.turn())
            except OSError as error:
                raise errors.RecordingError(
                    f"a forked process can't tell which answers were given: {error}",
                    remedy="leave files open that the process inherited, or ask from one process",
                ) from None
            for line in lines:
                self._apply(_from_fields(json.loads(line)))
            yield

    def happened(self, event: Event) -> None:
        """Take one event; only within a turn."""
        self._apply(event)
        if not self._log.alone:
            self._log.append(to_json(_as_fields(event)) + b"\n")

    def position(self, slot: Slot) -> tuple[int, int]:
        """Number of the next answer in a slot, and how many failures before it were given; only within a turn."""
        n, failed = self._position.get(slot, (0, 0))
        stored = self._stored.get(slot, ())
        while n in stored:  # answered live in this session already
            n, failed = n + 1, 0
        return n, failed

    def counts(self, case: str) -> Counts:
        """Calls of one case."""
        with self.turn():
            return Counts(**self._cases[case].counts) if case in self._cases else Counts()

    def totals(self) -> Counts:
        """Calls of all cases; asked after every test, so no sum over them."""
        with self.turn():
            return Counts(**self._counts)

    def cases(self) -> tuple[str, ...]:
        """Cases that made calls, sorted."""
        with self.turn():
            return tuple(sorted(self._cases))

    @property
    def untroubled(self) -> bool:
        """Whether no error was noted in any scope, and no forked process could have noted one unseen."""
        return not self._notes and self._log.alone

    def noted(self, scope: Scope) -> tuple[errors.RecordingError, ...]:
        """Errors in a scope, in their order."""
        with self.turn():
            return tuple(self._notes.get(scope, ()))

    def missing(self, case: str | None = None) -> tuple[MissingEntry, ...]:
        """What was lacked by all, or by one case, joined and sorted."""
        with self.turn():
            return joined(each for each in self._missing if case is None or each.asked[0].case == case)

    def given(self, case: str) -> dict[int, set[str]]:
        """Keys of the requests of a case that were answered, by trial."""
        with self.turn():
            samples = self._cases[case].samples if case in self._cases else {}
            return {trial: {key for key, _, _ in given} for trial, given in samples.items()}

    def failed_only(self, case: str) -> bool:
        """Whether a request of a case failed each time it was sent in this session."""
        with self.turn():
            mine = self._cases.get(case)  # to ask about a case makes none
            return mine is not None and bool(mine.failed - mine.answered)

    def samples(self, case: str) -> list[tuple[tuple[str, int, str], ...]]:
        """What each trial of a case was given: key, occurrence and digest of every answer, sorted."""
        with self.turn():
            samples = self._cases[case].samples if case in self._cases else {}
            return [tuple(sorted(given)) for _, given in sorted(samples.items())]

    def _apply(self, event: Event) -> None:
        case, trial, key = event.slot
        mine = self._cases[case]
        if event.what != "stored":
            mine.counts[event.what] += 1
            self._counts[event.what] += 1
        if event.sample and event.n is not None:
            mine.samples[trial].append((key, event.n, event.sample))
        if event.what == "stored":
            mine.answered.add(event.slot)
            if event.n is not None:
                self._stored[event.slot].add(event.n)
        elif event.what == "failed":
            mine.failed.add(event.slot)
        elif event.n is not None:
            self._position[event.slot] = (event.n, event.failed) if event.failed else (event.n + 1, 0)
        if event.error is not None:
            self._notes[Scope(case, trial)].append(event.error)
        if event.missing is not None:
            self._missing.append(event.missing)


def _as_fields(event: Event) -> dict[str, Any]:
    error = event.error
    return {
        "what": event.what,
        "slot": event.slot,
        "n": event.n,
        "failed": event.failed,
        "sample": event.sample,
        "error": [type(error).__name__, error.message, error.where, error.remedy] if error is not None else None,
        "missing": to_fields(event.missing) if event.missing is not None else None,
    }


def _from_fields(data: dict[str, Any]) -> Event:
    case, trial, key = data["slot"]
    error = None
    if data["error"] is not None:
        name, message, where, remedy = data["error"]
        error = getattr(errors, name, errors.RecordingError)(message, where=where, remedy=remedy)
    missing = from_told(data["missing"]) if data["missing"] is not None else None
    return Event(data["what"], (case, trial, key), data["n"], data["failed"], data["sample"], error, missing)
