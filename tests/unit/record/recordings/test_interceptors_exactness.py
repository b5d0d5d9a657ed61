"""What a user of each client library sees live, recorded and replayed is the same, and replaying sends nothing."""

from __future__ import annotations

import hashlib
import io
from collections.abc import Iterator
from typing import Any

import pytest

from gate.record.recordings import interceptors, scope
from gate.record.recordings.exchange import Answer, Scope
from tests.support.http_clients import CLIENTS, Call, Outcome, by_urllib3, outcome
from tests.support.model_server import ModelServer
from tests.support.remembering_session import RememberingSession

CHAT = b'{"model": "m", "messages": [{"role": "user", "content": "which colour?"}]}'
PATHS = [
    ("GET", "/echo"),
    ("GET", "/echo?a=1&a=%C3%A9&b="),
    ("HEAD", "/echo"),
    ("DELETE", "/status/204"),
    ("GET", "/status/304"),
    ("GET", "/status/404"),
    ("GET", "/status/429"),
    ("GET", "/status/500"),
    ("GET", "/cookies"),
    ("GET", "/reason"),
    ("GET", "/bytes/70000"),
    ("GET", "/until-close"),
    ("GET", "/redirect/302"),
    ("GET", "/encoded/gzip"),
    ("GET", "/encoded/deflate"),
    ("GET", "/encoded/br"),
    ("GET", "/encoded/zstd"),
    ("GET", "/encoded/identity"),
]


@pytest.fixture(scope="module")
def server() -> Iterator[ModelServer]:
    with ModelServer() as server:
        yield server


@pytest.fixture(params=list(CLIENTS))
def client(request: pytest.FixtureRequest) -> Call:
    return CLIENTS[request.param]


def _dateless(seen: Outcome) -> tuple[Any, ...]:
    return seen.status, seen.reason, [pair for pair in seen.headers if pair[0] != "date"], seen.hops, seen.error


def _both(server: ModelServer, client: Call, *call: Any, **named: Any) -> tuple[Outcome, Outcome, RememberingSession]:
    """The recorded and the replayed outcome of a call, and the session; nothing goes out the second time."""
    session = RememberingSession()
    with interceptors.installed(session):
        recorded = outcome(client, *call, **named)
        session.replaying = True
        sent = server.connections, len(server.requests)
        replayed = outcome(client, *call, **named)
        assert (server.connections, len(server.requests)) == sent
    return recorded, replayed, session


@pytest.mark.parametrize(("method", "path"), PATHS)
def test_a_replay_is_what_was_recorded_and_recording_changes_nothing(
    server: ModelServer, client: Call, method: str, path: str
) -> None:
    plain = outcome(client, method, server.url + path)
    recorded, replayed, session = _both(server, client, method, server.url + path)
    assert replayed == recorded
    assert _dateless(recorded) == _dateless(plain)
    assert plain.error or {answer.failure for answer in session.answers} == {""}


def test_answers_that_vary_come_back_in_their_order(server: ModelServer, client: Call) -> None:
    url, session = f"{server.base_url}/chat/completions", RememberingSession()
    with interceptors.installed(session):
        recorded = [client("POST", url, CHAT).json["choices"] for _ in range(3)]
        session.replaying = True
        replayed = [client("POST", url, CHAT).json["choices"] for _ in range(3)]
    assert replayed == recorded
    assert recorded[0] != recorded[1]


def test_a_request_is_asked_about_as_it_is(server: ModelServer, client: Call) -> None:
    session = RememberingSession()
    with interceptors.installed(session), scope.entered(Scope("test_a.py::test_b", 3)):
        client("POST", f"{server.url}/echo?x=1", b"abc")
    [(request, of)] = session.asked
    assert (request.method, request.url, request.body) == ("POST", f"{server.url}/echo?x=1", b"abc")
    assert of == Scope("test_a.py::test_b", 3)
    if client is not by_urllib3:
        assert "user-agent" in {name.lower() for name, _ in request.headers}


def test_each_redirect_is_an_exchange_of_its_own(server: ModelServer, client: Call) -> None:
    recorded, replayed, session = _both(server, client, "GET", f"{server.url}/redirect/302")
    assert [answer.status for answer in session.answers] == [302, 200]
    assert [request.url for request, _ in session.asked[:2]] == [f"{server.url}/redirect/302", f"{server.url}/echo"]
    assert replayed == recorded


def _generated() -> Iterator[bytes]:
    yield b"one, "
    yield b"two, "
    yield b"three"


@pytest.mark.parametrize("kind", ["bytes", "file", "generator"])
def test_a_body_is_read_once_and_sent_whole(server: ModelServer, client: Call, kind: str) -> None:
    def body() -> Any:
        return {"bytes": b"one, two, three", "file": io.BytesIO(b"one, two, three"), "generator": _generated()}[kind]

    plain = outcome(client, "POST", f"{server.url}/echo", body())
    session = RememberingSession()
    with interceptors.installed(session):
        recorded = outcome(client, "POST", f"{server.url}/echo", body())
        session.replaying = True
        replayed = outcome(client, "POST", f"{server.url}/echo", body())
    assert session.asked[0][0].body == b"one, two, three"
    assert recorded.json["sha256"] == hashlib.sha256(b"one, two, three").hexdigest()
    assert recorded.json["headers"] == plain.json["headers"]
    assert replayed == recorded


@pytest.mark.parametrize("name", ["httpx-async", "requests", "aiohttp"])
def test_bodies_of_50_megabytes_go_both_ways(server: ModelServer, name: str) -> None:
    size = 50 * 1024 * 1024
    call, url, session = CLIENTS[name], f"{server.url}/bytes/{size}", RememberingSession()
    with interceptors.installed(session):
        recorded = call("POST", url, io.BytesIO(bytes(size)))
        session.replaying = True
        replayed = call("POST", url, io.BytesIO(bytes(size)))
    assert len(recorded.body) == size
    assert replayed == recorded
    assert len(session.asked[0][0].body) == size
    server.requests.clear()


@pytest.mark.parametrize("path", ["/cut/chunked", "/cut/length", "/vanish"])
def test_an_answer_that_breaks_off_breaks_off_again(server: ModelServer, client: Call, path: str) -> None:
    plain = outcome(client, "POST", server.url + path, b"x")
    recorded, replayed, session = _both(server, client, "POST", server.url + path, b"x")
    assert recorded.error == plain.error != ()
    assert replayed.error[0] == recorded.error[0]
    assert {answer.failure for answer in session.answers} == {"protocol"}


def test_a_time_out_is_one_again(server: ModelServer, client: Call) -> None:
    plain = outcome(client, "POST", f"{server.url}/slow/0.4", b"x", timeout=0.1)
    recorded, replayed, session = _both(server, client, "POST", f"{server.url}/slow/0.4", b"x", timeout=0.1)
    assert recorded.error == plain.error != ()
    assert replayed.error[0] == recorded.error[0]
    assert [answer.failure for answer in session.answers] == ["time-out"]


def test_a_refused_connection_is_one_again(server: ModelServer, client: Call) -> None:
    with ModelServer() as gone:
        url = f"{gone.url}/echo"
    plain = outcome(client, "POST", url, b"x")
    recorded, replayed, session = _both(server, client, "POST", url, b"x")
    assert recorded.error == plain.error != ()
    assert replayed.error[0] == recorded.error[0]
    assert {answer.failure for answer in session.answers} == {"connection"}


def test_what_is_not_stored_is_refused_with_our_error_and_not_sent(server: ModelServer, client: Call) -> None:
    session = RememberingSession()
    session.replaying = True
    sent = server.connections
    with interceptors.installed(session):
        assert outcome(client, "POST", f"{server.url}/echo", b"x").error == ("MissingRecordingError",)
    assert server.connections == sent


def test_a_size_that_no_longer_fits_the_body_is_put_right(client: Call) -> None:
    session = RememberingSession()
    session.replaying = True
    session.put("http://far.example/", Answer(200, (("Content-Length", "99"),), (b"short",)))
    with interceptors.installed(session):
        assert client("GET", "http://far.example/").body == b"short"


def test_https_needs_no_connection_in_replay(client: Call) -> None:
    session = RememberingSession()
    session.replaying = True
    session.put("https://far.example/a?b=c", Answer(200, (("content-type", "text/plain"),), (b"far ", b"away")))
    with interceptors.installed(session):
        assert client("GET", "https://far.example/a?b=c").body == b"far away"


@pytest.mark.parametrize("scheme", ["http", "https"])
def test_a_proxy_of_the_environment_is_not_asked_in_replay(
    server: ModelServer, client: Call, scheme: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv(f"{scheme}_proxy", server.url)
    session = RememberingSession()
    session.replaying = True
    session.put(f"{scheme}://far.example/", Answer(200, (), (b"far",)))
    sent = server.connections
    with interceptors.installed(session):
        assert client("GET", f"{scheme}://far.example/").body == b"far"
    assert server.connections == sent


def test_a_call_through_a_proxy_is_known_by_its_own_address(
    server: ModelServer, client: Call, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("http_proxy", server.url)
    session = RememberingSession()
    with interceptors.installed(session):
        recorded = outcome(client, "GET", "http://far.example/echo")
    assert recorded.json["path"] == "http://far.example/echo"
    assert [request.url for request, _ in session.asked] == ["http://far.example/echo"]
    assert len(session.answers) == 1


def test_a_proxy_that_is_away_fails_as_it_does_unrecorded(client: Call, monkeypatch: pytest.MonkeyPatch) -> None:
    with ModelServer() as gone:
        monkeypatch.setenv("https_proxy", gone.url)
    plain = outcome(client, "GET", "https://far.example/")
    session = RememberingSession()
    with interceptors.installed(session):
        assert outcome(client, "GET", "https://far.example/").error == plain.error != ()
    assert {answer.failure for answer in session.answers} == {"connection"}


def test_ipv6_addresses_keep_their_brackets(client: Call) -> None:
    with ModelServer(host="::1") as server:
        recorded, replayed, session = _both(server, client, "GET", f"{server.url}/cookies")
    assert recorded.status == 200
    assert replayed == recorded
    assert session.asked[0][0].url == f"{server.url}/cookies"
