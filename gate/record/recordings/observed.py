"""What leaves each trial and what comes back, kept for as long as somebody needs to compare it."""

from __future__ import annotations

import json
import threading
from collections import defaultdict
from collections.abc import Iterator
from dataclasses import replace
from hashlib import blake2b
from typing import Any
from urllib.parse import unquote_plus

from gate.record.recordings import canonical
from gate.record.recordings.exchange import Answer, Failure, Headers, Recorder, Request, Scope, Session
from gate.record.recordings.volatile import Volatile
from gate.schema.observe import Sent

_LARGEST = 4_000_000
"""Bytes of a body that are looked at."""
_MOST = 200
"""Requests of one trial that are kept."""
_OF_ONE_CALL = frozenset({"id", "created", "created_at", "system_fingerprint", "usage", "x_groq", "request_id"})
"""Fields that differ between answers that say the same."""


class ObservedSession:
    """Stands in front of a session and keeps what is sent in each scope; thread-safe.

    Args:
        session: answers or records.
        volatile: parts of requests that don't count.
    """

    def __init__(self, session: Session, volatile: Volatile) -> None:
        self._session = session
        self._volatile = volatile
        self._lock = threading.Lock()
        self._sent: dict[str, dict[int, list[Sent]]] = defaultdict(dict)
        self.asked = 0
        """How many requests there were so far."""

    def ask(self, request: Request, scope: Scope) -> Answer | Recorder:
        """As the session behind it."""
        place = self._note(request, scope)
        answer = self._session.ask(request, scope)
        if isinstance(answer, Answer):
            self._came(scope, place, answer.status, answer.body)
            return answer
        return _Tapped(answer, lambda status, body: self._came(scope, place, status, body))

    def sent(self, case: str, trial: int) -> tuple[Sent, ...]:
        """Requests of one trial, in their order."""
        with self._lock:
            return tuple(self._sent.get(case, {}).get(trial, ()))

    def trials(self, case: str) -> tuple[int, ...]:
        """Numbers of the trials of a case that sent anything, sorted."""
        with self._lock:
            return tuple(sorted(self._sent.get(case, {})))

    def forget(self, case: str) -> None:
        """Let go of what a case sent."""
        with self._lock:
            self._sent.pop(case, None)

    def _note(self, request: Request, scope: Scope) -> int:
        digest = canonical.key(request, self._volatile).digest
        with self._lock:
            self.asked += 1
            sent = self._sent[scope.case].setdefault(scope.trial, [])
            if len(sent) < _MOST:
                sent.append(Sent(digest, text_of(request.body)))
                return len(sent) - 1
        return -1

    def _came(self, scope: Scope, place: int, status: int, body: bytes) -> None:
        if place < 0:
            return
        digest = said(status, body)
        with self._lock:
            sent = self._sent.get(scope.case, {}).get(scope.trial, [])
            if place < len(sent):  # else nobody wants to know any more
                sent[place] = replace(sent[place], answer=digest)


class _Tapped:
    """A recorder that also keeps the body for a look at its end."""

    def __init__(self, recorder: Recorder, came: Any) -> None:
        self._recorder = recorder
        self._came = came
        self._status = 0
        self._chunks: list[bytes] = []
        self._size = 0

    def start(self, status: int, headers: Headers) -> None:
        self._status = status
        self._recorder.start(status, headers)

    def chunk(self, data: bytes) -> None:
        self._size += len(data)
        if self._size <= _LARGEST:
            self._chunks.append(bytes(data))
        self._recorder.chunk(data)

    def finish(self) -> None:
        self._recorder.finish()
        self._came(self._status, b"".join(self._chunks))

    def fail(self, failure: Failure) -> None:
        self._recorder.fail(failure)


def text_of(body: bytes) -> str:
    """Every text in a body: of JSON all that stands in it, of anything else what can be read."""
    text = body[:_LARGEST].decode("utf-8", "replace")
    try:
        return "\n".join(_texts(json.loads(text)))
    except (ValueError, RecursionError):
        return unquote_plus(text)


def said(status: int, body: bytes) -> str:
    """Digest of an answer's texts, whole or streamed as events."""
    text = body[:_LARGEST].decode("utf-8", "replace")
    pieces = [line[5:].strip() for line in text.splitlines() if line.startswith("data:")] or [text]
    told = "".join(map(_without_ids, pieces))
    return blake2b(f"{status}\n{told}".encode("utf-8", "surrogatepass"), digest_size=16).hexdigest()


def _without_ids(text: str) -> str:
    try:
        return "\n".join(_texts(json.loads(text), _OF_ONE_CALL))
    except (ValueError, RecursionError):
        return text


def _texts(value: Any, left_out: frozenset[str] = frozenset()) -> Iterator[str]:
    if isinstance(value, str):
        yield value
    elif isinstance(value, list):
        for each in value:
            yield from _texts(each, left_out)
    elif isinstance(value, dict):
        for name, each in value.items():
            if name not in left_out:
                yield from _texts(each, left_out)
