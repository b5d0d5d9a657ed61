"""Takes down the answer of one live call while the client reads it."""

from __future__ import annotations

import threading
from collections.abc import Callable

from gate.record.recordings.exchange import Answer, Failure, Headers

LARGEST = 256 * 1024 * 1024
"""Bytes of an answer beyond which it is not stored: one that never ends must not fill the memory."""

Ended = Callable[[Answer, bool], None]
"""Takes the answer, and whether it was too large to be kept."""


class LiveCall:
    """A recorder of one call. What comes after its end is ignored, so that a client may close an answer twice.

    Args:
        ended: called once, with the answer or the failure.
        keep: whether the body is needed.
    """

    def __init__(self, ended: Ended, *, keep: bool = True) -> None:
        self._ended = ended
        self._keep = keep
        self._status = 0
        self._headers: Headers = ()
        self._chunks: list[bytes] = []
        self._size = 0
        self._lock = threading.Lock()
        self._over = False

    def start(self, status: int, headers: Headers) -> None:
        """The head has come."""
        self._status, self._headers = status, tuple(headers)

    def chunk(self, data: bytes) -> None:
        """A piece of the body has come."""
        self._size += len(data)
        if self._size > LARGEST:
            self._chunks.clear()
        elif self._keep and data and not self._over:
            self._chunks.append(bytes(data))

    def finish(self) -> None:
        """The body is complete.

        Raises:
            RecordingError: it could not be stored.
        """
        self._end("")

    def fail(self, failure: Failure) -> None:
        """No whole answer came.

        Raises:
            RecordingError: that could not be stored.
        """
        self._end(failure)

    def _end(self, failure: Failure) -> None:
        with self._lock:
            if self._over:
                return
            self._over = True
        self._ended(Answer(self._status, self._headers, tuple(self._chunks), failure), self._size > LARGEST)
