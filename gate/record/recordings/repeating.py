"""Gives what is set up more than once in a run the same answers each time: fixtures of wider scopes than a test.

Every process of pytest-xdist sets them up for itself, and pytest sets one up again where tests with other parameters
come between. The first time is asked, and recorded, and counted; the others are given what it was given, so that the
answers that follow from it fit, and so that a replay, which may set it up once or ten times, finds what it needs. The
same holds for calls outside of tests, which every process makes while it collects.
"""

from __future__ import annotations

import base64
import contextlib
import json
import os
import threading
from collections import Counter, defaultdict
from collections.abc import Callable, Iterator
from hashlib import blake2b
from pathlib import Path

from gate.record.recordings import canonical
from gate.record.recordings.exchange import Answer, Failure, Headers, Recorder, Request, Scope, Session
from gate.record.recordings.locking import locked_file
from gate.record.recordings.volatile import NONE, Volatile

_PATIENCE = 900.0
"""Seconds in which another process may set a fixture up."""


class Repeating:
    """Stands before a session; thread-safe. Processes that fork from its own ask the session each time.

    Args:
        session: asked the first time.
        volatile: parts of requests that don't count.
        folder: where processes of one run share what they were given; None for this process alone.
        failures: whether failures are answers.
    """

    def __init__(
        self, session: Session, volatile: Volatile = NONE, *, folder: Path | None = None, failures: bool = False
    ) -> None:
        self._session = session
        self._volatile = volatile
        self._folder = folder
        self._failures = failures
        self._process = os.getpid()
        self._given: dict[str, _Given] = {}
        outside = _Given(folder / "outside", brief=True) if folder is not None else None
        self._open: dict[str, _Given] = {} if outside is None else {"": outside}

    def ask(self, request: Request, scope: Scope) -> Answer | Recorder:
        """As `Session.ask`; within an instance of a case, what an earlier one was given."""
        __tracebackhide__ = True
        given = self._open.get(scope.case)
        if given is None or os.getpid() != self._process:
            return self._session.ask(request, scope)
        key = canonical.key(request, self._volatile).digest
        known = given.next(key)
        if known is not None:
            return known
        try:
            found = self._session.ask(request, scope)
        except BaseException:
            given.end_call()
            raise
        if isinstance(found, Answer):
            given.add(key, found)
            return found
        return _Both(found, lambda answer: self._came(given, key, answer))

    def _came(self, given: _Given, key: str, answer: Answer) -> None:
        if answer.failure and not self._failures:
            given.end_call()
        else:
            given.add(key, answer)

    @contextlib.contextmanager
    def instance(self, case: str, *, goes_on: bool = False) -> Iterator[None]:
        """Within the block this process sets a case up; other processes that ask for the same case wait.

        Args:
            goes_on: whether this is a later part of the same instance, such as its tear-down.
        """
        given = self._given.get(case)
        if given is None:
            name = blake2b(case.encode("utf-8", "surrogatepass"), digest_size=16).hexdigest()
            given = self._given[case] = _Given(self._folder / name if self._folder is not None else None)
        if not goes_on:
            given.begin()
        self._open[case] = given
        try:
            yield
        finally:
            del self._open[case]
            given.release()


class _Given:
    """What a case was given, in order, by key.

    Args:
        path: file that the processes of a run share; None for this process alone.
        brief: whether other processes may go on between two calls, and not only at the end of an instance.
    """

    def __init__(self, path: Path | None, *, brief: bool = False) -> None:
        self._path = path
        self._brief = brief
        self._answers: dict[str, list[Answer]] = defaultdict(list)
        self._taken: Counter[str] = Counter()
        self._lock = threading.RLock()
        self._held = contextlib.ExitStack()
        self._handle: int | None = None
        self._read = 0

    def begin(self) -> None:
        """The next instance takes from the start."""
        with self._lock:
            self._taken.clear()

    def next(self, key: str) -> Answer | None:
        """The next answer to a request; None where it is to be asked."""
        with self._lock:
            self._hold()
            place = self._taken[key]
            self._taken[key] += 1
            known = self._answers[key]
            if place >= len(known):
                return None
            if self._brief:
                self.release()
            return known[place]

    def add(self, key: str, answer: Answer) -> None:
        """Keep an answer for later instances."""
        with self._lock:
            holding = self._handle is not None
            self._hold()
            self._answers[key].append(answer)
            if self._handle is not None:
                self._read += os.pwrite(self._handle, _to_line(key, answer), self._read)
            if self._brief or not holding:  # else a stream that was read to its end later
                self.release()

    def end_call(self) -> None:
        """A call has no answer to keep."""
        if self._brief:
            self.release()

    def release(self) -> None:
        """Let other processes set the case up."""
        with self._lock:
            self._handle = None
            self._held.close()

    def _hold(self) -> None:
        """Keep other processes out from the first request on, having read what they were given."""
        if self._path is None or self._handle is not None:
            return
        self._handle = self._held.enter_context(locked_file(self._path, _PATIENCE))
        data = bytearray()
        while piece := os.pread(self._handle, 1 << 20, self._read + len(data)):
            data += piece
        whole = data.rfind(b"\n") + 1  # a process may have been killed while it wrote
        for line in bytes(data[:whole]).splitlines():
            key, answer = _from_line(line)
            self._answers[key].append(answer)
        self._read += whole


class _Both:
    """A recorder that also keeps the answer."""

    def __init__(self, recorder: Recorder, keep: Callable[[Answer], object]) -> None:
        self._recorder = recorder
        self._keep = keep
        self._status = 0
        self._headers: Headers = ()
        self._chunks: list[bytes] = []
        self._over = False

    def start(self, status: int, headers: Headers) -> None:
        self._status, self._headers = status, tuple(headers)
        self._recorder.start(status, headers)

    def chunk(self, data: bytes) -> None:
        if data and not self._over:
            self._chunks.append(bytes(data))
        self._recorder.chunk(data)

    def finish(self) -> None:
        self._recorder.finish()
        self._end("")

    def fail(self, failure: Failure) -> None:
        self._recorder.fail(failure)
        self._end(failure)

    def _end(self, failure: Failure) -> None:
        if not self._over:
            self._over = True
            self._keep(Answer(self._status, self._headers, tuple(self._chunks), failure))


def _to_line(key: str, answer: Answer) -> bytes:
    chunks = [base64.b64encode(chunk).decode("ascii") for chunk in answer.chunks]
    return json.dumps([key, answer.status, answer.headers, chunks, answer.failure]).encode("ascii") + b"\n"


def _from_line(line: bytes) -> tuple[str, Answer]:
    key, status, headers, chunks, failure = json.loads(line)
    pairs = tuple((name, value) for name, value in headers)
    return key, Answer(status, pairs, tuple(base64.b64decode(chunk) for chunk in chunks), failure)
