"""Answers that a pull request lacked: which requests are sent, once, and how they join what is stored."""

from __future__ import annotations

import datetime as dt
import json
from pathlib import Path
from typing import Any

import pytest

from gate.errors import BudgetExhaustedError, MissingRecordingError, RecordingError
from gate.record.recordings import canonical
from gate.record.recordings.exchange import Answer, Request, Scope
from gate.record.recordings.missing import Asked, MissingEntry, sendable
from gate.record.recordings.overlay import Layers, merge
from gate.record.recordings.record_missing import Allowed, Recorded, record_missing, rounds, why_refused
from gate.record.recordings.session import RecordingSession
from gate.record.recordings.store import Store
from gate.record.recordings.usage import Usage

DAY = dt.date(2025, 11, 30)
CASE = "tests/test_a.py::test_x"
URL = "https://api.openai.com/v1/chat/completions"
ALLOWED = Allowed(frozenset({"api.openai.com", "localhost:9000"}), ("gpt-4o-mini*", "gemini-*", "anthropic.claude-*"))


def asking(text: str = "hello", url: str = URL, headers: tuple[tuple[str, str], ...] = (), **fields: Any) -> Request:
    body = json.dumps({"model": "gpt-4o-mini", "input": text} | fields).encode()
    return Request("POST", url, (("content-type", "application/json"), *headers), body)


def lacking(request: Request, *asked: tuple[int, int]) -> MissingEntry:
    key = canonical.key(request)
    who = tuple(Asked(CASE, trial, n) for trial, n in asked or ((0, 0),))
    return MissingEntry(key.digest, sendable(request, key), who)


class Meter:
    """Lets so many calls go."""

    def __init__(self, left: int = 99) -> None:
        self.left = left
        self.told: list[int] = []

    def before(self, request: Request, key: str, scope: Scope) -> None:
        if not self.left:
            raise BudgetExhaustedError("a live call would go beyond the limit")
        self.left -= 1

    def after(self, ticket: None, answer: Answer) -> None:
        self.told.append(answer.status)

    def replayed(self, scope: Scope, usage: Usage) -> None:
        raise AssertionError("nothing is replayed here")


class Provider:
    """Answers with a number that grows."""

    def __init__(self, *statuses: int) -> None:
        self.statuses = list(statuses)
        self.sent: list[Request] = []

    def __call__(self, request: Request) -> Answer:
        self.sent.append(request)
        return Answer(self.statuses.pop(0) if self.statuses else 200, (), (b"answer %d" % len(self.sent),))


def recorded(
    folder: Path, provider: Provider, *entries: MissingEntry, meter: Meter | None = None, **options: Any
) -> Recorded:
    allowed = options.pop("allowed", ALLOWED)
    return record_missing(entries, provider, allowed, meter or Meter(), Store(folder), today=DAY, **options)


def test_a_replay_that_lacked_an_answer_has_it_after_the_round(tmp_path: Path) -> None:
    base, overlay = tmp_path / "recordings", tmp_path / "overlay"
    scopes = [Scope(CASE, 0), Scope(CASE, 0), Scope(CASE, 1)]
    session = RecordingSession(Store(base), "replay")
    for scope in scopes:
        with pytest.raises(MissingRecordingError):
            session.ask(asking(), scope)
    provider, meter = Provider(), Meter()
    done = recorded(overlay, provider, *session.missing_entries(), meter=meter)
    assert (len(done.entries), done.known, done.unsent) == (3, 0, ())
    assert [entry.meta.at for entry in done.entries] == ["2025-11-30"] * 3
    assert meter.told == [200, 200, 200]
    after = RecordingSession(Store(base), "replay", overlay=Store(overlay))
    answers = [after.ask(asking(), scope) for scope in scopes]
    assert [answer.body for answer in answers if isinstance(answer, Answer)] == [b"answer 1", b"answer 2", b"answer 3"]
    assert not base.exists()


def test_a_second_push_pays_nothing(tmp_path: Path) -> None:
    entries = [lacking(asking(), (0, 0), (1, 0))]
    provider = Provider()
    recorded(tmp_path, provider, *entries)
    again = recorded(tmp_path, provider, *entries)
    assert (again.entries, again.known, again.unsent) == ((), 2, ())
    more = recorded(tmp_path, provider, lacking(asking(), (0, 0), (0, 1), (1, 0)))
    assert (len(more.entries), more.known) == (1, 2)
    assert len(provider.sent) == 3
    assert rounds(Store(tmp_path)) == 2


def test_what_the_store_has_is_not_asked(tmp_path: Path) -> None:
    recorded(tmp_path / "base", Provider(), lacking(asking()))
    provider = Provider()
    done = recorded(tmp_path / "overlay", provider, lacking(asking()), store=Store(tmp_path / "base"))
    assert (done.known, provider.sent) == (1, [])
    assert not (tmp_path / "overlay").exists()


def test_only_the_body_and_harmless_headers_are_sent(tmp_path: Path) -> None:
    provider = Provider()
    request = asking(
        "hello",
        "https://user:pass@API.openai.com:443/v1/chat/completions?key=abc123&b=2&a=1#part",
        (("Authorization", "Bearer x"), ("X-Custom", "1"), ("OpenAI-Beta", "assistants=v2"), ("Cookie", "a=b")),
    )
    recorded(tmp_path, provider, lacking(request))
    (sent,) = provider.sent
    assert sent.url == "https://api.openai.com/v1/chat/completions?a=1&b=2"
    assert sent.headers == (("content-type", "application/json"), ("OpenAI-Beta", "assistants=v2"))
    assert sent.body == request.body


@pytest.mark.parametrize(
    ("request_", "reason"),
    [
        (asking(url="https://evil.example/v1/chat/completions"), "host"),
        (asking(url="http://api.openai.com/v1/chat/completions"), "host"),
        (asking(url="https://api.openai.com:8443/v1/chat/completions"), "host"),
        (asking(url="https://api.openai.com.evil.example/v1/chat/completions"), "host"),
        (asking(url="https://api.openai.com@evil.example/v1/chat/completions"), "host"),
        (asking(url="https://evil.example\\@api.openai.com\\.evil.example/v1/chat/completions"), "host"),
        (asking(url="https://evil.example/https://api.openai.com/v1/chat/completions"), "host"),
        (asking(url="ftp://localhost:9000/v1/chat/completions"), "host"),
        (asking(url="file:///v1/chat/completions"), "host"),
        (asking(url="https://api.openai.com/v1/files"), "path"),
        (asking(url="https://api.openai.com/v1/fine_tuning/jobs"), "path"),
        (asking(url="https://api.openai.com/v1/files?/chat/completions"), "path"),
        (asking(url="https://api.openai.com/v1/files%2f..%2fchat/completions"), "path"),
        (asking(url="https://api.openai.com//chat/completions"), "path"),
        (asking(model="gpt-5-pro"), "model 'gpt-5-pro'"),
        (asking(model=["gpt-4o-mini", "gpt-5-pro"]), "model 'gpt-5-pro'"),
        (asking(models=["gpt-4o-mini", "gpt-5-pro"]), "model 'gpt-5-pro'"),
        (asking(fallbacks=["gpt-5-pro"]), "model 'gpt-5-pro'"),
        (asking(tools=[{"type": "image_generation", "model": "gpt-image-1"}]), "tool image_generation"),
        (asking(options={"model": "gpt-image-1"}), "model 'gpt-image-1'"),
        (asking(model={"a": 1}), "names no model"),
        (asking(model=None), "names no model"),
        (asking(url="https://api.openai.com/v1beta/models/gpt-5-pro:generateContent"), "model 'gpt-5-pro'"),
        (asking(headers=(("x-http-method-override", "DELETE"),)), "header x-http-method-override"),
        (asking(headers=(("content-encoding", "gzip"),)), "header content-encoding"),
        (Request("DELETE", URL, (), b'{"model":"gpt-4o-mini"}'), "method"),
        (Request("POST", URL, (), b'{"model":"gpt-5-pro","model":"gpt-4o-mini"}'), "each name stands once"),
        (Request("POST", URL, (), b"model=gpt-4o-mini"), "no JSON"),
        (Request("POST", URL, (), b'["gpt-4o-mini"]'), "names no model"),
        (Request("POST", URL, (), b"[" * 100_000), "no JSON"),
        (Request("POST", URL, (), b""), "no JSON"),
    ],
)
def test_what_is_not_plainly_a_call_of_an_allowed_model_is_not_sent(
    tmp_path: Path, request_: Request, reason: str
) -> None:
    provider = Provider()
    done = recorded(tmp_path / "overlay", provider, lacking(request_))
    assert [reason in each.reason for each in done.unsent] == [True], done.unsent
    assert provider.sent == []
    assert not (tmp_path / "overlay").exists()


@pytest.mark.parametrize(
    "request_",
    [
        asking(),
        asking(tools=[{"parameters": {"properties": {"model": {"type": "string"}}}}], input=[{"model": "word"}]),
        asking(url="http://localhost:9000/v1/messages"),
        Request("POST", "https://api.openai.com/v1beta/models/gemini-2.0-flash:generateContent", (), b"{}"),
        Request("POST", "https://api.openai.com/model/anthropic.claude-3-haiku-20240307-v1%3A0/invoke", (), b"{}"),
    ],
)
def test_calls_of_allowed_models_may_be_sent(request_: Request) -> None:
    entry = lacking(request_)
    assert why_refused(entry, canonical.key(entry.request), ALLOWED) == ""


def test_a_key_that_is_not_that_of_its_request_is_refused(tmp_path: Path) -> None:
    good, other = lacking(asking("one")), lacking(asking("two"))
    done = recorded(tmp_path, provider := Provider(), MissingEntry(good.key, other.request, good.asked))
    assert [each.reason for each in done.unsent] == ["its key is not that of its request"]
    assert provider.sent == []


@pytest.mark.parametrize("status", [0, 301, 401, 403, 429, 500])
def test_failures_are_not_stored(tmp_path: Path, status: int) -> None:
    meter = Meter()
    done = recorded(tmp_path, Provider(status), lacking(asking(), (0, 0), (1, 0)), lacking(asking("b")), meter=meter)
    assert [str(status) in each.reason for each in done.unsent] == [True]
    assert len(done.entries) == 1
    assert meter.told == [status, 200]


def test_an_answer_that_says_no_is_an_answer(tmp_path: Path) -> None:
    done = recorded(tmp_path, Provider(400), lacking(asking()))
    assert [entry.answer.status for entry in done.entries] == [400]


def test_a_budget_stops_all_that_is_left_and_keeps_what_was_paid(tmp_path: Path) -> None:
    entries = [lacking(asking(text), (0, 0), (1, 0)) for text in "abc"]
    done = recorded(tmp_path, provider := Provider(), *entries, meter=Meter(3))
    assert len(provider.sent) == len(done.entries) == 3
    assert len(done.unsent) == 2
    assert all("beyond the limit" in each.reason for each in done.unsent)
    again = recorded(tmp_path, provider, *entries)
    assert (again.known, len(again.entries)) == (3, 3)


def test_a_crash_keeps_what_was_answered(tmp_path: Path) -> None:
    class Broken(Provider):
        def __call__(self, request: Request) -> Answer:
            if len(self.sent) == 2:
                raise KeyboardInterrupt
            return super().__call__(request)

    entries = [lacking(asking(text)) for text in "abc"]
    with pytest.raises(KeyboardInterrupt):
        recorded(tmp_path, Broken(), *entries)
    assert recorded(tmp_path, Provider(), *entries).known == 2


def test_rounds_have_an_end(tmp_path: Path) -> None:
    allowed = Allowed(ALLOWED.hosts, ALLOWED.models, rounds=2)
    for text in "ab":
        recorded(tmp_path, Provider(), lacking(asking(text)), allowed=allowed)
    provider = Provider()
    with pytest.raises(RecordingError, match="was recorded 2 times"):
        recorded(tmp_path, provider, lacking(asking("c")), allowed=allowed)
    assert provider.sent == []
    (tmp_path / "rounds.json").write_text("[]")
    with pytest.raises(RecordingError, match="no count of rounds"):
        rounds(Store(tmp_path))


def test_occurrences_that_lack_their_first_one_keep_their_number(tmp_path: Path) -> None:
    recorded(tmp_path, Provider(), lacking(asking(), (0, 1)))
    slot = (CASE, 0, canonical.key(asking()).digest)
    layers = Layers(Store(tmp_path / "base"), Store(tmp_path))
    assert layers.answer(slot, 0) is None
    assert layers.answer(slot, 1) is not None
    assert layers.first_free(slot) == 0


def test_the_overlay_precedes_the_store_until_it_is_merged(tmp_path: Path) -> None:
    base, overlay = tmp_path / "recordings", tmp_path / "overlay"
    recorded(base, Provider(), lacking(asking("old"), (0, 0), (1, 0)))
    recorded(overlay, Provider(201, 201), lacking(asking("old"), (0, 0)), lacking(asking("new"), (2, 0)))
    calls = [("old", 0), ("old", 1), ("new", 2)]

    def statuses(session: RecordingSession) -> list[int]:
        found = [session.ask(asking(text), Scope(CASE, trial)) for text, trial in calls]
        return [answer.status for answer in found if isinstance(answer, Answer)]

    before = RecordingSession(Store(base), "replay", overlay=Store(overlay))
    assert statuses(before) == [201, 200, 201]
    assert before.stored_trials(CASE) == 3
    assert before.unused() == ()
    assert merge(Store(overlay), Store(base)) == 2
    assert merge(Store(overlay), Store(base)) == 2
    assert statuses(RecordingSession(Store(base), "replay")) == [201, 200, 201]


def test_auto_records_behind_an_overlay(tmp_path: Path) -> None:
    base, overlay = tmp_path / "recordings", tmp_path / "overlay"
    recorded(overlay, Provider(), lacking(asking(), (0, 0)))
    session = RecordingSession(Store(base), "auto", overlay=Store(overlay), can_record=True)
    assert isinstance(session.ask(asking(), Scope(CASE)), Answer)
    live = session.ask(asking(), Scope(CASE))
    assert not isinstance(live, Answer)
    live.start(201, ())
    live.finish()
    session.finish()
    assert [entry.n for entry in Store(base).entries()] == [1]
    after = RecordingSession(Store(base), "replay", overlay=Store(overlay))
    found = [after.ask(asking(), Scope(CASE)) for _ in range(2)]
    assert [answer.status for answer in found if isinstance(answer, Answer)] == [200, 201]


def test_no_request_is_sent_once_its_time_is_up(tmp_path: Path) -> None:
    provider = Provider()
    done = recorded(
        tmp_path, provider, lacking(asking(), *((trial, 0) for trial in range(9))), left=lambda: 3 - len(provider.sent)
    )
    assert len(provider.sent) == len(done.entries) == 3
    assert [each.reason for each in done.unsent] == ["no time is left for it"]
