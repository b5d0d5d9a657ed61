"""Cassettes of other recorders as requests and answers: vcrpy and pytest-recording, betamax, and VCR for Ruby.

They differ in where a body stands (`body`, `string`, `base64_string`, `parsed_body`, `content`) and in what became of
it: vcrpy's clients may keep it compressed, or hand it on plain below a header that says compressed.
"""

from __future__ import annotations

import base64
import binascii
import datetime as dt
import email.utils
import json
import re
import urllib.parse
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from pathlib import PurePath
from typing import Any

from gate.errors import RecordingError
from gate.record.recordings import canonical, safe_yaml
from gate.record.recordings.bodies import FORM, UnreadableError, decoded, encodings, media_type, without
from gate.record.recordings.entry import Entry
from gate.record.recordings.exchange import Answer, Headers, Request
from gate.record.recordings.new_entry import new_entry
from gate.record.recordings.volatile import NONE, Volatile

_LISTS = ("interactions", "http_interactions")
_OF_THE_BODY = ("content-length", "transfer-encoding")  # they tell of a body that isn't stored as it was sent
_BLANK = re.compile(rb"(?<=\n\n)|(?<=\r\n\r\n)")
_GZIP = "\x1f\x8b"


@dataclass(frozen=True, slots=True)
class Interaction:
    """One call of a cassette.

    Attributes:
        request: as it was sent; it may hold secrets.
        answer: its body plain where it could be decoded; it may hold secrets.
        at: date in UTC of the recording, as YYYY-MM-DD; empty when the cassette doesn't say.
    """

    request: Request
    answer: Answer
    at: str


def read_cassette(data: bytes, where: str) -> tuple[Interaction, ...]:
    """All calls of a cassette, in order.

    Args:
        data: content of the file, YAML or JSON.
        where: named in errors.

    Raises:
        UsageError: the file is YAML and PyYAML is not installed.
        RecordingError: no cassette, hostile YAML, or a call that can't be used; the error says which.
    """
    found = _interactions(_values(data, where), where)
    return tuple(_interaction(each, f"{where}: interaction {number}") for number, each in enumerate(found, start=1))


def as_entries(
    interactions: Iterable[Interaction], case: str, trial: int = 0, *, volatile: Volatile = NONE
) -> list[Entry]:
    """Entries of a store, without secrets; the same request again is its next answer, and a failure comes before one.

    Args:
        case: that asks, with its trial.
        volatile: what the settings declare, so that keys are those of a run.
    """
    places: dict[str, tuple[int, int]] = {}
    entries = []
    for each in interactions:
        key = canonical.key(each.request, volatile)
        made = new_entry(each.request, key, (case, trial, key.digest), each.answer, dt.date.min)
        n, failures = places.get(key.digest, (0, 0))
        failed = failures + 1 if made.failed else 0
        places[key.digest] = (n, failed) if failed else (n + 1, 0)
        entries.append(replace(made, n=n, failed=failed, meta=replace(made.meta, at=each.at)))
    return entries


def case_of(path: PurePath) -> str:
    """The test that a cassette belongs to, by where pytest-recording puts it; empty where that says nothing.

    `tests/cassettes/test_chat/TestA.test_b.yaml` belongs to `tests/test_chat.py::TestA::test_b`.
    """
    parts = path.parts
    if len(parts) < 3 or parts[-3] != "cassettes" or not parts[-2].startswith("test"):
        return ""
    name, bracket, parameters = path.stem.partition("[")
    module = PurePath(*parts[:-3], f"{parts[-2]}.py").as_posix()
    return f"{module}::{name.replace('.', '::')}{bracket}{parameters}"


def _values(data: bytes, where: str) -> Any:
    if data.lstrip(b"\xef\xbb\xbf \t\r\n")[:1] in (b"{", b"["):
        try:
            return json.loads(data)
        except (ValueError, RecursionError):
            pass  # YAML has braces too
    return safe_yaml.load(data, where)


def _interactions(values: Any, where: str) -> list[Any]:
    """The list of calls, which before vcrpy 1.0 was the whole file."""
    if isinstance(values, list) and values and all(isinstance(each, dict) and "request" in each for each in values):
        return values
    if isinstance(values, dict):
        for name in _LISTS:
            if isinstance(values.get(name), list):
                return list(values[name])
    raise _unusable("no cassette: it has no list `interactions` or `http_interactions`", where)


def _interaction(found: Any, where: str) -> Interaction:
    request, response = (found.get(name) if isinstance(found, dict) else None for name in ("request", "response"))
    if not isinstance(request, dict) or not isinstance(response, dict):
        raise _unusable("it lacks a request or a response", where)
    answer = _answer(response, where)
    return Interaction(_request(request, where), answer, _date(found, _headers(response, where)))


def _request(found: Mapping[str, Any], where: str) -> Request:
    headers = _headers(found, where)
    url = found.get("uri", found.get("url")) or _first_address(found)
    method = found.get("method")
    if not isinstance(method, str) or not re.fullmatch(r":?[A-Za-z-]{1,40}", method):
        raise _unusable("its request has no method", where)
    if not isinstance(url, str) or not re.match(r"https?://[^/\s]", url):
        raise _unusable("its request has no whole address", where)
    return Request(method.lstrip(":").upper(), url, headers, _body(found, headers, where))


def _first_address(found: Mapping[str, Any]) -> str:
    """Before vcrpy 1.0 an address was kept in parts."""
    protocol, host, path = (found.get(name) for name in ("protocol", "host", "path"))
    if not (isinstance(protocol, str) and isinstance(host, str) and isinstance(path, str)):
        return ""
    port = found.get("port")
    usual = {"http": 80, "https": 443}.get(protocol)
    return f"{protocol}://{host}{'' if port in (None, usual) else f':{port}'}{path}"


def _answer(found: Mapping[str, Any], where: str) -> Answer:
    headers = _headers(found, where)
    body = _body(found, headers, where)
    if encodings(headers):
        headers, body = _plain(headers, body, where)
    headers = without(headers, _OF_THE_BODY)
    stream = media_type(headers) == "text/event-stream"
    chunks = tuple(piece for piece in (_BLANK.split(body) if stream else [body]) if piece)
    return Answer(_status(found, where), headers, chunks)


def _status(found: Mapping[str, Any], where: str) -> int:
    status = found.get("status", found.get("status_code"))
    code = status.get("code") if isinstance(status, dict) else status
    if isinstance(code, str) and code.isdecimal():
        code = int(code)
    if isinstance(code, bool) or not isinstance(code, int) or not 100 <= code <= 999:
        raise _unusable("its response has no status", where)
    return code


def _plain(headers: Headers, body: bytes, where: str) -> tuple[Headers, bytes]:
    """A body without its encodings, and the headers without their name.

    A client may have undone them before the recorder came, and where a library for them is missing they stay.
    """
    try:
        return without(headers, ("content-encoding",)), decoded(headers, body)
    except UnreadableError:
        pass
    try:
        text = body.decode("utf-8")
    except UnicodeDecodeError:
        return headers, body
    if text.startswith("\x1f\ufffd"):
        raise _unusable("its compressed body was stored as text and is lost", where)
    return without(headers, ("content-encoding",)), body


def _headers(found: Mapping[str, Any], where: str) -> Headers:
    """Pairs, from a mapping to one or several values, or from the lines that came before vcrpy 1.0."""
    headers = found.get("headers") or {}
    if isinstance(headers, dict):
        pairs = [(name, value) for name, values in headers.items() for value in _several(values)]
    elif isinstance(headers, list):
        pairs = [_pair(each) for each in headers]
    else:
        raise _unusable("its headers are no mapping", where)
    return tuple((_line(name), _line(value)) for name, value in pairs)


def _several(values: Any) -> Iterator[Any]:
    if isinstance(values, list | tuple):
        yield from values
    elif values is not None:
        yield values


def _pair(each: Any) -> tuple[Any, Any]:
    if isinstance(each, list | tuple) and len(each) == 2:
        return each[0], each[1]
    name, _, value = _line(each).partition(":")
    return name, value


def _line(value: Any) -> str:
    text = value.decode("latin-1") if isinstance(value, bytes) else str(value)
    return " ".join(text.split("\n")).replace("\r", "").replace("\0", "").strip()


def _body(found: Mapping[str, Any], headers: Headers, where: str) -> bytes:
    if "parsed_body" in found:
        return _unparsed(found["parsed_body"], headers, where)
    body = found.get("body", found.get("content"))
    if isinstance(body, dict):
        if isinstance(body.get("base64_string"), str | bytes):
            return _from_base64(body["base64_string"], where)
        if "string" not in body:
            return _unparsed(body, headers, where) if body else b""
        return _bytes(body["string"], where, str(body.get("encoding") or "utf-8"))
    return _bytes(body, where)


def _unparsed(value: Any, headers: Headers, where: str) -> bytes:
    """A body that the cassette holds as values: a form where the header says so, else JSON."""
    try:
        if media_type(headers) == FORM and isinstance(value, dict):
            return urllib.parse.urlencode(value, doseq=True).encode("ascii")
        if isinstance(value, bytes):
            return value
        return json.dumps(value, ensure_ascii=False, separators=(",", ":"), allow_nan=False).encode("utf-8")
    except (TypeError, ValueError, RecursionError) as error:
        raise _unusable(f"its parsed body can't be written as it was: {error}", where) from None


def _bytes(value: Any, where: str, encoding: str = "utf-8") -> bytes:
    if value is None:
        return b""
    if isinstance(value, bytes):
        return value
    if isinstance(value, list | tuple):
        return b"".join(_bytes(each, where) for each in value)
    if not isinstance(value, str):
        raise _unusable(f"its body is of the type {type(value).__name__}", where)
    if value.startswith(_GZIP):
        encoding = "latin-1"  # bytes that were written as characters of the same number
    try:
        return value.encode(encoding)
    except (LookupError, UnicodeError):
        return value.encode("utf-8", "surrogatepass")


def _from_base64(value: str | bytes, where: str) -> bytes:
    try:
        return base64.b64decode(value)
    except (binascii.Error, ValueError):
        raise _unusable("its body is no base64", where) from None


def _date(found: Mapping[str, Any], headers: Headers) -> str:
    """Day of the recording: as the recorder says, else as the server does."""
    served = (value for name, value in headers if name.lower() == "date")
    for text in (found.get("recorded_at"), *served):
        day = _day(text) if isinstance(text, str) else ""
        if day:
            return day
    return ""


def _day(text: str) -> str:
    try:
        moment = dt.datetime.fromisoformat(text)
    except ValueError:
        try:
            moment = email.utils.parsedate_to_datetime(text)
        except (ValueError, TypeError, IndexError, OverflowError):
            return ""
    if moment.tzinfo is not None and moment.year > 1:
        moment = moment.astimezone(dt.UTC)
    return f"{moment:%Y-%m-%d}"


def _unusable(message: str, where: str) -> RecordingError:
    return RecordingError(message, where=where, remedy="take it out of the cassette, or record it afresh")
