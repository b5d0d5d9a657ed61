"""What a replay lacked, as data: the requests without their secrets, and the cases that asked."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, NoReturn

from gate.baselines.write import write_atomically
from gate.errors import RecordingError, UsageError
from gate.record.recordings import redact
from gate.record.recordings.canonical import Key
from gate.record.recordings.decode import body_of, headers_of
from gate.record.recordings.entry import body_fields, to_json
from gate.record.recordings.exchange import Request
from gate.record.recordings.locking import unwritable

FORMAT = 1
MOST_BYTES = 64 * 1024 * 1024
MOST_ENTRIES = 5_000
MOST_ASKED = 20_000
_LONGEST_TEXT = 8_192
_MOST_HEADERS = 64
_MOST_NUMBER = 1_000_000
_SHOWN = 200
_METHODS = frozenset({"GET", "POST", "PUT", "PATCH", "DELETE", "HEAD", "OPTIONS"})


@dataclass(frozen=True, slots=True, order=True)
class Asked:
    """Who lacked an answer: case, trial, and which occurrence of the request within it."""

    case: str
    trial: int
    n: int


@dataclass(frozen=True, slots=True)
class MissingEntry:
    """One request without an answer.

    Attributes:
        key: its digest.
        request: in full, without secrets.
        asked: sorted, each once.
    """

    key: str
    request: Request
    asked: tuple[Asked, ...]


def sendable(request: Request, key: Key) -> Request:
    """A request without secrets, and of its headers only those that decide what is answered; its key stays the same.

    Headers of a moment, such as ids and retries, would make two replays write different files.
    """
    clean = redact.request(request)
    names = {*key.shown.get("headers", ()), "content-type", "content-encoding"}
    return replace(clean, headers=tuple(pair for pair in clean.headers if pair[0].lower() in names))


def joined(entries: Iterable[MissingEntry]) -> tuple[MissingEntry, ...]:
    """Each request once with all that asked for it, sorted by key; equal for every order of the same entries."""
    found: dict[str, MissingEntry] = {}
    for entry in entries:
        before = found.get(entry.key)
        if before is None:
            found[entry.key] = replace(entry, asked=tuple(sorted(set(entry.asked))))
        else:
            asked = tuple(sorted({*before.asked, *entry.asked}))
            found[entry.key] = MissingEntry(entry.key, min(before.request, entry.request, key=_order), asked)
    return tuple(found[key] for key in sorted(found))


def _order(request: Request) -> tuple[object, ...]:
    return request.method, request.url, request.headers, request.body


def to_bytes(entries: Iterable[MissingEntry]) -> bytes:
    """The file: a header, then a line of JSON a request."""
    lines = [to_json({"gate_missing": FORMAT}), *(to_json(to_fields(entry)) for entry in joined(entries))]
    return b"\n".join(lines) + b"\n"


def to_fields(entry: MissingEntry) -> dict[str, Any]:
    """One entry as JSON."""
    request = entry.request
    shown: dict[str, Any] = {"method": request.method, "url": request.url}
    if request.headers:
        shown["headers"] = request.headers
    return {
        "key": entry.key,
        "asked": [[asked.case, asked.trial, asked.n] for asked in entry.asked],
        "request": shown | body_fields(request.body),
    }


def write_missing(path: Path, entries: Iterable[MissingEntry]) -> bool:
    """Write the file whole or not at all; without entries there is none. Says whether there is one.

    Raises:
        RecordingError: the disk refuses.
    """
    entries = tuple(entries)
    try:
        if entries:
            write_atomically(path, to_bytes(entries))
        else:
            path.unlink(missing_ok=True)
    except UsageError as error:
        raise RecordingError(error.message, where=error.where, remedy=error.remedy) from None
    except OSError as error:
        raise unwritable(path, error) from None
    return bool(entries)


def fitting(entries: Iterable[MissingEntry]) -> tuple[tuple[MissingEntry, ...], tuple[str, ...]]:
    """The entries that `read_missing` takes again, and one sentence for each that it would refuse.

    Those that come first by key stay where all together are too much.
    """
    kept: list[MissingEntry] = []
    left: list[str] = []
    size = asked = 0
    for entry in joined(entries):
        line = to_json(to_fields(entry))
        length, calls = len(line) + 1, len(entry.asked)
        try:
            if size + length > MOST_BYTES - _LONGEST_TEXT:
                _refuse(f"the file would have more than {MOST_BYTES:,} bytes", "")
            if len(kept) == MOST_ENTRIES:
                _refuse(f"the file would have more than {MOST_ENTRIES:,} requests", "")
            if asked + calls > MOST_ASKED:
                _refuse(f"the file would have more than {MOST_ASKED:,} calls", "")
            from_fields(_object(line, ""), "")
        except RecordingError as error:
            left.append(f"{_shown(entry.request)}: {error.message}")
            continue
        kept.append(entry)
        size, asked = size + length, asked + calls
    return tuple(kept), tuple(left)


def _shown(request: Request) -> str:
    return ascii(f"{request.method} {request.url}"[:_SHOWN])[1:-1]


def read_told(data: bytes) -> tuple[MissingEntry, ...]:
    """Entries that a process of this run wrote with `to_bytes`: what no file may hold stands among them."""
    return joined(from_told(json.loads(line)) for line in data.splitlines()[1:])


def from_told(fields: dict[str, Any]) -> MissingEntry:
    """One entry from what `to_fields` made in a process of this run."""
    request = fields["request"]
    headers = tuple((str(name), str(value)) for name, value in request.get("headers", ()))
    told = Request(request["method"], request["url"], headers, body_of(request, "request"))
    return MissingEntry(fields["key"], told, tuple(Asked(*each) for each in fields["asked"]))


def read_missing(data: bytes, name: str = "missing.jsonl") -> tuple[MissingEntry, ...]:
    """Entries of a file that anybody may have written.

    Nothing in it is trusted: not its keys, which the caller works out anew, and no case's name, which the store turns
    into a file within its folder.

    Raises:
        RecordingError: too large, or of another shape, with the line.
    """
    if len(data) > MOST_BYTES:
        _refuse(f"{len(data):,} bytes are more than the limit of {MOST_BYTES:,}", name)
    lines = data.split(b"\n")
    if lines and not lines[-1]:
        del lines[-1]
    if len(lines) > MOST_ENTRIES + 1:
        _refuse(f"more than {MOST_ENTRIES:,} requests", name)
    header = _object(lines[0], f"{name}:1") if lines else {}
    version = header.get("gate_missing")
    if type(version) is int and version > FORMAT:
        raise RecordingError(
            f"format {version} is newer than {FORMAT}, which this version reads",
            where=f"{name}:1",
            remedy="upgrade robustness-gate where `gate record` runs",
        )
    if header != {"gate_missing": FORMAT} or type(version) is not int:
        _refuse(f"expected a file of missing requests in format {FORMAT}", f"{name}:1")
    entries = [
        from_fields(_object(line, f"{name}:{place}"), f"{name}:{place}") for place, line in enumerate(lines[1:], 2)
    ]
    if sum(len(entry.asked) for entry in entries) > MOST_ASKED:
        _refuse(f"more than {MOST_ASKED:,} calls", name)
    return joined(entries)


def from_fields(fields: dict[str, Any], where: str) -> MissingEntry:
    """One entry from JSON.

    Raises:
        RecordingError: it has another shape.
    """
    if fields.keys() != {"key", "asked", "request"}:
        _refuse("expected a key, who asked, and a request", where)
    key, asked = fields["key"], fields["asked"]
    if not isinstance(key, str) or len(key) != 32 or set(key) - set("0123456789abcdef"):
        _refuse("expected a key of 32 hexadecimal digits", where)
    if not isinstance(asked, list) or not 1 <= len(asked) <= MOST_ASKED:
        _refuse("expected who asked", where)
    return MissingEntry(key, _request(fields["request"], where), tuple(_asked(each, where) for each in asked))


def _asked(data: Any, where: str) -> Asked:
    if not isinstance(data, list) or len(data) != 3:
        _refuse("expected a case, a trial and an occurrence", where)
    case, trial, n = data
    if not isinstance(case, str) or len(case) > _LONGEST_TEXT or not _is_plain(case):
        _refuse("expected the id of a case", where)
    for number in (trial, n):
        if type(number) is not int or not 0 <= number < _MOST_NUMBER:
            _refuse("expected a trial and an occurrence from 0", where)
    return Asked(case, trial, n)


def _request(data: Any, where: str) -> Request:
    if not isinstance(data, dict) or not {"method", "url"} <= data.keys() <= {
        "method",
        "url",
        "headers",
        "body",
        "base64",
    }:
        _refuse("expected a request", where)
    method, url = data["method"], data["url"]
    if not isinstance(method, str) or method not in _METHODS:
        _refuse("expected a method of HTTP", where)
    if not isinstance(url, str) or len(url) > _LONGEST_TEXT or not url.isascii() or not url.isprintable() or " " in url:
        _refuse("expected a URL", where)
    headers = headers_of(data.get("headers", []), where)
    if len(headers) > _MOST_HEADERS or any(len(part) > _LONGEST_TEXT for pair in headers for part in pair):
        _refuse("more headers than a request has", where)
    return Request(method, url, headers, body_of(data, where))


def _is_plain(text: str) -> bool:
    """Whether a text has no half characters; what it shows is escaped where it is shown."""
    return not any("\ud800" <= mark <= "\udfff" or mark == "\0" for mark in text)


def _object(line: bytes, where: str) -> dict[str, Any]:
    try:
        found = json.loads(line, object_pairs_hook=_unique)
    except (ValueError, RecursionError):
        found = None
    if not isinstance(found, dict):
        _refuse("expected a JSON object", where)
    return found


def _unique(pairs: list[tuple[str, Any]]) -> Mapping[str, Any]:
    found = dict(pairs)
    if len(found) != len(pairs):
        raise ValueError("a key stands twice")
    return found


def _refuse(message: str, where: str) -> NoReturn:
    raise RecordingError(message, where=where, remedy="run the suite again in the mode `replay`, which writes the file")
