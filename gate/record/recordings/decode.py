"""Lines of a file of recordings, read without trust: a file may be damaged, merged badly or written by anybody."""

from __future__ import annotations

import base64
import binascii
import json
import re
from collections.abc import Mapping
from typing import Any

from gate.errors import RecordingError
from gate.record.recordings.entry import FORMAT, MOST, Ended, Entry, Head, Meta, Place
from gate.record.recordings.exchange import Answer, Headers, split
from gate.record.recordings.json_body import body_of_value

_HEAD = re.compile(
    rb'\{"key":"([0-9a-f]{32})","case":("[^"\\]*(?:\\.[^"\\]*)*"),"trial":(\d{1,9}),"n":(\d{1,9})'
    rb'(?:,"failed":(\d{1,9}))?(?:,"run":"([0-9a-f]{1,32})")?,"(request|answer)":'
)
_KEY = re.compile(r"[0-9a-f]{32}")
_RUN = re.compile(r"[0-9a-f]{1,32}")
_FAILURES = ("", "time-out", "connection", "protocol")
_FIELDS = frozenset({"key", "case", "trial", "n", "failed", "run", "request", "answer", "meta"})


def scan(line: bytes, place: Place, where: str) -> Head | Ended | None:
    """What a line says, read no further than needed; None for a header.

    Raises:
        RecordingError: no line of ours, a newer format, or a merge conflict marker.
    """
    match = _HEAD.match(line)
    if match is not None and line.endswith(b"}\n"):
        key, case, trial, n, failed, run, next_field = match.groups()
        return Head(
            key.decode("ascii"),
            _case_of(case, where),
            int(trial),
            int(n),
            int(failed or 0),
            (run or b"").decode("ascii"),
            next_field == b"request",
            place,
        )
    fields = _object(line, where)
    if "gate_recordings" in fields:
        _check_header(fields, where)
        return None
    if "ended" in fields:
        return Ended(_text(fields, "ended", where), _matching(_RUN, fields, "run", where))
    entry = _entry(fields, where)
    return Head(entry.key, entry.case, entry.trial, entry.n, entry.failed, entry.run, entry.request is not None, place)


def decode(line: bytes, where: str) -> Entry:
    """The entry of a line.

    Raises:
        RecordingError: damaged.
    """
    return _entry(_object(line, where), where)


def _case_of(quoted: bytes, where: str) -> str:
    try:
        return str(json.loads(quoted)) if b"\\" in quoted else quoted[1:-1].decode("utf-8")
    except ValueError:
        raise damaged("a case's name that can't be read", where) from None


def _object(line: bytes, where: str) -> dict[str, Any]:
    for marker in (b"<<<<<<<", b"=======", b">>>>>>>", b"|||||||"):
        if line.startswith(marker):
            raise RecordingError(
                "merge conflict markers",
                where=where,
                remedy="keep the lines of both sides without the markers, or take one side and record what it lacks",
            )
    try:
        found = json.loads(line)
    except (ValueError, RecursionError):
        found = None
    if not isinstance(found, dict):
        raise damaged(f"a line that is no JSON object: {line[:60].decode('utf-8', 'replace').strip()!r}", where)
    return found


def _check_header(fields: Mapping[str, Any], where: str) -> None:
    version = fields["gate_recordings"]
    if type(version) is not int or version < 1:
        raise damaged(f"format {version!r:.40}", where)
    if version > FORMAT:
        raise RecordingError(
            f"format {version} is newer than {FORMAT}, which this version reads",
            where=where,
            remedy="upgrade robustness-gate",
        )


def _entry(fields: Mapping[str, Any], where: str) -> Entry:
    unknown = fields.keys() - _FIELDS
    if unknown:
        raise damaged(f"the field {min(unknown)!r:.60}, which no entry has", where)
    request = fields.get("request")
    if request is not None and not isinstance(request, dict):
        raise damaged("a request that is no object", where)
    return Entry(
        key=_matching(_KEY, fields, "key", where),
        case=_text(fields, "case", where),
        trial=_count(fields, "trial", where),
        n=_count(fields, "n", where),
        answer=_answer(fields.get("answer"), where),
        meta=_meta(fields.get("meta", {}), where),
        failed=_count(fields, "failed", where) if "failed" in fields else 0,
        run=_matching(_RUN, fields, "run", where) if "run" in fields else "",
        request=request,
    )


def _answer(data: Any, where: str) -> Answer:
    if not isinstance(data, dict):
        raise damaged("no answer", where)
    status = data.get("status")
    if type(status) is not int or not (status == 0 or 100 <= status <= 999):
        raise damaged(f"the status {status!r:.40}", where)
    failure = data.get("failure", "")
    if failure not in _FAILURES:
        raise damaged(f"the failure {failure!r:.40}", where)
    sizes = data.get("sizes", [])
    body = _value_body(data, where) if "json" in data else body_of(data, where)
    if (
        not isinstance(sizes, list)
        or any(type(size) is not int or size < 0 for size in sizes)
        or sum(sizes) > len(body)
    ):
        raise damaged("sizes of pieces that don't fit the body", where)
    return Answer(status, headers_of(data.get("headers", []), where), split(body, sizes), failure)


def _value_body(data: Mapping[str, Any], where: str) -> bytes:
    style, end = data.get("style"), data.get("end", "")
    if not isinstance(style, str) or not isinstance(end, str) or "body" in data or "base64" in data:
        raise damaged("a body in no style that is known", where)
    try:
        return body_of_value(data["json"], style, end)
    except (KeyError, ValueError, RecursionError):
        raise damaged("a body that can't be read", where) from None


def headers_of(data: Any, where: str) -> Headers:
    """Pairs of texts of one line each.

    Raises:
        RecordingError: anything else.
    """
    if not isinstance(data, list):
        raise damaged("headers that are no list", where)
    for pair in data:
        if not (isinstance(pair, list) and len(pair) == 2 and all(isinstance(part, str) for part in pair)):
            raise damaged("a header that is no pair of texts", where)
        if any(mark in part for part in pair for mark in "\r\n\0"):
            raise damaged("a header of more than one line", where)
    return tuple((name, value) for name, value in data)


def body_of(data: Mapping[str, Any], where: str) -> bytes:
    """The body that `body_fields` made fields of.

    Raises:
        RecordingError: damaged.
    """
    text, packed = data.get("body", ""), data.get("base64", "")
    if not isinstance(text, str) or not isinstance(packed, str) or (text and packed):
        raise damaged("a body that is no text", where)
    try:
        return base64.b64decode(packed, validate=True) if packed else text.encode("utf-8")
    except (binascii.Error, ValueError):
        raise damaged("a body that can't be read", where) from None


def _meta(data: Any, where: str) -> Meta:
    if not isinstance(data, dict) or not all(isinstance(value, str) for value in data.values()):
        raise damaged("`meta` that is no object of texts", where)
    return Meta(*(data.get(name, "") for name in ("at", "model", "client", "tool", "judge", "purpose")))


def _text(fields: Mapping[str, Any], name: str, where: str) -> str:
    value = fields.get(name)
    if not isinstance(value, str):
        raise damaged(f"`{name}` that is no text", where)
    return value


def _matching(pattern: re.Pattern[str], fields: Mapping[str, Any], name: str, where: str) -> str:
    value = _text(fields, name, where)
    if not pattern.fullmatch(value):
        raise damaged(f"`{name}` that is not hexadecimal: {value!r:.60}", where)
    return value


def _count(fields: Mapping[str, Any], name: str, where: str) -> int:
    value = fields.get(name)
    if type(value) is not int or not 0 <= value < MOST:
        raise damaged(f"`{name}` that is no count", where)
    return value


def damaged(what: str, where: str) -> RecordingError:
    """A line that can't be used, at a file and line."""
    return RecordingError(
        f"the recording is damaged: {what}",
        where=where,
        remedy="restore the file from git, or delete this line and record what is then missing",
    )
