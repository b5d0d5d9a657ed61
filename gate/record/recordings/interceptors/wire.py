"""HTTP/1.1 as bytes: an answer written for a client's own parser, and a live one read beside it.

Framing follows RFC 9112, sections 6 and 7.
"""

from __future__ import annotations

from collections.abc import Iterator
from http import HTTPStatus

from gate.record.recordings.exchange import Answer, Headers
from gate.record.recordings.interceptors.capture import Capture, content_length, has_body, is_chunked

REASON = ":reason"
"""Stands among the headers of an answer whose reason phrase is not the usual one of its status."""
CONTINUE = b"HTTP/1.1 100 Continue\r\n\r\n"


def usual_reason(status: int) -> str:
    """The phrase that goes with a status (RFC 9110, section 15); empty for an unknown one."""
    try:
        return HTTPStatus(status).phrase
    except ValueError:
        return ""


def with_reason(status: int, reason: str, headers: Headers) -> Headers:
    """Headers that also keep an unusual reason phrase."""
    return headers if reason in ("", usual_reason(status)) else ((REASON, reason), *headers)


def reason_of(answer: Answer) -> str:
    """The reason phrase of a stored answer."""
    return next((value for name, value in answer.headers if name == REASON), usual_reason(answer.status))


def to_bytes(text: str) -> bytes:
    """A header's text as it stood on the wire: a character a byte, where it has only such."""
    line = text.replace("\r", " ").replace("\n", " ")
    try:
        return line.encode("latin-1")
    except UnicodeEncodeError:
        return line.encode()


def to_text(data: bytes) -> str:
    """A header's bytes as text, a byte a character, so that nothing is lost."""
    return data.decode("latin-1")


def raw_headers(answer: Answer) -> list[tuple[bytes, bytes]]:
    """The headers of a stored answer as a client gets them."""
    return [(to_bytes(name), to_bytes(value)) for name, value in answer.headers if not name.startswith(":")]


def pieces(answer: Answer, method: str) -> Iterator[bytes]:
    """A stored answer as bytes: its head, then each chunk, framed as it was; the end comes with the last one.

    A whole body gets the size that it has now, since removing a secret or a coding may have changed it. A broken one
    keeps what was promised, so that the client finds it broken; one that failed before its head has no bytes.
    """
    if not answer.status:
        return
    bodied, chunked = has_body(method, answer.status), is_chunked(answer.headers)
    size = str(sum(map(len, answer.chunks))).encode()
    lines = [b"HTTP/1.1 %d %b" % (answer.status, to_bytes(reason_of(answer)))]
    for name, value in raw_headers(answer):
        sized = bodied and not chunked and not answer.failure and name.lower() == b"content-length"
        lines.append(b"%b: %b" % (name, size if sized else value))
    yield b"\r\n".join([*lines, b"", b""])
    if not bodied:
        return
    framed = [b"%x\r\n%b\r\n" % (len(chunk), chunk) if chunked else chunk for chunk in answer.chunks if chunk]
    if chunked and not answer.failure:
        framed[-1:] = [b"".join([*framed[-1:], b"0\r\n\r\n"])]
    yield from framed


class Body:
    """Finds the body and its end in the bytes behind a head.

    Args:
        length: in bytes; none where the body ends with the connection, or is chunked.
        chunked: whether it comes in chunks.
    """

    def __init__(self, length: int | None, chunked: bool) -> None:
        self._left = None if chunked else length
        self._chunked = chunked
        self._buffer = bytearray()
        self._chunk: int | None = None
        self._trailer = False
        self.ends_with_connection = not chunked and length is None
        self.complete = not chunked and length == 0

    def feed(self, data: bytes) -> Iterator[bytes]:
        """The pieces of the body that these bytes complete: whole chunks, or what came."""
        if self._chunked:
            self._buffer += data
            while not self.complete:
                piece = self._step()
                if piece is None:
                    return
                if piece:
                    yield piece
        elif not self.complete:
            piece = data if self._left is None else data[: self._left]
            if self._left is not None:
                self._left -= len(piece)
                self.complete = not self._left
            if piece:
                yield piece

    def _step(self) -> bytes | None:
        """One line or one chunk of the buffer; nothing while it is not whole."""
        if self._chunk is not None:
            if len(self._buffer) < self._chunk + 2:
                return None
            piece = bytes(self._buffer[: self._chunk])
            del self._buffer[: self._chunk + 2]
            self._chunk = None
            return piece
        end = self._buffer.find(b"\n")
        if end < 0:
            return None
        line = bytes(self._buffer[:end]).rstrip(b"\r")
        del self._buffer[: end + 1]
        if self._trailer:
            self.complete = not line
        else:
            self._chunk = int(line.partition(b";")[0], 16)
            if not self._chunk:
                self._chunk, self._trailer = None, True
        return b""


class Head:
    """Collects bytes until a head is whole."""

    def __init__(self) -> None:
        self._buffer = bytearray()

    def feed(self, data: bytes) -> tuple[bytes, Headers, bytes] | None:
        """The first line, the headers and what follows them; nothing while the head is not whole."""
        self._buffer += data
        ends = [(place, len(mark)) for mark in (b"\r\n\r\n", b"\n\n") if (place := self._buffer.find(mark)) >= 0]
        if not ends:
            return None
        place, width = min(ends)
        first, *lines = bytes(self._buffer[:place]).split(b"\n")
        rest = bytes(self._buffer[place + width :])
        self._buffer.clear()
        return first.rstrip(b"\r"), _headers(lines), rest


def _headers(lines: list[bytes]) -> Headers:
    """Header lines as pairs; a folded line belongs to the one before it."""
    found: list[tuple[str, str]] = []
    for line in lines:
        text = to_text(line.rstrip(b"\r"))
        if text[:1] in (" ", "\t") and found:
            found[-1] = (found[-1][0], f"{found[-1][1]} {text.strip()}")
        else:
            name, _, value = text.partition(":")
            found.append((name.strip(), value.strip()))
    return tuple(found)


class Reader:
    """Reads a live answer beside the client's own parser, for a capture.

    Args:
        capture: what takes it.
        method: of the request, in capitals.
    """

    def __init__(self, capture: Capture, method: str) -> None:
        self.capture = capture
        self._method = method
        self._head: Head | None = Head()
        self._body = Body(0, False)

    def feed(self, data: bytes) -> None:
        """More bytes have come, and are on their way to the client."""
        if self.capture.done:
            return
        try:
            self._feed(data)
        except ValueError:
            self.capture.fail("protocol")

    def _feed(self, data: bytes) -> None:
        while self._head is not None:
            head = self._head.feed(data)
            if head is None:
                return
            first, headers, data = head
            code, _, reason = to_text(first).partition(" ")[2].strip().partition(" ")
            status = int(code)
            if status == HTTPStatus.SWITCHING_PROTOCOLS:
                self.capture.fail("protocol")
                return
            if status < 200:
                continue
            self._head = None
            self.capture.start(status, with_reason(status, reason.strip(), headers))
            length = content_length(headers) if has_body(self._method, status) else 0
            self._body = Body(length, is_chunked(headers) and has_body(self._method, status))
        for piece in self._body.feed(data):
            self.capture.chunk(piece)
        if self._body.complete:
            self.capture.finish()

    def end(self) -> None:
        """The connection has ended."""
        if self._head is None and self._body.ends_with_connection:
            self.capture.finish()
        else:
            self.capture.fail("protocol")
