"""Twenty secrets, one in every place that may hold one: none reaches a file, and every request still matches."""

from __future__ import annotations

import base64
import gzip
import json
from collections.abc import Callable
from pathlib import Path

import pytest

from gate.record.recordings import canonical, redact
from gate.record.recordings.exchange import Answer, Headers, Request, Scope
from gate.record.recordings.session import RecordingSession
from gate.record.recordings.store import Store

URL = "https://api.example.com/v1/chat"
JSON = ("content-type", "application/json")
SCOPE = Scope("tests/test_a.py::test_a", 0)


def _json(url: str = URL, extra: Headers = (), **fields: object) -> Request:
    return Request("POST", url, (JSON, *extra), json.dumps({"model": "m", **fields}).encode())


def _basic(secret: str) -> str:
    return base64.b64encode(f"user:{secret}".encode()).decode()


def _multipart(secret: str) -> Request:
    body = f'--b\r\nContent-Disposition: form-data; name="client_secret"\r\n\r\n{secret}\r\n--b--\r\n'
    return Request("POST", URL, (("content-type", "multipart/form-data; boundary=b"),), body.encode())


def _gzipped(secret: str) -> Request:
    body = gzip.compress(json.dumps({"password": secret}).encode(), mtime=0)
    return Request("POST", URL, (JSON, ("content-encoding", "gzip")), body)


def _form(secret: str) -> Request:
    head = (("content-type", "application/x-www-form-urlencoded"),)
    return Request("POST", URL, head, f"grant_type=a&refresh_token={secret}".encode())


PLACES: dict[str, tuple[Callable[[str], Request], str, str]] = {
    "bearer": (lambda s: _json(extra=(("Authorization", f"Bearer {s}"),)), "Kq81fuGh", "Vv02mzRt"),
    "basic": (lambda s: _json(extra=(("authorization", f"Basic {_basic(s)}"),)), "open-sesame-1", "pass-word-22"),
    "custom authorization": (lambda s: _json(extra=(("AUTHORIZATION", s),)), "custom1111", "custom2222"),
    "proxy authorization": (lambda s: _json(extra=(("proxy-authorization", f"Basic {s}"),)), "UHJveHkx", "UHJveHky"),
    "x-api-key": (lambda s: _json(extra=(("X-API-Key", s),)), "simple-key-a", "simple-key-b"),
    "api-key": (lambda s: _json(extra=(("api-key", s),)), "0123abcd0123abcd", "ffff0000ffff0000"),
    "x-goog-api-key": (lambda s: _json(extra=(("x-goog-api-key", s),)), "googlekey1", "googlekey2"),
    "cookie": (lambda s: _json(extra=(("Cookie", f"a=1; session={s}"),)), "cookievalue1", "cookievalue2"),
    "query key": (lambda s: _json(f"{URL}?key={s}&alt=sse"), "querykey1", "querykey2"),
    "query signature": (lambda s: _json(f"{URL}?se=1&sig={s}"), "c2lnbmF0dXJl", "b3RoZXJzaWdu"),
    "userinfo": (lambda s: _json(f"https://user:{s}@api.example.com/v1/chat"), "inaddress1", "inaddress2"),
    "nested field": (lambda s: _json(a=[{"config": {"apiKey": s}}]), "nestedkey1", "nestedkey2"),
    "JSON in a text": (lambda s: _json(arguments=json.dumps({"password": s})), "deeper \\ one", 'deeper " two'),
    "form field": (_form, "refreshing1", "refreshing2"),
    "multipart field": (_multipart, "partsecret1", "partsecret2"),
    "compressed body": (_gzipped, "pressed1", "pressed22"),
    "known prefix": (
        lambda s: _json(content=f"Use\n{s}, please"),
        "sk-proj-A1b2C3d4E5f6G7h8I9j0K1l2",
        "sk-ant-api03-Z9y8X7w6V5u4T3s2R1q0P9o8",
    ),
    "JSON web token": (
        lambda s: _json(content=f"as {s}"),
        "eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxIn0.dozjgNryP4J3jVmNHl0w5N",
        "eyJhbGciOiJSUzI1NiJ9.eyJzdWIiOiIyIn0.AAAAgNryP4J3jVmNHl0w5N",
    ),
    "basic in a text": (lambda s: _json(content=f"-H 'Authorization: Basic {s}'"), _basic("one1"), _basic("two2")),
    "random text": (lambda s: _json(content=f"with {s} in it"), "q8Zx1Lm4Rt7Yv5Wc9Bn2Hd4k", "Jw3Kp6Tz9Qs2Xf5Vb8Nm1Gr7"),
}
"""Where it stands, the secret when it was recorded, and another one for the replay."""


def _answer_with(secret: str) -> Answer:
    body = json.dumps({"id": "chatcmpl-1", "access_token": secret, "content": "Paris"}).encode()
    return Answer(
        200, (JSON, ("Set-Cookie", f"s={secret}; Path=/"), ("content-length", str(len(body)))), (body[:30], body[30:])
    )


def _everything(folder: Path) -> str:
    return "\n".join(path.read_text("utf-8") for path in sorted(folder.rglob("*")) if path.is_file())


def test_there_are_twenty():
    assert len(PLACES) == 20


@pytest.mark.parametrize("place", PLACES)
def test_not_in_the_store_and_still_matched(place, tmp_path):
    make, secret, other = PLACES[place]
    session = RecordingSession(Store(tmp_path), "record")
    live = _answer_with(secret)
    recorder = session.ask(make(secret), SCOPE)
    recorder.start(live.status, live.headers)
    for chunk in live.chunks:
        recorder.chunk(chunk)
    recorder.finish()
    session.ended(SCOPE.case)
    session.finish()

    text = _everything(tmp_path)
    assert "Paris" in text
    for form in {secret, json.dumps(secret)[1:-1], json.dumps(json.dumps(secret))[2:-2], _basic(secret)}:
        assert form not in text
    assert redact.find(text) == []

    replayed = RecordingSession(Store(tmp_path), "replay").ask(make(other), SCOPE)
    assert json.loads(replayed.body)["content"] == "Paris"


@pytest.mark.parametrize("place", PLACES)
def test_the_key_does_not_depend_on_it(place):
    make, secret, other = PLACES[place]
    one, two = make(secret), make(other)
    assert canonical.key(one) == canonical.key(two) == canonical.key(redact.request(one))
    assert secret not in repr(redact.request(one)) and secret not in repr(canonical.key(one))
