"""Calls of a model that answers each one differently, recorded and replayed."""

from __future__ import annotations

import datetime as dt
import json
import threading
from itertools import count
from pathlib import Path
from typing import Any

from gate.record.recordings.exchange import Answer, Failure, Request, Scope
from gate.record.recordings.session import Mode, RecordingSession
from gate.record.recordings.store import Store

CASE = "tests/test_a.py::test_x"


SCOPE = Scope(CASE)


SECRET = "sk-proj-9fK2mQ7xT4bV8nL1cR6wZ3yH5jD0"


def asking(text: str, *, retries: int = 0) -> Request:
    body = json.dumps({"model": "gpt-4o-mini", "messages": [{"role": "user", "content": text}]}).encode()
    headers = (
        ("Authorization", f"Bearer {SECRET}"),
        ("Content-Type", "application/json"),
        ("User-Agent", "OpenAI/Python 1.50.0"),
        ("x-stainless-retry-count", str(retries)),
    )
    return Request("POST", "https://api.openai.com/v1/chat/completions", headers, body)


class Upstream:
    """Answers with a number that grows, so that every call differs; or as it is told."""

    def __init__(self, *statuses: int | Failure) -> None:
        self._numbers = count()
        self._statuses = list(statuses)
        self._lock = threading.Lock()
        self.calls = 0

    def answer(self) -> tuple[int | Failure, bytes]:
        with self._lock:
            self.calls += 1
            status = self._statuses.pop(0) if self._statuses else 200
            body = {"id": f"chatcmpl-{next(self._numbers)}", "model": "gpt-4o-mini-2024-07-18"}
            return status, json.dumps(body).encode()


def call(session: RecordingSession, request: Request, scope: Scope, upstream: Upstream) -> Answer:
    found = session.ask(request, scope)
    if isinstance(found, Answer):
        return found
    status, body = upstream.answer()
    if isinstance(status, str):
        found.fail(status)
        return Answer(0, failure=status)
    found.start(status, (("content-type", "application/json"),))
    found.chunk(body[:5])
    found.chunk(body[5:])
    found.finish()
    return Answer(status, (), (body,))


def opened(folder: Path, mode: Mode, **options: Any) -> RecordingSession:
    return RecordingSession(Store(folder), mode, today=lambda: dt.date(2025, 11, 30), **options)


def recorded(
    folder: Path, *calls: tuple[str, Scope], mode: Mode = "record", upstream: Upstream | None = None
) -> list[bytes]:
    upstream = upstream or Upstream()
    session = opened(folder, mode, can_record=True)
    answers = [call(session, asking(text), scope, upstream).body for text, scope in calls]
    for case in {scope.case for _, scope in calls}:
        session.ended(case)
    session.finish()
    return answers


def replayed(session: RecordingSession, *calls: tuple[str, Scope]) -> list[bytes]:
    return [call(session, asking(text), scope, Upstream()).body for text, scope in calls]


CALLS = [
    ("a", Scope(CASE, 0)),
    ("a", Scope(CASE, 0)),
    ("b", Scope(CASE, 0)),
    ("a", Scope(CASE, 1)),
    ("a", Scope("tests/test_a.py::test_y", 0)),
    ("a", Scope("tests/test_b.py::test_z", 0)),
    ("a", Scope()),
]
