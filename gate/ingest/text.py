"""Bytes to text to JSON, with every damage named by file and position."""

from __future__ import annotations

import json
from typing import Any, NoReturn

from gate.errors import BaselineError, ReportError

_CONFLICT = ("<<<<<<<", ">>>>>>>", "|||||||")
_BARE = {"NaN": "not a number", "Infinity": "infinite", "-Infinity": "infinite"}


class NotFinite:
    """Stands where the file has a bare NaN or Infinity; a number that we use may not be one."""

    __slots__ = ("text",)

    def __init__(self, text: str) -> None:
        self.text = text

    def __repr__(self) -> str:
        return self.text


class _RepeatedKeyError(ValueError):
    pass


def decode(data: bytes, name: str, limit: int) -> str:
    """Text of a report file.

    Raises:
        ReportError: empty, above `limit` bytes, or not UTF-8.
    """
    if len(data) > limit:
        raise ReportError(
            f"{len(data):,} bytes are more than the limit of {limit:,}",
            where=name,
            remedy="raise `max-report-bytes`, or leave captured output out of the report",
        )
    try:
        text = data.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        raise ReportError(f"byte {error.start:,} is no UTF-8", where=name, remedy="write the report as UTF-8") from None
    if not text.strip():
        raise ReportError("the file is empty", where=name, remedy="look at what the suite printed when it ended")
    return text


def refuse_conflict(text: str, name: str) -> None:
    """Refuse a file that git left with conflict markers, naming the line."""
    if not any(marker in text for marker in _CONFLICT):
        return
    for number, line in enumerate(text.splitlines(), start=1):
        if line.startswith(_CONFLICT):
            raise BaselineError(
                "merge conflict markers",
                where=f"{name}:{number}",
                remedy="resolve the conflict, or take either side and run `gate baseline refresh`",
            )


def parse(text: str, name: str, *, line: int = 1) -> Any:
    """JSON without repeated keys; a bare NaN or Infinity becomes a `NotFinite`.

    Args:
        line: line of the file on which `text` starts.

    Raises:
        ReportError: not JSON (with line and column), truncated, nested too deep, or with a repeated key.
    """
    try:
        return json.loads(text, object_pairs_hook=_unique, parse_constant=NotFinite)
    except json.JSONDecodeError as error:
        _refuse_json(error, text, name, line)
    except _RepeatedKeyError as error:
        raise ReportError(
            f"the key {error} stands twice in one object", where=name, remedy="write the report again"
        ) from None
    except RecursionError:
        raise ReportError("nested too deep to be a report", where=name, remedy="check what wrote it") from None


def _unique(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    entry = dict(pairs)
    if len(entry) != len(pairs):
        seen: set[str] = set()
        for key, _ in pairs:
            if key in seen:
                raise _RepeatedKeyError(f"{key!r:.80}")
            seen.add(key)
    return entry


def _refuse_json(error: json.JSONDecodeError, text: str, name: str, line: int) -> NoReturn:
    place = f"{name}:{error.lineno + line - 1}:{error.colno}"
    if error.pos >= len(text.rstrip()):
        raise ReportError(
            "the file ends in the middle: expected more JSON",
            where=place,
            remedy="the suite or its upload was cut off; run it again",
        ) from None
    found = text[error.pos : error.pos + 20]
    raise ReportError(
        f"expected JSON or JUnit XML ({error.msg.lower()}), found {found!r}",
        where=place,
        remedy="name a pytest-json-report file, a baseline or JUnit XML",
    ) from None
