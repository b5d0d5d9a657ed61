"""Answers to the requests that a replay lacked: those bodies only, to allowed hosts and models, within a budget.

The file of requests comes from whoever opened a pull request, and a key is at hand. So nothing in it is believed: keys
are worked out anew, the address is written anew from its parts, and what is not plainly a call of a model is refused.
"""

from __future__ import annotations

import datetime as dt
import json
import math
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from fnmatch import fnmatchcase
from typing import Any
from urllib.parse import urlsplit

from gate.baselines.write import write_atomically
from gate.errors import BudgetExhaustedError, RecordingError
from gate.record.recordings import canonical
from gate.record.recordings.entry import Entry, encode_tail, is_failure
from gate.record.recordings.exchange import Answer, Request, Scope
from gate.record.recordings.inference import CONTENT, ENDPOINTS, is_inference, not_plain
from gate.record.recordings.metering import Meter
from gate.record.recordings.missing import Asked, MissingEntry
from gate.record.recordings.new_entry import new_entry
from gate.record.recordings.payload import answers_asked, model_of_request
from gate.record.recordings.store import Store
from gate.record.recordings.volatile import NONE, Volatile

_COMMON = ("content-type", "accept", "accept-language", "prefer", "api-version", "x-api-version")
_OF_PROVIDERS = ("anthropic-version", "anthropic-beta", "openai-beta", "x-goog-fieldmask", "x-amz-target")
_SENT = frozenset({*_COMMON, *_OF_PROVIDERS})
_ROUNDS = "rounds.json"


@dataclass(frozen=True, slots=True)
class Allowed:
    """Where requests may go.

    Attributes:
        hosts: names, with `:port` where it is not 443. They are asked over TLS, `localhost` and `127.0.0.1` without.
        models: patterns such as `gpt-4o-mini*`; every model that a request names must match one.
        endpoints: regular expressions of whole paths.
        rounds: how often one overlay may be added to.
        answers: how many answers one request may ask for (`n`, `best_of`, `candidateCount`, times its prompts).
    """

    hosts: frozenset[str]
    models: tuple[str, ...]
    endpoints: tuple[str, ...] = ENDPOINTS
    rounds: int = 5
    answers: int = 8


@dataclass(frozen=True, slots=True)
class Unsent:
    """A request that was not answered, and why."""

    entry: MissingEntry
    reason: str


@dataclass(frozen=True, slots=True)
class Recorded:
    """What came of it.

    Attributes:
        entries: that are now in the overlay.
        known: calls whose answers were there already.
        unsent: requests that were refused, failed, or had no room in the budget.
    """

    entries: tuple[Entry, ...]
    known: int
    unsent: tuple[Unsent, ...]


def record_missing(  # noqa: PLR0913  what, how, where to, and within what
    missing: Iterable[MissingEntry],
    send: Callable[[Request], Answer],
    allowed: Allowed,
    meter: Meter,
    overlay: Store,
    *,
    store: Store | None = None,
    volatile: Volatile = NONE,
    today: dt.date,
    left: Callable[[], float] = lambda: math.inf,
) -> Recorded:
    """Send what may be sent and is stored nowhere yet; each answer is in the overlay before the next call leaves.

    Args:
        missing: as `read_missing` gave them.
        send: adds the key, follows no redirect, and gives failures back as answers.
        meter: holds the caps in calls, tokens and money.
        overlay: gets the answers.
        store: what is stored anyway.
        volatile: as in the run that wrote the requests.
        left: seconds that are left for all of them; none is sent once there are none.

    Raises:
        RecordingError: all rounds are used up, or the overlay can't be written.
    """
    sender = _Sender(send, meter, overlay, store, today, left)
    unsent: list[Unsent] = []
    begun = False
    for entry in missing:
        key = canonical.key(entry.request, volatile)
        reason = why_refused(entry, key, allowed) or sender.stopped
        if not reason and not sender.open(entry):
            continue
        if not reason and not begun:
            begun = _begin_round(overlay, allowed.rounds)
        reason = reason or sender.answer(entry, key)
        if reason:
            unsent.append(Unsent(entry, reason))
    if sender.entries:
        overlay.sync()
        overlay.compact()
    return Recorded(tuple(sender.entries), sender.known, tuple(unsent))


def hosts_to_ask(
    missing: Iterable[MissingEntry],
    allowed: Allowed,
    stores: Iterable[Store],
    volatile: Volatile = NONE,
) -> tuple[str, ...]:
    """Hosts that `record_missing` would ask, sorted, before it does: each needs a key."""
    stores, hosts = tuple(stores), set()
    for entry in missing:
        key = canonical.key(entry.request, volatile)
        if not why_refused(entry, key, allowed) and not all(is_stored(stores, entry, asked) for asked in entry.asked):
            hosts.add(urlsplit(str(key.shown["url"])).netloc)
    return tuple(sorted(hosts))


def is_stored(stores: Iterable[Store], entry: MissingEntry, asked: Asked) -> bool:
    """Whether one call of an entry has an answer in any of the stores."""
    held = (store.held((asked.case, asked.trial, entry.key)) for store in stores)
    return any(found is not None and asked.n in found.answers for found in held)


def why_refused(entry: MissingEntry, key: canonical.Key, allowed: Allowed) -> str:
    """Why a request must not be sent with a key; empty where it may."""
    if key.digest != entry.key:
        return "its key is not that of its request"
    if entry.request.method != "POST":
        return f"its method is {entry.request.method}, and models are asked with POST"
    parts = urlsplit(str(key.shown["url"]))
    plain = parts.hostname in ("localhost", "127.0.0.1")
    if parts.netloc not in allowed.hosts or parts.scheme not in (("http", "https") if plain else ("https",)):
        return "its host is not allowed"
    path = parts.path.replace("%3A", ":")  # versions of models at Amazon
    if "%" in path or "//" in path or not is_inference(path, allowed.endpoints):
        return "its path is not that of a call of a model"
    unsent = key.shown.get("headers", {}).keys() - _SENT
    if unsent or any(name.lower() == "content-encoding" for name, _ in entry.request.headers):
        return f"its header {min(unsent, default='content-encoding')} is not sent"
    try:
        fields = json.loads(entry.request.body, object_pairs_hook=_unique)
    except (ValueError, RecursionError):
        return "its body is no JSON in which each name stands once"
    asked = answers_asked(entry.request)
    if asked > allowed.answers:
        return f"it asks for {asked:,} answers at once, and at most {allowed.answers} are asked for"
    if isinstance(fields, dict) and (more := not_plain(fields)):
        return more
    models = _models(fields) if isinstance(fields, dict) else None
    in_path = model_of_request(Request("POST", str(key.shown["url"])))
    models = [*models, in_path] if models is not None and in_path else models
    if not models:
        return "it names no model"
    return next((f"the model {name[:80]!r} is not allowed" for name in models if not _matches(name, allowed)), "")


def _matches(model: str, allowed: Allowed) -> bool:
    return any(fnmatchcase(model, pattern) for pattern in allowed.models)


def _models(fields: Mapping[str, Any]) -> list[str] | None:
    """Every model that a body names, fallbacks of routers and models of tools included; None where one has no name."""
    found: list[str] = []
    waiting: list[Any] = []
    for name, value in fields.items():
        if name.lower().startswith(("model", "fallback")):
            each = value if isinstance(value, list) else [value]
            if not all(isinstance(model, str) for model in each):
                return None
            found += each
        elif name not in CONTENT:
            waiting.append(value)
    while waiting:
        inner = waiting.pop()
        if isinstance(inner, dict):
            found += [value for name, value in inner.items() if name == "model" and isinstance(value, str)]
        waiting += list(inner.values()) if isinstance(inner, dict) else inner if isinstance(inner, list) else []
    return found


def _unique(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    found = dict(pairs)
    if len(found) != len(pairs):  # a server may read the other one than we do
        raise ValueError("a name stands twice")
    return found


class _Sender:
    def __init__(
        self,
        send: Callable[[Request], Answer],
        meter: Meter,
        overlay: Store,
        store: Store | None,
        today: dt.date,
        left: Callable[[], float],
    ) -> None:
        self._left = left
        self._send = send
        self._meter = meter
        self._overlay = overlay
        self._stores = [each for each in (overlay, store) if each is not None]
        self._today = today
        self.entries: list[Entry] = []
        self.known = 0
        self.stopped = ""

    def open(self, entry: MissingEntry) -> bool:
        """Whether a call of an entry has no answer yet; counts those that have one."""
        stored = sum(is_stored(self._stores, entry, asked) for asked in entry.asked)
        self.known += stored
        return stored < len(entry.asked)

    def answer(self, entry: MissingEntry, key: canonical.Key) -> str:
        """Send an entry's request once for each call that lacked it; says why it stopped, if it did."""
        headers = tuple(pair for pair in entry.request.headers if pair[0].lower() in _SENT)
        request = Request("POST", str(key.shown["url"]), headers, entry.request.body)
        for asked in entry.asked:
            if is_stored(self._stores, entry, asked):
                continue
            if self._left() <= 0:
                self.stopped = "no time is left for it"
                return self.stopped
            try:
                ticket = self._meter.before(request, key.digest, Scope(asked.case, asked.trial))
            except BudgetExhaustedError as error:
                self.stopped = error.message
                return self.stopped
            answer = self._send(request)
            self._meter.after(ticket, answer)
            if is_failure(answer) or answer.status < 200 or 300 <= answer.status < 400:
                return f"it was answered with {answer.failure or answer.status}"
            found = new_entry(request, key, (asked.case, asked.trial, key.digest), answer, self._today)
            self.entries.append(self._overlay.append(found, encode_tail(found.answer, found.meta), at=asked.n))
        return ""


def rounds(overlay: Store) -> int:
    """How often an overlay was added to.

    Raises:
        RecordingError: its count can't be read.
    """
    path = overlay.folder / _ROUNDS
    try:
        found = json.loads(path.read_bytes()) if path.exists() else 0
    except (OSError, ValueError, RecursionError):
        found = None
    if type(found) is not int or found < 0:
        raise RecordingError(
            "holds no count of rounds", where=str(path), remedy="remove the overlay and record it anew"
        )
    return found


def _begin_round(overlay: Store, most: int) -> bool:
    """Count a round before its first call, so that a crash counts too."""
    made = rounds(overlay)
    if made >= most:
        raise RecordingError(
            f"this overlay was recorded {made:,} time{'' if made == 1 else 's'}, the most that is allowed",
            where=str(overlay.folder),
            remedy="raise `record-rounds`, or merge it and record on the main branch",
        )
    write_atomically(overlay.folder / _ROUNDS, b"%d\n" % (made + 1))
    return True
