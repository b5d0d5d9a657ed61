"""Secrets behind names that say less, or around which they stand: none is stored, and every request still matches."""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from gate.errors import RecordingError
from gate.record.recordings import canonical, redact
from gate.record.recordings.check import problems
from gate.record.recordings.entry import Entry, Meta
from gate.record.recordings.exchange import Answer, Request, Scope
from gate.record.recordings.session import Mode, RecordingSession
from gate.record.recordings.store import Store

URL = "https://api.example.com/v1/chat"
JSON = ("content-type", "application/json")
ONE, TWO = "Zq4fJ9xkW2mT7p", "bN8vC3hLs6RyQ1"
KEY = "sk-proj-9fK2mQ7xT4bV8nL1cR6wZ3yH5jD0"
BOT_ONE, BOT_TWO = "110201543:AAHdqTcvCH1vGWJxfSeofSAs0K5PALDsaw", "220301543:AAzdqTcvCH2vGWJxfSeofSAs0K5PALDsbx"


def _json(value: object, url: str = URL) -> Request:
    return Request("POST", url, (JSON,), json.dumps(value).encode())


def _text(body: str, media: str) -> Request:
    return Request("POST", URL, (("content-type", media),), body.encode())


PLACES: dict[str, Callable[[str], Request]] = {
    "object below a name": lambda s: _json({"api_key": {"value": s}}),
    "object two below": lambda s: _json({"credentials": {"inner": {"n": 1, "data": [s]}}}),
    "object in a text": lambda s: _json({"arguments": json.dumps({"api_key": {"value": s}})}),
    "key": lambda s: _json({"config": {"key": s}}),
    "auth": lambda s: _json({"auth": s}),
    "jwt": lambda s: _json({"jwt": s}),
    "bearer": lambda s: _json({"bearer": s}),
    "sessionKey": lambda s: _json({"sessionKey": s}),
    "client_assertion": lambda s: _json({"client_assertion": s}),
    "form assertion": lambda s: _text(f"a=1&client_assertion={s}", "application/x-www-form-urlencoded"),
    "form auth": lambda s: _text(f"a=1&auth={s}", "application/x-www-form-urlencoded"),
    "element": lambda s: _text(f"<a><ApiKey>{s}</ApiKey></a>", "application/xml"),
    "element of a namespace": lambda s: _text(f"<a><ns:Password>\n{s}\n</ns:Password></a>", "text/xml"),
    "element in a text": lambda s: _json({"content": f"send <AccessToken>{s}</AccessToken> now"}),
    "path": lambda s: Request("GET", f"https://api.example.com/token/{s}/send"),
    "webhook": lambda s: Request("GET", f"https://api.example.com/api/webhooks/123/{s}"),
}


@pytest.mark.parametrize("place", PLACES)
def test_not_stored_and_still_matched(place: str) -> None:
    one, two = PLACES[place](ONE), PLACES[place](TWO)
    assert canonical.key(one) == canonical.key(two) == canonical.key(redact.request(one))
    clean = redact.request(one)
    assert ONE not in repr(clean)
    assert redact.find(clean.body.decode()) == []
    assert redact.find(one.body.decode()) or not one.body


def test_numbers() -> None:
    one, two = _json({"api_token": 8839201174, "max_tokens": 1000000}), _json({"api_token": 1, "max_tokens": 1000000})
    assert b"8839201174" not in redact.request(one).body
    assert json.loads(redact.request(one).body)["max_tokens"] == 1000000
    assert redact.request(two).body == two.body, "so short a number counts something"


@pytest.mark.parametrize("token", [BOT_ONE, BOT_TWO])
def test_tokens_of_bots(token: str) -> None:
    request = Request("POST", f"https://api.telegram.org/bot{token}/sendMessage", (JSON,), b'{"chat_id":1}')
    assert token[10:] not in redact.request(request).url
    other = Request("POST", f"https://api.telegram.org/bot{BOT_TWO}/sendMessage", (JSON,), b'{"chat_id":1}')
    assert canonical.key(request) == canonical.key(other)
    assert token not in redact.text(f"use {token} for it")


@pytest.mark.parametrize("name", ["x-session-id", "X-Session-ID", "session-id", "mcp-session-id", "X-SessionId"])
def test_ids_of_sessions_in_headers(name: str) -> None:
    answer = redact.answer(Answer(200, ((name, ONE),), (b"{}",)))
    assert answer.headers == ((name, "~secret-token~"),)


@pytest.mark.parametrize(
    "value",
    [
        {"key": "users"},
        {"key": "path/to/file-2024.txt"},
        {"key": "d41d8cd98f00b204e9800998ecf8427e"},
        {"key": "user_id_12345"},
        {"key": "gpt-4o-mini-2024-07-18"},
        {"key": "f81d4fae-7dec-11d0-a765-00a0c91e6bf6"},
        {"key": "2025-11-30T10:11:12Z"},
        {"auth": "none"},
        {"auth": {"type": "basic", "required": True}},
        {"jwt": True, "bearer": "required", "author": "Jane Doe 1234567"},
        {"api_key": {"type": "string", "description": "The key of API v2, see docs", "minLength": 8}},
        {"token": {"value": "hello", "logprob": -0.1}},
        {"assertion": "x equals 12345678", "client_assertion_type": "urn:ietf:params:oauth:jwt-bearer"},
        {"content": "<secret>blue</secret> <token>word</token> a <b>key</b>"},
        {"token": 123456789, "cookies": 3, "tokens": 1234567},
        {"time": "10:AA", "ratio": "16:9", "url": "https://a.example/users/12345678/posts"},
    ],
)
def test_what_is_no_secret_stays_byte_for_byte(value: object) -> None:
    request = _json(value)
    assert redact.request(request).body == request.body


@pytest.mark.parametrize("mode", ["record", "replay", "auto"])
def test_a_key_in_the_id_of_a_test_is_refused_before_it_is_paid_for(tmp_path: Path, mode: Mode) -> None:
    session = RecordingSession(Store(tmp_path / "r"), mode, can_record=True)
    with pytest.raises(RecordingError, match="give the parameter an id") as caught:
        session.ask(_json({}), Scope(f"t.py::test_a[{KEY}]"))
    assert KEY not in str(caught.value)
    session.finish()
    assert not [path for path in (tmp_path / "r").rglob("*.jsonl") if KEY in path.read_text()]
    assert session.missing_entries() == ()


@pytest.mark.parametrize(
    ("part", "told"),
    [
        ({"case": f"t.py::test_a[{KEY}]"}, "id of the case"),
        ({"meta": Meta(client=f"c/{KEY}")}, "client"),
        ({"meta": Meta(model=KEY)}, "model"),
        ({"request": {"method": "POST", "url": URL, "headers": {"x-api-key": "simple"}}}, "the header x-api-key"),
        ({"request": {"method": "POST", "url": URL, "more": f"as {KEY}"}}, "looks like a secret"),
        ({"request": {"method": "POST", "url": f"https://api.telegram.org/bot{BOT_ONE}/x"}}, "address"),
        ({"answer": Answer(200, (("x-session-id", ONE),), ())}, "x-session-id"),
        ({"answer": Answer(200, (JSON,), (b'{"api_key":{"value":"%s"}}' % ONE.encode(),))}, "body of the answer"),
    ],
)
def test_check_reads_whole_lines(tmp_path: Path, part: dict[str, Any], told: str) -> None:
    whole = Entry("0" * 32, "t.py::a", 0, 0, Answer(200, (JSON,), (b"{}",)), request={"method": "POST", "url": URL})
    clean, leaking = Store(tmp_path / "clean"), Store(tmp_path / "leaking")
    clean.put([whole])
    assert problems(clean) == ()
    leaking.put([replace(whole, **part)])
    found = problems(leaking)
    assert any(each.kind == "secret" and told in each.text + each.where for each in found), found
    assert not any(secret in each.text for each in found for secret in (KEY, ONE, BOT_ONE))


def test_what_is_called_key_and_is_none_tells_requests_apart() -> None:
    keys = [canonical.key(Request("GET", f"https://a.example/x?key={value}")) for value in ("users", "orders", "12")]
    assert len({key.digest for key in keys}) == 3
    assert keys[0].shown["url"] == "https://a.example/x?key=users"
    same = [canonical.key(Request("GET", f"https://a.example/x?key={value}")) for value in ("querykey1", ONE)]
    assert same[0] == same[1] == canonical.key(Request("GET", "https://a.example/x"))
