"""What a client of the proxy is told where there is no answer."""

from __future__ import annotations

import http.client
import socket
from collections.abc import Iterator
from contextlib import contextmanager
from urllib.parse import urlsplit

import pytest

from gate.errors import BudgetExhaustedError, RecordingError
from gate.record.recordings import scope
from gate.record.recordings.exchange import Answer, Recorder, Request, Scope
from gate.record.recordings.proxy import Proxy
from gate.record.recordings.upstreams import Routes
from tests.support.proxied import ask, error_of, receive, settled
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


class RefusingSession:
    def __init__(self, error: Exception) -> None:
        self.error = error

    def ask(self, request: Request, scope: Scope) -> Answer | Recorder:
        raise self.error


def test_what_is_not_recorded_is_told_as_an_error_that_no_client_repeats(
    proxy: Proxy, session: KeepingSession, server: Upstream
) -> None:
    session.replay()
    with scope.entered(Scope("test_a.py::test_a")):
        head = ask(proxy, "/v1/chat", b"{}")
    status, kind, message = error_of(head)
    assert (status, kind, head[1]["x-should-retry"]) == (599, "gate_missing_recording", "false")
    assert message == f"test_a.py::test_a: no answer is stored for POST {server.address}/v1/chat"
    assert (len(session.missing), server.connections) == (1, 0)


@pytest.mark.parametrize(
    ("error", "kind", "problems"),
    [
        (BudgetExhaustedError("enough"), "gate_budget_exhausted", ()),
        (RecordingError("damaged"), "gate_recording", ()),
        (ZeroDivisionError("sk-secret"), "gate_internal", ("a call could not be answered: ZeroDivisionError",)),
    ],
)
def test_errors_of_the_session_reach_the_client(error: Exception, kind: str, problems: tuple[str, ...]) -> None:
    with Proxy(RefusingSession(error), Routes({"model": "http://127.0.0.1:9"}, {})) as proxy:
        head = ask(proxy, "/v1/chat")
        assert error_of(head)[:2] == (599, kind)
        assert b"sk-secret" not in head[2]
        assert proxy.problems() == problems


def test_an_upstream_that_can_not_be_reached_is_told_alike_live_and_replayed(session: KeepingSession) -> None:
    with socket.create_server(("127.0.0.1", 0)) as closed:
        address = f"http://127.0.0.1:{closed.getsockname()[1]}"
    with Proxy(session, Routes({"model": address}, {})) as proxy:
        live = ask(proxy, "/v1/chat")
        assert error_of(live) == (502, "gate_upstream_failed", "127.0.0.1 could not be reached")
        (kept,) = settled(session, 1)
        assert (kept.status, kept.failure) == (0, "connection")
        session.replay()
        assert ask(proxy, "/v1/chat") == live


def test_a_silent_upstream_is_a_time_out(session: KeepingSession) -> None:
    with socket.create_server(("127.0.0.1", 0)) as silent:
        address = f"http://127.0.0.1:{silent.getsockname()[1]}"
        with Proxy(session, Routes({"model": address}, {}), timeout=0.2) as proxy:
            assert error_of(ask(proxy, "/v1/chat"))[:2] == (504, "gate_upstream_failed")
            assert settled(session, 1)[0].failure == "time-out"


def test_an_answer_that_breaks_off_does_so_for_the_client_too(proxy: Proxy, session: KeepingSession) -> None:
    for _ in ("live", "replayed"):
        with pytest.raises(http.client.IncompleteRead) as caught:
            ask(proxy, "/v1/broken")
        assert caught.value.partial == b"abc"
        (kept,) = settled(session, 1)
        assert (kept.status, kept.chunks, kept.failure) == (200, (b"abc",), "protocol")
        session.replay()


def test_an_upstream_that_hangs_up_is_a_failed_connection(proxy: Proxy, session: KeepingSession) -> None:
    assert error_of(ask(proxy, "/v1/gone"))[0] == 502
    assert settled(session, 1)[0].failure == "connection"


def test_a_client_that_leaves_in_the_middle_leaves_no_whole_answer(
    proxy: Proxy, server: Upstream, session: KeepingSession
) -> None:
    parts = urlsplit(proxy.address)
    with socket.create_connection((parts.hostname or "", parts.port or 0), timeout=5) as sock:
        sock.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, b"\1\0\0\0\0\0\0\0")
        sock.sendall(f"GET {parts.path}/model/hold/stream HTTP/1.1\r\nHost: x\r\n\r\n".encode())
        assert sock.recv(4096)
    server.go_on.set()
    proxy.close()
    assert [answer.failure for answer in settled(session, 1)] == ["protocol"]


@pytest.mark.parametrize("path", ["/model/v1", "/wrong-token/model/v1", "/", "{token}/unknown/v1", "{token}"])
def test_without_the_token_and_a_name_nothing_is_served(path: str, proxy: Proxy, session: KeepingSession) -> None:
    parts = urlsplit(proxy.address)
    connection = http.client.HTTPConnection(parts.netloc, timeout=10)
    connection.request("GET", path.replace("{token}", parts.path))
    response = connection.getresponse()
    head = (response.status, {}, response.read())
    connection.close()
    assert error_of(head)[:2] == (404, "gate_no_upstream")
    assert session.asked == []
    assert parts.path.strip("/") not in head[2].decode()


@pytest.mark.parametrize(
    "framing",
    [
        "Content-Length: x",
        "Content-Length: -1",
        "Content-Length: 3\r\nContent-Length: 4",
        "Content-Length: 3\r\nTransfer-Encoding: chunked",
        "Transfer-Encoding: gzip, chunked",
    ],
)
def test_a_body_whose_length_is_in_doubt_is_refused(framing: str, proxy: Proxy, session: KeepingSession) -> None:
    parts = urlsplit(proxy.address)
    with socket.create_connection((parts.hostname or "", parts.port or 0), timeout=5) as sock:
        sock.sendall(
            f"POST {parts.path}/model/v1 HTTP/1.1\r\nHost: x\r\n{framing}\r\n\r\n3\r\nabc\r\n0\r\n\r\n".encode()
        )
        raw = b""
        while piece := receive(sock):
            raw += piece
    assert raw.startswith(b"HTTP/1.1 400 ")
    assert session.asked == []


def test_a_web_socket_is_refused_by_name(proxy: Proxy, session: KeepingSession) -> None:
    head = ask(proxy, "/v1/realtime", headers={"Upgrade": "websocket", "Connection": "Upgrade"})
    assert error_of(head)[:2] == (599, "gate_unsupported")
    assert session.asked == []


class FullDisk:
    def start(self, status: int, headers: object) -> None: ...

    def chunk(self, data: bytes) -> None: ...

    def finish(self) -> None:
        raise RecordingError("the disk is full")

    def fail(self, failure: str) -> None:
        raise AssertionError(failure)


@contextmanager
def unable_to_store(server: Upstream) -> Iterator[Proxy]:
    class Session:
        def ask(self, request: Request, scope: Scope) -> Answer | Recorder:
            return FullDisk()

    with Proxy(Session(), Routes({"model": server.address}, {})) as proxy:
        yield proxy


def test_an_answer_that_can_not_be_stored_is_not_whole_for_the_client(server: Upstream) -> None:
    with unable_to_store(server) as proxy:
        with pytest.raises(http.client.IncompleteRead):
            ask(proxy, "/v1/stream")
        assert proxy.problems() == ("the disk is full",)
