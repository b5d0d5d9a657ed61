"""What stands in for a socket and a response of `http.client`, on which urllib3, requests and urllib rest."""

from __future__ import annotations

import contextlib
import io
from collections.abc import Iterable, Iterator
from typing import Any

from gate.record.recordings.exchange import Answer, Failure
from gate.record.recordings.interceptors.capture import Capture
from gate.record.recordings.interceptors.wire import Reader, pieces

TIME_OUT = "timed out, as it did when it was recorded"
BROKEN = "the answer broke off, as it did when it was recorded"


def failure_of(error: BaseException) -> Failure:
    """How a live call failed before an answer came."""
    if isinstance(error, TimeoutError):
        return "time-out"
    connected = isinstance(error, (ConnectionResetError, ConnectionAbortedError, BrokenPipeError))
    return "connection" if isinstance(error, OSError) and not connected else "protocol"


class _Stored(io.RawIOBase):
    """The bytes of a stored answer as a file; it breaks off or times out where the live one did."""

    def __init__(self, answer: Answer, method: str) -> None:
        self._pieces = pieces(answer, method)
        self._rest = memoryview(b"")
        self._failure = answer.failure

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: Any) -> int:
        while not self._rest:
            piece = next(self._pieces, None)
            if piece is None:
                if self._failure == "time-out":
                    raise TimeoutError(TIME_OUT)
                return 0
            self._rest = memoryview(piece)
        size = min(len(buffer), len(self._rest))
        buffer[:size] = self._rest[:size]
        self._rest = self._rest[size:]
        return size


class StoredSocket:
    """Takes what a client sends, to no end, and gives it a stored answer to read."""

    def __init__(self, answer: Answer, method: str) -> None:
        self._answer = answer
        self._method = method

    def makefile(self, *_: Any, **__: Any) -> io.BufferedReader:
        return io.BufferedReader(_Stored(self._answer, self._method))

    def sendall(self, data: Any, *_: Any) -> None:
        """Nothing is sent."""

    def send(self, data: Any, *_: Any) -> int:
        return len(data)

    def settimeout(self, value: float | None) -> None:
        """Nothing is waited for."""

    def setsockopt(self, *_: Any) -> None:
        """There is nothing to set."""

    def shutdown(self, how: int) -> None:
        """There is nothing to shut down."""

    def close(self) -> None:
        """There is nothing to close."""


class _Beside:
    """A file that shows a capture what is read from it."""

    def __init__(self, file: Any, reader: Reader) -> None:
        self._file = file
        self._reader = reader

    def _seen(self, data: bytes, *, ended: bool) -> bytes:
        self._reader.feed(data)
        if ended:
            self._reader.end()
        return data

    def _read(self, name: str, size: int | None) -> bytes:
        try:
            data: bytes = getattr(self._file, name)(-1 if size is None else size)
        except BaseException as error:
            self._reader.capture.fail("time-out" if isinstance(error, TimeoutError) else "protocol")
            raise
        whole = size is None or size < 0
        ended = (not data and size != 0) or (name == "read" and (whole or len(data) < (size or 0)))
        return self._seen(data, ended=ended)

    def read(self, size: int | None = -1) -> bytes:
        return self._read("read", size)

    def read1(self, size: int = -1) -> bytes:
        return self._read("read1", size)

    def readline(self, size: int = -1) -> bytes:
        return self._read("readline", size)

    def readinto(self, buffer: Any) -> int:
        data = self._read("read", len(buffer))
        buffer[: len(data)] = data
        return len(data)

    def close(self) -> None:
        self._reader.capture.leave()
        self._file.close()

    def __del__(self) -> None:
        self._reader.capture.leave()

    def __getattr__(self, name: str) -> Any:
        return getattr(self._file, name)


class _Observed:
    """Goes before a response class, so that a capture sees the bytes as well."""

    capture: Capture

    def begin(self: Any) -> None:
        if getattr(self, "headers", None) is None:
            self.fp = _Beside(self.fp, Reader(self.capture, getattr(self, "_method", None) or "GET"))
        super().begin()  # type: ignore[misc]


@contextlib.contextmanager
def observed(connection: Any, capture: Capture) -> Iterator[None]:
    """Let a capture see the response that a connection makes within the block."""
    kind, own = connection.response_class, vars(connection).get("response_class")
    if not isinstance(kind, type):
        yield
        return
    connection.response_class = type(kind.__name__, (_Observed, kind), {"capture": capture})
    try:
        yield
    finally:
        if own is None:
            vars(connection).pop("response_class", None)
        else:
            connection.response_class = own


def whole_body(body: Any, encoding: str = "utf-8") -> tuple[bytes, Any]:
    """All bytes of a request's body, and a body of the same kind that can still be sent.

    Strings and bytes are sent as one; files and iterables are read once, here, and go on being sent as what they are,
    so that the framing is that of the client.
    """
    if body is None:
        return b"", None
    if isinstance(body, str):
        return body.encode(encoding), body
    if isinstance(body, (bytes, bytearray, memoryview)):
        return bytes(body), body
    if hasattr(body, "read"):
        data = body.read()
        data = data.encode(encoding) if isinstance(data, str) else bytes(data)
        return data, io.BytesIO(data)
    if isinstance(body, Iterable):
        data = b"".join(part.encode(encoding) if isinstance(part, str) else bytes(part) for part in body)
        return data, iter([data] if data else [])
    return b"", body
