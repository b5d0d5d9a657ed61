"""A session that keeps what it records in memory, for tests of what asks one."""

from __future__ import annotations

import threading
from collections import defaultdict
from collections.abc import Callable
from dataclasses import dataclass, field, replace

from gate.errors import MissingRecordingError
from gate.record.recordings.exchange import Answer, Failure, Headers, Recorder, Request, Scope

Key = tuple[str, str, bytes]


@dataclass
class Taken:
    """What one recorder was given; `answer` once it ended."""

    request: Request
    keep: Callable[[Request, Answer], None]
    status: int = 0
    headers: Headers = ()
    chunks: list[bytes] = field(default_factory=list)
    answer: Answer | None = None
    ends: int = 0

    def start(self, status: int, headers: Headers) -> None:
        assert self.status == 0, "an answer starts once"
        self.status, self.headers = status, headers

    def chunk(self, data: bytes) -> None:
        assert data
        assert self.answer is None, "nothing comes after the end"
        self.chunks.append(data)

    def finish(self) -> None:
        assert self.status, "no end without a head"
        self._end("")

    def fail(self, failure: Failure) -> None:
        self._end(failure)

    def _end(self, failure: Failure) -> None:
        self.ends += 1
        self.answer = Answer(self.status, self.headers, tuple(self.chunks), failure)
        self.keep(self.request, self.answer)


class RememberingSession:
    """Records each call, whole or failed, by method, URL and body; once `replaying`, answers in that order.

    Attributes:
        taken: a recorder's content for each live call.
        asked: every request with its scope.
    """

    def __init__(self) -> None:
        self.replaying = False
        self.taken: list[Taken] = []
        self.asked: list[tuple[Request, Scope]] = []
        self._stored: dict[Key, list[Answer]] = defaultdict(list)
        self._lock = threading.Lock()

    @property
    def answers(self) -> list[Answer]:
        """What came of the live calls, in the order in which they were asked; each must have ended once."""
        assert [one.ends for one in self.taken] == [1] * len(self.taken)
        return [one.answer for one in self.taken if one.answer is not None]

    def put(self, url: str, answer: Answer, *, method: str = "GET", body: bytes = b"") -> None:
        """Store an answer."""
        with self._lock:
            self._stored[(method, url, body)].append(answer)

    def ask(self, request: Request, scope: Scope) -> Answer | Recorder:
        key = request.method, request.url, request.body
        with self._lock:
            self.asked.append((request, scope))
            if not self.replaying:
                self.taken.append(Taken(request, self._keep))
                return self.taken[-1]
            if not self._stored[key]:
                raise MissingRecordingError(f"nothing is stored for {request.method} {request.url}")
            return replace(self._stored[key].pop(0))

    def _keep(self, request: Request, answer: Answer) -> None:
        self.put(request.url, answer, method=request.method, body=request.body)
