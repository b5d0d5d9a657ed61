"""Bytes to text to JSON, with every damage named by file and position."""

from __future__ import annotations

import gc
import json
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any, NoReturn

from gate.errors import BaselineError, ReportError

Pairs = list[tuple[str, Any]]

_CONFLICT = ("<<<<<<<", ">>>>>>>", "|||||||")
_PACKED = {b"\x1f\x8b": "gzip", b"PK\x03\x04": "zip", b"BZh": "bzip2", b"\xfd7zXZ": "xz", b"\x28\xb5\x2f\xfd": "zstd"}
_WIDE = (b"\xff\xfe", b"\xfe\xff")


class NotFinite:
    """Stands where the file has a bare NaN or Infinity; a number that we use may not be one."""

    __slots__ = ("text",)

    def __init__(self, text: str) -> None:
        self.text = text

    def __repr__(self) -> str:
        return self.text


class RepeatedKeyError(Exception):
    """A key stands twice in one object."""


def unique(pairs: Pairs) -> dict[str, Any]:
    """An object of a file, with each key once."""
    entry = dict(pairs)
    if len(entry) != len(pairs):
        refuse_repeated(pairs)
    return entry


def refuse_repeated(pairs: Pairs) -> NoReturn:
    seen: set[str] = set()
    for key, _ in pairs:
        if key in seen:
            raise RepeatedKeyError(f"{key!r:.80}")
        seen.add(key)
    raise AssertionError("no key stands twice")


def decoder(hook: Callable[[Pairs], Any] = unique) -> json.JSONDecoder:
    """A decoder that keeps NaN and Infinity apart from numbers.

    Args:
        hook: makes the value of an object from its keys and values; it must refuse a repeated key.
    """
    return json.JSONDecoder(object_pairs_hook=hook, parse_constant=NotFinite)


_PLAIN = decoder()


def decode(data: bytes, name: str, limit: int) -> str:
    """Text of a report file.

    Raises:
        ReportError: empty, above `limit` bytes, packed, or not UTF-8.
    """
    if len(data) > limit:
        raise ReportError(
            f"{len(data):,} bytes are more than the limit of {limit:,}",
            where=name,
            remedy="raise `max-report-bytes`, or leave captured output out of the report",
        )
    for magic, kind in _PACKED.items():
        if data.startswith(magic):
            raise ReportError(f"this is a {kind} file", where=name, remedy="unpack it and name the report in it")
    try:
        text = data.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        _refuse_bytes(error, data, name)
    if not text or text.isspace():
        raise ReportError("the file is empty", where=name, remedy="look at what the suite printed when it ended")
    return text


def refuse_conflict(text: str, name: str) -> None:
    """Refuse a file that git left with conflict markers, naming the line. Never for XML, where such a line is text."""
    starts = (0 if text.startswith(marker) else text.find("\n" + marker) + 1 or len(text) for marker in _CONFLICT)
    first = min(starts)
    if first < len(text):
        raise BaselineError(
            "merge conflict markers",
            where=f"{name}:{_line(text, first)}",
            remedy="resolve the conflict, or take either side and run `gate baseline refresh`",
        )


def parse(text: str, name: str, *, line: int = 1, using: json.JSONDecoder = _PLAIN) -> Any:
    """JSON without repeated keys; a bare NaN or Infinity becomes a `NotFinite`.

    Args:
        line: line of the file on which `text` starts.
        using: made by `decoder`.

    Raises:
        ReportError: not JSON (with line and column), truncated, nested too deep, or with a repeated key.
    """
    try:
        return using.decode(text)
    except json.JSONDecodeError as error:
        _refuse_json(error, text, name, line)
    except RepeatedKeyError as error:
        message, remedy = f"the key {error} stands twice in one object", "write the report again"
    except RecursionError:
        message, remedy = "nested too deep to be a report", "check what wrote it"
    except ValueError:  # Python refuses to read a whole number of more than 4,300 digits
        message, remedy = "a number has too many digits", "check what wrote it"
    raise ReportError(message, where=name if line == 1 else f"{name}:{line}", remedy=remedy)


@contextmanager
def collector_paused() -> Iterator[None]:
    """Nothing that is read refers back to itself, and passes over ever more of it would take as long as the reading."""
    was_on = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if was_on:
            gc.enable()


def _line(text: str, position: int) -> int:
    return text.count("\n", 0, position) + 1


def _refuse_bytes(error: UnicodeDecodeError, data: bytes, name: str) -> NoReturn:
    where = f"{name}:{data.count(10, 0, error.start) + 1}"
    if error.reason == "unexpected end of data":
        raise ReportError(
            "the file ends in the middle of a character",
            where=where,
            remedy="the suite or its upload was cut off; run it again",
        ) from None
    kind = " (it looks like UTF-16)" if data.startswith(_WIDE) else ""
    raise ReportError(
        f"byte {error.start:,} is no UTF-8{kind}", where=where, remedy="write the report as UTF-8"
    ) from None


def _refuse_json(error: json.JSONDecodeError, text: str, name: str, line: int) -> NoReturn:
    place = f"{name}:{error.lineno + line - 1}:{error.colno}"
    if error.pos >= len(text.rstrip()) or error.msg.startswith("Unterminated string"):
        raise ReportError(
            "the file ends in the middle: expected more JSON",
            where=place,
            remedy="the suite or its upload was cut off; run it again",
        ) from None
    found = text[error.pos : error.pos + 20]
    if error.msg == "Extra data":
        raise ReportError(
            f"expected one JSON value, found {found!r} after it",
            where=place,
            remedy="name a report that is one JSON object; a baseline starts with its header",
        ) from None
    raise ReportError(
        f"expected JSON or JUnit XML ({error.msg.lower()}), found {found!r}",
        where=place,
        remedy="name a pytest-json-report file, a baseline or JUnit XML",
    ) from None
