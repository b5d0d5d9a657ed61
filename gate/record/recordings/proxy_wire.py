"""HTTP as the proxy speaks it on both sides: bodies of requests, and which headers are passed on (RFC 9110, 9112)."""

from __future__ import annotations

import json
from collections.abc import Iterable
from io import BufferedIOBase

from gate.record.recordings.exchange import Headers

_LINE = 65_536
_HOP_BY_HOP = frozenset(
    {
        "connection",
        "keep-alive",
        "proxy-authenticate",
        "proxy-authorization",
        "proxy-connection",
        "te",
        "trailer",
        "transfer-encoding",
        "upgrade",
    }
)
_OF_THIS_CONNECTION = _HOP_BY_HOP | {"host", "content-length", "expect"}


class BadRequestError(Exception):
    """A request that can't be read; the connection can't be used any more."""


class ClientGoneError(Exception):
    """The client went away in the middle of its own request."""


def read_body(headers: Headers, stream: BufferedIOBase) -> bytes:
    """The whole body of a request, without its framing.

    Raises:
        BadRequestError: lengths that contradict each other or are no numbers, or a broken chunk.
        ClientGoneError: the body is cut off.
    """
    codings = _values(headers, "transfer-encoding")
    lengths = {value.strip() for value in _values(headers, "content-length")}
    if codings:
        if lengths or [coding.strip().lower() for coding in codings] != ["chunked"]:
            raise BadRequestError("a body has one framing, and chunked is the only coding of a transfer")
        return b"".join(_chunks(stream))
    if not lengths:
        return b""
    length = lengths.pop()
    if lengths or not (length.isascii() and length.isdecimal()):
        raise BadRequestError("the length of the body is no number")
    return _exactly(stream, int(length))


def request_headers(headers: Headers) -> Headers:
    """What goes on to the upstream: all but what belongs to the connection with the client."""
    return _without(headers, _OF_THIS_CONNECTION)


def answer_headers(headers: Headers) -> Headers:
    """What is stored and goes on to the client."""
    return _without(headers, _HOP_BY_HOP)


def length_of(headers: Headers) -> int | None:
    """The length of the body as an answer gives it; None where it gives none that can be used."""
    lengths = {value.strip() for value in _values(headers, "content-length")}
    length = lengths.pop() if len(lengths) == 1 else ""
    return int(length) if length.isascii() and length.isdecimal() else None


def error_body(kind: str, message: str) -> bytes:
    """An error as the clients of models read it."""
    return json.dumps({"type": "error", "error": {"type": kind, "code": kind, "message": message}}).encode("utf-8")


def chunk(data: bytes) -> bytes:
    """One chunk of a chunked body; the empty one ends it."""
    return b"%x\r\n%b\r\n" % (len(data), data)


def _chunks(stream: BufferedIOBase) -> Iterable[bytes]:
    while True:
        size = _line(stream).partition(b";")[0].strip()
        if not size or size.strip(b"0123456789abcdefABCDEF"):
            raise BadRequestError("the length of a chunk is no number")
        if int(size, 16) == 0:
            break
        yield _exactly(stream, int(size, 16))
        if _line(stream).strip():
            raise BadRequestError("a chunk is longer than it says")
    while _line(stream).strip():
        pass  # trailers


def _line(stream: BufferedIOBase) -> bytes:
    line = stream.readline(_LINE)
    if not line.endswith(b"\n"):
        raise ClientGoneError
    return line


def _exactly(stream: BufferedIOBase, size: int) -> bytes:
    data = stream.read(size)
    if len(data) != size:
        raise ClientGoneError
    return data


def _values(headers: Headers, name: str) -> list[str]:
    return [value for key, value in headers if key.lower() == name]


def _without(headers: Headers, names: frozenset[str]) -> Headers:
    named = {part.strip().lower() for value in _values(headers, "connection") for part in value.split(",")}
    left_out = names | named
    return tuple((key, value) for key, value in headers if key.lower() not in left_out)
