"""The proxy between a plain HTTP client and a server, live and replayed."""

from __future__ import annotations

import gzip
import http.client
import json
import socket
import threading
from collections.abc import Iterator
from urllib.parse import urlsplit

import pytest

from gate.record.recordings import scope
from gate.record.recordings.exchange import Answer, Scope
from gate.record.recordings.proxy import Proxy
from gate.record.recordings.upstreams import Routes, routes
from tests.support.proxied import ask, receive, settled
from tests.support.upstream import KeepingSession, Upstream, upstream


@pytest.fixture
def server() -> Iterator[Upstream]:
    with upstream() as found:
        yield found


@pytest.fixture
def session() -> KeepingSession:
    return KeepingSession()


@pytest.fixture
def proxy(server: Upstream, session: KeepingSession) -> Iterator[Proxy]:
    with Proxy(session, Routes({"model": server.address}, {}), timeout=5) as found:
        yield found


PATHS = ["/v1/chat?a=1&b=%20", "/v1/busy", "/v1/stream", "/v1/zipped", "/v1/empty", "/v1/redirect", "/v1/here"]


@pytest.mark.parametrize("path", PATHS)
def test_what_is_recorded_is_replayed_byte_by_byte_without_a_connection(
    path: str, proxy: Proxy, session: KeepingSession, server: Upstream
) -> None:
    body = None if path.endswith(("empty", "redirect", "here")) else b'{"prompt": "hi"}'
    live = ask(proxy, path, body)
    settled(session, 1)
    session.replay()
    before = server.connections
    assert ask(proxy, path, body) == live
    assert (server.connections, session.missing, proxy.problems()) == (before, [], ())


def test_the_upstream_sees_the_request_and_nothing_of_the_connection_with_the_proxy(
    proxy: Proxy, server: Upstream, session: KeepingSession
) -> None:
    given = {"Authorization": "Bearer t", "Connection": "X-Mine, close", "X-Mine": "1", "Accept-Encoding": "br"}
    ask(proxy, "/v1/chat?q=%2F", b"abc", given)
    (seen,) = server.requests
    names = {name.lower(): value for name, value in seen.headers}
    assert (seen.url, seen.body, names["host"]) == ("/v1/chat?q=%2F", b"abc", urlsplit(server.address).netloc)
    assert (names["authorization"], names["accept-encoding"], names["content-length"]) == ("Bearer t", "br", "3")
    assert not names.keys() & {"x-mine", "connection"}
    assert session.asked[0].url == f"{server.address}/v1/chat?q=%2F"
    assert {name.lower() for name, _ in session.asked[0].headers} == {"authorization", "accept-encoding"}


def test_the_first_event_of_a_stream_arrives_before_the_second_is_sent(
    proxy: Proxy, server: Upstream, session: KeepingSession
) -> None:
    parts = urlsplit(proxy.address)
    connection = http.client.HTTPConnection(parts.netloc, timeout=10)
    connection.request("GET", f"{parts.path}/model/hold/stream")
    response = connection.getresponse()
    assert response.readline() == b"data: 1.0\n"  # the server waits, so it would never come if it were held back
    server.go_on.set()
    assert response.read() == b"\ndata: 1.1\n\ndata: 1.2\n\n"
    connection.close()
    (kept,) = settled(session, 1)
    assert kept.chunks[0] == b"data: 1.0\n\n"


def test_a_replayed_stream_comes_in_its_chunks(proxy: Proxy, session: KeepingSession, server: Upstream) -> None:
    chunks = (b"data: a\n\n", b"data: b\n\n")
    key = ("GET", f"{server.address}/s", b"", Scope())
    session.kept[key] = [Answer(200, (("Content-Type", "text/event-stream"),), chunks)]
    session.replay()
    parts = urlsplit(proxy.address)
    with socket.create_connection((parts.hostname or "", parts.port or 0), timeout=5) as sock:
        sock.sendall(f"GET {parts.path}/model/s HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n".encode())
        raw = b"".join(iter(lambda: sock.recv(4096), b""))
    assert raw.endswith(b"\r\n\r\n9\r\ndata: a\n\n\r\n9\r\ndata: b\n\n\r\n0\r\n\r\n")


def test_calls_belong_to_the_test_that_runs(proxy: Proxy, session: KeepingSession) -> None:
    with scope.entered(Scope("test_a.py::test_a", 3)):
        ask(proxy, "/v1/chat")
    assert [key[3] for key in session.kept] == [Scope("test_a.py::test_a", 3)]


def test_one_connection_serves_many_requests(proxy: Proxy, session: KeepingSession) -> None:
    parts = urlsplit(proxy.address)
    connection = http.client.HTTPConnection(parts.netloc, timeout=10)
    found = []
    for path in ("/v1/a", "/v1/stream", "/v1/empty", "/v1/b"):
        connection.request("GET", f"{parts.path}/model{path}")
        first = connection.sock
        found.append(connection.getresponse().read())
        assert connection.sock is first
    connection.close()
    assert [len(answer) for answer in found] == [len(found[0]), 33, 0, len(found[3])]


def test_a_chunked_body_arrives_whole(proxy: Proxy, server: Upstream, session: KeepingSession) -> None:
    parts = urlsplit(proxy.address)
    connection = http.client.HTTPConnection(parts.netloc, timeout=10)
    connection.request("POST", f"{parts.path}/model/v1/chat", iter([b"ab", b"", b"cde"]), encode_chunked=True)
    assert json.loads(connection.getresponse().read())["bytes"] == 5
    connection.close()
    assert (server.requests[0].body, session.asked[0].body) == (b"abcde", b"abcde")


def test_a_client_may_wait_for_leave_to_send_its_body(proxy: Proxy) -> None:
    parts = urlsplit(proxy.address)
    with socket.create_connection((parts.hostname or "", parts.port or 0), timeout=5) as sock:
        sock.sendall(
            f"POST {parts.path}/model/v1/chat HTTP/1.1\r\nHost: x\r\nContent-Length: 3\r\n"
            "Expect: 100-continue\r\nConnection: close\r\n\r\n".encode()
        )
        assert sock.recv(4096) == b"HTTP/1.1 100 Continue\r\n\r\n"
        sock.sendall(b"abc")
        assert b'"bytes": 3' in b"".join(iter(lambda: sock.recv(4096), b""))


def test_a_body_of_many_megabytes_goes_through(proxy: Proxy) -> None:
    assert json.loads(ask(proxy, "/v1/chat", b"x" * 20_000_000)[2])["bytes"] == 20_000_000


def test_the_encoding_of_an_answer_is_left_alone(proxy: Proxy, session: KeepingSession) -> None:
    status, headers, body = ask(proxy, "/v1/zipped")
    assert (status, headers["content-encoding"], gzip.decompress(body)) == (200, "gzip", b'{"zipped": true}')
    assert gzip.decompress(settled(session, 1)[0].body) == b'{"zipped": true}'


def test_a_head_request_has_the_length_and_no_body(proxy: Proxy, session: KeepingSession) -> None:
    live = ask(proxy, "/v1/chat", method="HEAD")
    assert (live[0], live[2]) == (200, b"")
    assert int(live[1]["content-length"]) > 0
    settled(session, 1)
    session.replay()
    assert ask(proxy, "/v1/chat", method="HEAD") == live


@pytest.mark.parametrize("path", ["/v1/redirect", "/v1/here"])
def test_a_redirect_stays_within_the_proxy(path: str, proxy: Proxy, server: Upstream, session: KeepingSession) -> None:
    assert ask(proxy, path)[1]["location"] == f"{proxy.address}/model/v1/target"
    stored = dict(settled(session, 1)[0].headers)["Location"]
    assert stored in (f"{server.address}/v1/target", "/v1/target")


def test_headers_that_come_twice_stay_twice(proxy: Proxy) -> None:
    parts = urlsplit(proxy.address)
    connection = http.client.HTTPConnection(parts.netloc, timeout=10)
    connection.request("GET", f"{parts.path}/model/v1/chat")
    with connection.getresponse() as response:
        assert response.headers.get_all("X-Twice") == ["1", "2"]
    connection.close()


def test_many_clients_at_once_get_their_own_answers(proxy: Proxy, session: KeepingSession) -> None:
    found: dict[int, bytes] = {}

    def one(number: int) -> None:
        found[number] = ask(proxy, f"/v1/chat?n={number}", b"x" * number)[2]

    for _ in ("live", "replayed"):
        threads = [threading.Thread(target=one, args=(number,)) for number in range(1, 25)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        assert {json.loads(body)["bytes"] for body in found.values()} == set(range(1, 25))
        assert all(json.loads(found[number])["path"] == f"/v1/chat?n={number}" for number in found)
        settled(session, 24)
        session.replay()


def test_closing_ends_idle_connections_and_the_port(proxy: Proxy) -> None:
    parts = urlsplit(proxy.address)
    with socket.create_connection((parts.hostname or "", parts.port or 0), timeout=5) as sock:
        sock.sendall(f"GET {parts.path}/model/v1/chat HTTP/1.1\r\nHost: x\r\n\r\n".encode())
        assert sock.recv(65536)
        proxy.close()
        assert b"" in (receive(sock), receive(sock))
    with pytest.raises(ConnectionRefusedError):
        socket.create_connection((parts.hostname or "", parts.port or 0), timeout=5)


def test_its_own_addresses_are_told_from_others(proxy: Proxy, server: Upstream) -> None:
    assert proxy.target(f"{proxy.address}/model/v1/x?y=1") == f"{server.address}/v1/x?y=1"
    assert proxy.target(f"{server.address}/model/v1/x") is None
    assert proxy.address.startswith("http://127.0.0.1:")


def test_the_environment_leads_clients_here_past_other_proxies(session: KeepingSession) -> None:
    proxy = Proxy(session, routes({}))
    found = proxy.environment({"NO_PROXY": "example.org", "HTTP_PROXY": "http://proxy.example.org"})
    proxy.close()
    assert found["OPENAI_BASE_URL"] == f"{proxy.address}/openai/v1"
    assert found["ANTHROPIC_BASE_URL"] == f"{proxy.address}/anthropic"
    assert found["GOOGLE_GEMINI_BASE_URL"] == f"{proxy.address}/gemini"
    assert found["NO_PROXY"] == found["no_proxy"] == "example.org,127.0.0.1,localhost"
