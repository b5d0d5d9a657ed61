"""What a body is, by its headers: media type, character set, content encodings undone."""

from __future__ import annotations

import importlib
import re
import zlib
from collections.abc import Callable, Iterable
from typing import Any, Protocol

from gate.record.recordings.exchange import Headers

JSON_LINES = frozenset(
    {
        "application/x-ndjson",
        "application/ndjson",
        "application/jsonl",
        "application/x-jsonl",
        "application/jsonlines",
        "application/x-jsonlines",
        "application/json-lines",
        "application/stream+json",
        "application/json-seq",
        "text/x-ndjson",
        "text/jsonl",
    }
)
FORM = "application/x-www-form-urlencoded"
_WIDE = ("utf-16", "utf-32", "utf_16", "utf_32", "utf16", "utf32", "ucs-2", "ucs-4")


class UnreadableError(ValueError):
    """A content encoding whose codec is not installed, or data that it can't read."""


class _Stream(Protocol):
    def feed(self, data: bytes) -> bytes:
        """What these bytes decode to, as far as is known by now."""

    def end(self) -> bytes:
        """What is left."""


def header(headers: Headers, name: str) -> str:
    """All values of a header, joined by a comma; empty where it is absent. The name in small letters."""
    return ", ".join(value for key, value in headers if key.lower() == name)


def without(headers: Headers, names: Iterable[str]) -> Headers:
    """The headers but these, whose names are given in small letters."""
    left_out = frozenset(names)
    return tuple((key, value) for key, value in headers if key.lower() not in left_out)


def media_type(headers: Headers) -> str:
    """Type and subtype in small letters, without parameters; empty where none is said."""
    return header(headers, "content-type").partition(";")[0].partition(",")[0].strip().lower()


def parameter(value: str, name: str) -> str:
    """One parameter of a header such as `content-type`, unquoted; empty where it is absent."""
    for piece in value.split(";")[1:]:
        key, _, content = piece.partition("=")
        if key.strip().lower() == name:
            return content.strip().strip('"')
    return ""


def is_json(media: str) -> bool:
    """Whether a media type is one JSON document."""
    return media.endswith("+json") or media in ("application/json", "text/json")


def is_json_lines(media: str) -> bool:
    """Whether a media type is one JSON document a line."""
    return media in JSON_LINES


def is_stream(media: str) -> bool:
    """Whether a media type is events, each with a piece of a text."""
    return media == "text/event-stream" or is_json_lines(media)


def is_textual(media: str) -> bool:
    """Whether bytes of a media type are meant to be read as text."""
    return (
        is_json(media)
        or is_json_lines(media)
        or media in (FORM, "application/xml", "application/yaml", "application/graphql", "application/javascript")
        or media.startswith(("text/", "multipart/"))
        or media.endswith(("+xml", "+yaml"))
    )


def encodings(headers: Headers) -> tuple[str, ...]:
    """Content encodings in the order in which they were applied, `identity` left out."""
    names = (name.strip().lower() for name in header(headers, "content-encoding").split(","))
    return tuple(name for name in names if name and name != "identity")


def decoded(headers: Headers, body: bytes) -> bytes:
    """A body without its content encodings.

    Raises:
        UnreadableError: a codec is not installed, or the data is damaged or cut.
    """
    return b"".join(decoded_chunks(headers, (body,))) if encodings(headers) else body


def decoded_chunks(headers: Headers, chunks: Iterable[bytes]) -> tuple[bytes, ...]:
    """Chunks without their content encodings, each as far as it could be decoded when it came.

    A chunk that gave nothing by itself stays as an empty one, so that the number of chunks is kept; what only the end
    of the stream gives is added to the last.

    Raises:
        UnreadableError: a codec is not installed, or the data is damaged or cut.
    """
    pieces = list(chunks)
    for name in reversed(encodings(headers)):
        if any(pieces):
            pieces = _undo(_stream(name), pieces)
    return tuple(pieces)


def as_utf8(headers: Headers, body: bytes) -> tuple[Headers, bytes]:
    """A text in UTF-16 or UTF-32, by its character set or its byte order mark, as UTF-8; anything else untouched."""
    said = parameter(header(headers, "content-type"), "charset").lower()
    charset = said
    if not said.startswith(_WIDE):
        if not is_textual(media_type(headers)) or not body.startswith((b"\xff\xfe", b"\xfe\xff", b"\0\0\xfe\xff")):
            return headers, body
        charset = "utf-32" if body.startswith((b"\xff\xfe\0\0", b"\0\0\xfe\xff")) else "utf-16"
    try:
        text = body.decode(charset).encode()
    except (UnicodeError, LookupError):
        text = body  # it is not what it says, so that the character set goes
    pattern = re.compile(re.escape(said), re.I)
    return tuple(
        (name, pattern.sub("utf-8", value) if said and name.lower() == "content-type" else value)
        for name, value in headers
    ), text


def _undo(stream: _Stream, pieces: list[bytes]) -> list[bytes]:
    try:
        done = [stream.feed(piece) if piece else b"" for piece in pieces]
        done[-1] += stream.end()
    except UnreadableError:
        raise
    except Exception as error:  # each codec has an error class of its own, and two of them are optional
        raise UnreadableError(f"content encoding can't be undone: {error}") from None
    return done


class _Zlib:
    """gzip, which may have several members, and deflate, which some servers send without its header."""

    def __init__(self, bits: int) -> None:
        self._bits = bits
        self._reader = zlib.decompressobj(bits)
        self._begun = False

    def feed(self, data: bytes) -> bytes:
        out = []
        while data:
            if self._reader.eof:
                if not data.strip(b"\0"):
                    break
                self._reader = zlib.decompressobj(self._bits)
            out.append(self._some(data))
            data = self._reader.unused_data
        return b"".join(out)

    def _some(self, data: bytes) -> bytes:
        try:
            return self._reader.decompress(data)
        except zlib.error:
            if self._begun or self._bits != zlib.MAX_WBITS:
                raise
            self._bits = -zlib.MAX_WBITS
            self._reader = zlib.decompressobj(self._bits)
            return self._reader.decompress(data)
        finally:
            self._begun = True

    def end(self) -> bytes:
        rest = self._reader.flush()
        if self._begun and not self._reader.eof:
            raise UnreadableError("the compressed data is cut")
        return rest


class _Foreign:
    """A decompressor of an optional library, which differ in the names of their methods."""

    def __init__(self, feed: Callable[[bytes], bytes], is_done: Callable[[], bool]) -> None:
        self._feed = feed
        self._is_done = is_done

    def feed(self, data: bytes) -> bytes:
        return self._feed(data)

    def end(self) -> bytes:
        if not self._is_done():
            raise UnreadableError("the compressed data is cut")
        return b""


def _stream(name: str) -> _Stream:
    if name in ("gzip", "x-gzip"):
        return _Zlib(zlib.MAX_WBITS | 16)
    if name in ("deflate", "x-deflate"):
        return _Zlib(zlib.MAX_WBITS)
    if name == "br":
        brotli = _library("brotli", "brotlicffi").Decompressor()
        return _Foreign(brotli.process if hasattr(brotli, "process") else brotli.decompress, brotli.is_finished)
    if name == "zstd":
        zstandard = _library("zstandard").ZstdDecompressor().decompressobj()
        return _Foreign(zstandard.decompress, lambda: bool(zstandard.eof))
    raise UnreadableError(f"content encoding {name} is unknown")


def _library(*names: str) -> Any:
    for name in names:
        try:
            return importlib.import_module(name)
        except ImportError:
            continue
    raise UnreadableError(f"{names[0]} is not installed")
