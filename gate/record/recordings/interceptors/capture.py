"""A live answer on its way into a recorder: it ends once, whole or not."""

from __future__ import annotations

import contextlib
import zlib

from gate.errors import RecordingError
from gate.record.recordings.exchange import Failure, Headers, Recorder

BODILESS = frozenset({204, 304})
REDIRECTS = frozenset({301, 302, 303, 307, 308})
_TAIL = 4096
_LAST_EVENTS = (
    b"data: [DONE]",
    b"data:[DONE]",
    b"event: message_stop",
    b"event: response.completed",
    b"event: response.failed",
    b"event: response.incomplete",
)


def header(headers: Headers, name: str) -> str:
    """The last value of a header, in lower case; empty for none."""
    return next((value.strip().lower() for key, value in reversed(headers) if key.lower() == name), "")


def is_chunked(headers: Headers) -> bool:
    """Whether the body came in chunks of HTTP/1.1 (RFC 9112, section 7.1)."""
    return header(headers, "transfer-encoding").rpartition(",")[2].strip() == "chunked"


def content_length(headers: Headers) -> int | None:
    """What a head says about the size of the body in bytes; nothing where it does not say, or says nonsense."""
    text = header(headers, "content-length")
    return int(text) if text.isascii() and text.isdigit() else None


def has_body(method: str, status: int) -> bool:
    """Whether such an answer can have a body (RFC 9112, section 6.3)."""
    return method != "HEAD" and status not in BODILESS and status >= 200


class Capture:
    """Passes the parts of one answer on to a recorder, and ends it once.

    Args:
        recorder: what takes them.
        method: of the request, in capitals.

    Attributes:
        started: whether the head has come.
        done: whether it has ended.
    """

    def __init__(self, recorder: Recorder, method: str) -> None:
        self._recorder = recorder
        self._method = method
        self._status = 0
        self._headers: Headers = ()
        self._size = 0
        self._expected: int | None = None
        self._encoded = bytearray()
        self._tail = b""
        self.started = self.done = False

    def start(self, status: int, headers: Headers) -> None:
        """The head has come."""
        if self.done:
            return
        self.started, self._status, self._headers = True, status, headers
        length = None if is_chunked(headers) else content_length(headers)
        self._expected = length if has_body(self._method, status) else 0
        self._recorder.start(status, headers)

    def chunk(self, data: bytes) -> None:
        """A piece of the body has come."""
        if self.done or not data:
            return
        self._size += len(data)
        self._tail = (self._tail + data[-_TAIL:])[-_TAIL:]
        if self._is_compressed_stream:
            self._encoded += data
        self._recorder.chunk(data)

    def finish(self) -> None:
        """The body is whole."""
        if not self.done:
            self.done = True
            self._recorder.finish()

    def fail(self, failure: Failure) -> None:
        """No whole answer came. The client's own error goes on, whether or not this can be stored."""
        if not self.done:
            self.done = True
            with contextlib.suppress(RecordingError):
                self._recorder.fail(failure)

    def leave(self) -> None:
        """The client goes away. It may have all that it wants: a known size, the last event, a place to go on to.

        It is past being told of an error; a session that can't store the answer has noted that.
        """
        if self.done:
            return
        if self._expected == self._size or self._redirects or self._saw_last_event():
            with contextlib.suppress(RecordingError):
                self.finish()
        else:
            self.fail("protocol")

    @property
    def _redirects(self) -> bool:
        return self._status in REDIRECTS and bool(header(self._headers, "location"))

    @property
    def _is_compressed_stream(self) -> bool:
        return header(self._headers, "content-encoding") in ("gzip", "deflate") and self._is_stream

    @property
    def _is_stream(self) -> bool:
        return header(self._headers, "content-type").startswith("text/event-stream")

    def _saw_last_event(self) -> bool:
        """Clients of model providers stop at the event that says so, not at the end of the body behind it."""
        tail = self._tail
        if self._is_compressed_stream:
            try:
                tail = zlib.decompressobj(47).decompress(self._encoded)[-_TAIL:]
            except zlib.error:
                return False
        if not (self._is_stream and tail.replace(b"\r\n", b"\n").endswith(b"\n\n")):
            return False
        last = tail.replace(b"\r\n", b"\n").rstrip(b"\n").rpartition(b"\n\n")[2]
        return any(line.startswith(_LAST_EVENTS) for line in last.split(b"\n"))
