"""What is wrong with a folder of recordings: what can't be read, what contradicts itself, what looks secret."""

from __future__ import annotations

import io
import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any, Literal

from gate.errors import RecordingError
from gate.record.recordings import redact
from gate.record.recordings.bodies import UnreadableError, decoded
from gate.record.recordings.decode import decode, scan
from gate.record.recordings.entry import Entry, Head, Place
from gate.record.recordings.exchange import Answer
from gate.record.recordings.store import Store

_REMEDY = "revoke it, take it out of the history too, and record this case afresh"


@dataclass(frozen=True, slots=True)
class Problem:
    """One thing that is wrong.

    Attributes:
        kind: `damaged` for what can't be used, `secret` for what looks like one.
        where: file within the folder, and line.
        text: what it is; of a secret only its kind, its length and its first characters.
        remedy: what to do.
    """

    kind: Literal["damaged", "secret"]
    where: str
    text: str
    remedy: str


def problems(store: Store) -> tuple[Problem, ...]:
    """All problems, by file and line.

    Raises:
        RecordingError: a file can't be opened.
    """
    found: list[Problem] = []
    for name in store.files():
        try:
            data = (store.folder / name).read_bytes()
        except OSError as error:
            raise RecordingError(
                f"can't be read: {error.strerror or error}",
                where=str(store.folder / name),
                remedy="check its permissions",
            ) from None
        for number, line in enumerate(io.BytesIO(data), start=1):
            found += _of_line(line, number, f"{name}:{number}")
    if not any(problem.kind == "damaged" for problem in found):  # the store looks across lines
        found += [Problem("damaged", error.where, error.message, error.remedy) for error in store.problems()]
    return tuple(found)


def _of_line(line: bytes, number: int, where: str) -> Iterator[Problem]:
    """Every line by itself, so that one damage doesn't hide the next."""
    if not line.strip():
        return
    entry = None
    try:
        if isinstance(scan(line, Place(0, len(line), number), where), Head):
            entry = decode(line, where)
    except RecordingError as error:
        if line.endswith(b"\n"):
            yield Problem("damaged", where, error.message, error.remedy)
    if not line.endswith(b"\n"):
        yield Problem("damaged", where, "the last line is half-written", "the next run that records takes it away")
    text = line.decode("utf-8", "replace")
    if entry is None:
        yield from _secrets(text, where)
        return
    found = [*_of_answer(entry.answer, where), *_of_request(entry.request or {}, where), *_of_rest(entry, where)]
    yield from found or _secrets(text, where, random=False)  # the whole line, whatever stands in it


def _of_answer(answer: Answer, where: str) -> Iterator[Problem]:
    for (name, value), (_, clean) in zip(answer.headers, redact.headers(answer.headers), strict=True):
        if value != clean:
            yield Problem("secret", where, f"the header {name} of the answer looks like a secret", _REMEDY)
    try:
        body = decoded(answer.headers, answer.body)
    except UnreadableError:
        body = answer.body
    yield from _secrets(body.decode("utf-8", "replace"), f"{where}, body of the answer")


def _of_request(shown: Mapping[str, Any], where: str) -> Iterator[Problem]:
    url, body = shown.get("url"), shown.get("body")
    if isinstance(url, str) and redact.url(url) != url:
        yield Problem("secret", where, "the address of the request holds what looks like a secret", _REMEDY)
    headers = shown.get("headers")
    if isinstance(headers, dict):
        given = tuple((name, str(value)) for name, value in headers.items())
        for (name, value), (_, clean) in zip(given, redact.headers(given), strict=True):
            if value != clean:
                yield Problem("secret", where, f"the header {name} of the request looks like a secret", _REMEDY)
    if isinstance(body, dict):
        whole = body["json"] if isinstance(body.get("json"), str) else json.dumps(body, ensure_ascii=False)
        yield from _secrets(whole, f"{where}, body of the request")


def _of_rest(entry: Entry, where: str) -> Iterator[Problem]:
    """What stands beside the answer and its request: the id of the case, and where the answer comes from."""
    meta = entry.meta
    for name, text in (("id of the case", entry.case), ("client", meta.client), ("model", meta.model)):
        yield from _secrets(text, f"{where}, {name}", random=False)


def _secrets(text: str, where: str, *, random: bool = True) -> Iterator[Problem]:
    for found in redact.find(text, random=random):
        told = f"looks like a secret ({found.kind}) at {found.place}: {found.excerpt}"
        yield Problem("secret", where, told, _REMEDY)
