"""One stored answer as one line of JSON, with the short fields first so that a file is indexed without its bodies."""

from __future__ import annotations

import base64
import contextlib
import json
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, NamedTuple

from gate.record.recordings import bodies
from gate.record.recordings.exchange import Answer
from gate.record.recordings.json_body import value_fields

FORMAT = 1
HEADER = b'{"gate_recordings":%d}\n' % FORMAT

Slot = tuple[str, int, str]
"""Case, trial and key: within one slot, answers are told apart by their occurrence alone."""

Order = tuple[str, int, str, int, int]

_OF_CONNECTION = ("connection", "keep-alive", "proxy-connection", "transfer-encoding", "trailer", "upgrade", "te")
_OF_NETWORK = ("date", "server", "via", "age", "alt-svc", "nel", "report-to", "cf-ray", "cf-cache-status")
_OF_BROWSERS = ("strict-transport-security", "x-content-type-options")
_NOISE = frozenset({*_OF_CONNECTION, *_OF_NETWORK, *_OF_BROWSERS})
"""Headers that tell nothing of the answer; clients work out anew what they need of them."""
_FAILED = frozenset({401, 402, 403, 407, 408, 429})
JUDGED_AGAIN = "judged again"
MOST = 10**9
"""Numbers of trials and occurrences stay below."""


class Place(NamedTuple):
    """Where a line stands in its file: first byte, bytes with the line's end, line from 1."""

    offset: int
    length: int
    line: int


class Head(NamedTuple):
    """What is known of an entry before its body is read. Fields as in `Entry`; `carries` a request or not."""

    key: str
    case: str
    trial: int
    n: int
    failed: int
    run: str
    carries: bool
    place: Place

    @property
    def slot(self) -> Slot:
        return self.case, self.trial, self.key

    @property
    def order(self) -> Order:
        """As that of the entry."""
        return self.case, self.trial, self.key, self.n, self.failed or MOST


class Ended(NamedTuple):
    """Says that a run recorded a case to its end, so that what earlier runs stored for it no longer holds."""

    case: str
    run: str


@dataclass(frozen=True, slots=True)
class Meta:
    """Where an answer comes from.

    Attributes:
        at: date in UTC, `2025-11-30`.
        model: as the answer names it.
        client: the client's own name for itself.
        tool: version of this package that stored it.
        judge: that asked, as the test names it; empty where the code under test did.
        purpose: `JUDGED_AGAIN` where a run asked that judged stored answers again; empty for a run of the suite.
    """

    at: str = ""
    model: str = ""
    client: str = ""
    tool: str = ""
    judge: str = ""
    purpose: str = ""


@dataclass(frozen=True, slots=True)
class Entry:
    """One stored answer.

    Attributes:
        key: digest of the request, 32 hexadecimal digits.
        case: id of the case that asked; empty outside of a test.
        trial: of that case.
        n: which answer to this request it is within the trial, from 0. A failure has the number of the answer that
            comes after it.
        answer: without secrets.
        meta: where it comes from.
        failed: 0 for an answer; else the how-manieth failure before answer `n`, from 1.
        run: of the recording that has not ended; empty for all others.
        request: what was asked, without secrets, as `canonical.Key.shown` says it.
    """

    key: str
    case: str
    trial: int
    n: int
    answer: Answer
    meta: Meta = Meta()
    failed: int = 0
    run: str = ""
    request: Mapping[str, Any] | None = None

    @property
    def slot(self) -> Slot:
        return self.case, self.trial, self.key

    @property
    def order(self) -> Order:
        """Sorts a file: by case, trial, request, occurrence; failures stand before the answer that they delayed."""
        return self.case, self.trial, self.key, self.n, self.failed or MOST


def is_failure(answer: Answer) -> bool:
    """Whether a call failed whatever it asked: a key that is wrong, may not, or has no money left, too many calls, a
    broken server, no whole answer."""
    return bool(answer.failure) or answer.status in _FAILED or answer.status >= 500


def storable(answer: Answer) -> Answer:
    """An answer with its encoding undone where that is possible, and without the headers of the connection."""
    kept = bodies.without(answer.headers, _NOISE)
    chunks = answer.chunks
    if chunks:  # of an answer to HEAD, the length is all there is
        kept = bodies.without(kept, ("content-length",))
        with contextlib.suppress(bodies.UnreadableError):
            chunks = bodies.decoded_chunks(kept, chunks)
            kept = bodies.without(kept, ("content-encoding",))
    return Answer(answer.status, kept, tuple(chunk for chunk in chunks if chunk), answer.failure)


def encode(entry: Entry) -> bytes:
    """The line of an entry, its request included if it has one."""
    return encode_head(entry) + encode_tail(entry.answer, entry.meta)


def encode_head(entry: Entry) -> bytes:
    """The first part of a line, which is known only while the file is locked."""
    head: dict[str, Any] = {"key": entry.key, "case": entry.case, "trial": entry.trial, "n": entry.n}
    if entry.failed:
        head["failed"] = entry.failed
    if entry.run:
        head["run"] = entry.run
    if entry.request is not None:
        head["request"] = entry.request
    return to_json(head)[:-1]


def encode_tail(answer: Answer, meta: Meta) -> bytes:
    """The second part of a line, which takes longer to write than the first, its end included."""
    shown: dict[str, Any] = {"status": answer.status}
    if answer.headers:
        shown["headers"] = answer.headers
    body = answer.body
    shown |= value_fields(body) or body_fields(body)
    if len(answer.chunks) > 1:
        shown["sizes"] = [len(chunk) for chunk in answer.chunks[:-1]]
    if answer.failure:
        shown["failure"] = answer.failure
    told = {"at": meta.at, "model": meta.model, "client": meta.client, "tool": meta.tool, "judge": meta.judge}
    told["purpose"] = meta.purpose
    described = {name: value for name, value in told.items() if value}
    return b',"answer":' + to_json(shown) + b',"meta":' + to_json(described) + b"}\n"


def encode_ended(ended: Ended) -> bytes:
    return to_json({"ended": ended.case, "run": ended.run}) + b"\n"


def body_fields(body: bytes) -> dict[str, str]:
    """A body as text where it is text, else as base64; nothing for an empty one."""
    if not body:
        return {}
    try:
        return {"body": body.decode("utf-8")}
    except UnicodeDecodeError:
        return {"base64": base64.b64encode(body).decode("ascii")}


def to_json(value: Any) -> bytes:
    """JSON in one line; readable in every script, and without the half characters that no file can hold."""
    text = json.dumps(value, ensure_ascii=False, separators=(",", ":"))
    try:
        return text.encode("utf-8")
    except UnicodeEncodeError:
        return json.dumps(value, separators=(",", ":")).encode("ascii")
