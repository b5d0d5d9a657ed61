"""Where calls are taken over, and that every library has its own methods back afterwards."""

from __future__ import annotations

import asyncio
import http.client
import subprocess
import sys
import urllib.request
from collections.abc import Iterator
from typing import Any

import aiohttp
import httpcore
import httpx
import pytest
import requests
import urllib3

from gate.errors import RecordingError
from gate.record.recordings import interceptors
from gate.record.recordings.exchange import Answer
from tests.support.http_clients import CLIENTS, outcome
from tests.support.model_server import ModelServer
from tests.support.remembering_session import RememberingSession, Taken

PLACES: list[tuple[Any, str]] = [
    (httpcore.ConnectionPool, "handle_request"),
    (httpcore.AsyncConnectionPool, "handle_async_request"),
    (urllib3.HTTPConnectionPool, "_make_request"),
    (urllib3.HTTPSConnectionPool, "_prepare_proxy"),
    (aiohttp.BaseConnector, "connect"),
    (http.client.HTTPConnection, "request"),
    (http.client.HTTPConnection, "putrequest"),
    (http.client.HTTPConnection, "getresponse"),
]
ORIGINALS = [vars(owner)[name] for owner, name in PLACES]


def _now() -> list[Any]:
    return [vars(owner)[name] for owner, name in PLACES]


def _stored(url: str, count: int = 1) -> RememberingSession:
    session = RememberingSession()
    session.replaying = True
    for number in range(count):
        session.put(url, Answer(200, (), (str(number).encode(),)))
    return session


@pytest.fixture
def server() -> Iterator[ModelServer]:
    with ModelServer() as server:
        yield server


def test_the_very_originals_come_back() -> None:
    with interceptors.installed(RememberingSession()):
        assert all(now is not before for now, before in zip(_now(), ORIGINALS, strict=True))
    assert all(now is before for now, before in zip(_now(), ORIGINALS, strict=True))
    assert not any(isinstance(finder, type(interceptors._watch)) for finder in sys.meta_path)


def test_installing_the_same_session_twice_is_installing_it_once(server: ModelServer) -> None:
    session = RememberingSession()
    interceptors.install(session)
    placed = _now()
    interceptors.install(session)
    assert _now() == placed
    requests.get(f"{server.url}/echo", timeout=10)
    assert len(session.taken) == 1
    assert interceptors.uninstall() == ()
    assert _now() == ORIGINALS
    assert interceptors.uninstall() == ()


def test_a_session_within_a_session_gives_back_the_outer_one(server: ModelServer) -> None:
    outer, inner = RememberingSession(), RememberingSession()
    with interceptors.installed(outer):
        with interceptors.installed(inner):
            requests.get(f"{server.url}/echo", timeout=10)
        requests.get(f"{server.url}/cookies", timeout=10)
    assert [len(one.taken) for one in (outer, inner)] == [1, 1]
    assert outer.taken[0].request.url.endswith("/cookies")


def test_a_patch_on_top_is_noticed_and_kept(server: ModelServer, monkeypatch: pytest.MonkeyPatch) -> None:
    session, calls = RememberingSession(), []
    interceptors.install(session)
    ours = urllib3.HTTPConnectionPool._make_request

    def theirs(*arguments: Any, **named: Any) -> Any:
        calls.append(1)
        return ours(*arguments, **named)

    urllib3.HTTPConnectionPool._make_request = theirs  # type: ignore[method-assign,assignment]
    try:
        name = "urllib3.connectionpool.HTTPConnectionPool._make_request"
        assert interceptors.disturbed() == (name,)
        requests.get(f"{server.url}/echo", timeout=10)
        assert interceptors.uninstall() == (name,)
        assert urllib3.HTTPConnectionPool._make_request is theirs
        requests.get(f"{server.url}/echo", timeout=10)
        assert len(session.taken) == 1
        again = RememberingSession()
        with interceptors.installed(again):
            requests.get(f"{server.url}/echo", timeout=10)
        assert len(again.taken) == 1
        assert len(calls) == 3
    finally:
        urllib3.HTTPConnectionPool._make_request = ORIGINALS[2]  # type: ignore[method-assign]


@pytest.mark.parametrize("name", list(CLIENTS))
def test_an_exempt_address_is_left_alone(server: ModelServer, name: str) -> None:
    session = RememberingSession()
    with interceptors.installed(session, exempt=lambda url: url.startswith(server.url)):
        assert CLIENTS[name]("GET", f"{server.url}/echo").status == 200
    assert session.asked == []
    assert len(server.requests) == 1


def test_clients_and_connections_from_before_are_covered(server: ModelServer) -> None:
    session = RememberingSession()
    url = f"{server.url}/echo"
    loop = asyncio.new_event_loop()

    async def calls(client: httpx.AsyncClient, other: aiohttp.ClientSession) -> list[Any]:
        async with other.get(f"{url}?aiohttp") as answer:
            return [(await client.get(f"{url}?httpx")).json(), await answer.json()]

    async def opened() -> tuple[httpx.AsyncClient, aiohttp.ClientSession]:
        return httpx.AsyncClient(), aiohttp.ClientSession()

    async def closed(*clients: Any) -> None:
        await clients[0].aclose()
        await clients[1].close()

    with requests.Session() as first, httpx.Client() as second:
        asynchronous = loop.run_until_complete(opened())
        all_calls = [lambda: first.get(url, timeout=10).json(), lambda: second.get(url).json()]
        all_calls.append(lambda: loop.run_until_complete(calls(*asynchronous)))
        for call in all_calls:
            call()
        connections = server.connections
        with interceptors.installed(session):
            recorded = [call() for call in all_calls]
            session.replaying = True
            assert [call() for call in all_calls] == recorded
        assert len(session.answers) == 4
        assert server.connections == connections
        loop.run_until_complete(closed(*asynchronous))
    loop.close()


def test_transports_within_the_process_are_left_alone() -> None:
    session = RememberingSession()
    transport = httpx.MockTransport(lambda request: httpx.Response(200, text="here"))
    with interceptors.installed(session), httpx.Client(transport=transport) as client:
        assert client.get("http://far.example/").text == "here"
    assert session.asked == []


def test_a_transport_of_the_user_s_own_is_seen_through() -> None:
    class Retrying(httpx.BaseTransport):
        def __init__(self) -> None:
            self.below = httpx.HTTPTransport()

        def handle_request(self, request: httpx.Request) -> httpx.Response:
            answers = [self.below.handle_request(request) for _ in range(2)]
            return answers[1]

    session = _stored("http://far.example/", 2)
    with interceptors.installed(session), httpx.Client(mounts={"all://": Retrying()}) as client:
        assert client.get("http://far.example/").text == "1"


def test_a_unix_socket_is_known_by_its_address(tmp_path: Any) -> None:
    session = _stored("http://local/version")
    transport = httpx.HTTPTransport(uds=str(tmp_path / "none.sock"))
    with interceptors.installed(session), httpx.Client(transport=transport) as client:
        assert client.get("http://local/version").text == "0"


def test_hooks_and_rounds_of_authentication_go_on_working(server: ModelServer) -> None:
    session, heard = RememberingSession(), []
    hooks = {"response": [lambda answer: heard.append(answer.status_code)]}
    auth = httpx.DigestAuth("a", "b")
    with interceptors.installed(session), httpx.Client(event_hooks=hooks, auth=auth) as client:
        assert client.get(f"{server.url}/digest").json() == {"let": "in"}
    assert [answer.status for answer in session.answers] == [401, 200]
    assert heard == [401, 200]


def test_retries_of_a_client_are_exchanges_of_their_own(server: ModelServer) -> None:
    session = RememberingSession()
    retry = urllib3.Retry(2, status_forcelist=[500], backoff_factor=0, raise_on_status=False)
    with interceptors.installed(session), requests.Session() as client:
        client.mount("http://", requests.adapters.HTTPAdapter(max_retries=retry))
        for session.replaying in (False, True):
            assert client.get(f"{server.url}/status/500", timeout=10).status_code == 500
    assert [answer.status for answer in session.answers] == [500, 500, 500]
    assert len(server.requests) == 3


def test_an_upgrade_is_asked_about_and_never_an_answer(server: ModelServer) -> None:
    session = RememberingSession()
    with interceptors.installed(session):
        connection = http.client.HTTPConnection("127.0.0.1", server.port, timeout=5)
        connection.request("GET", "/upgrade", headers={"Connection": "Upgrade", "Upgrade": "websocket"})
        assert connection.getresponse().status == 101
        connection.close()
        with httpx.Client() as client:
            headers = {"Connection": "Upgrade", "Upgrade": "websocket"}
            with client.stream("GET", f"{server.url}/upgrade", headers=headers) as answer:
                assert answer.status_code == 101
    assert [answer.failure for answer in session.answers] == ["protocol", "protocol"]


def test_a_call_whose_answer_nobody_fetched_does_not_open_the_way() -> None:
    session = _stored("http://far.example/one")
    with interceptors.installed(session):
        connection = http.client.HTTPConnection("far.example")
        connection.request("GET", "/one")
        connection.close()
        with pytest.raises(Exception, match=r"nothing is stored for GET http://far\.example/two"):
            connection.request("GET", "/two")


def test_a_connection_that_sets_up_its_own_responses_is_seen_through(server: ModelServer) -> None:
    class Own(urllib3.connection.HTTPConnection):
        def request(self, *arguments: Any, **named: Any) -> None:
            super().request(*arguments, **named)
            self.response_class = http.client.HTTPResponse

    class Pool(urllib3.HTTPConnectionPool):
        ConnectionCls = Own  # type: ignore[assignment]

    session = RememberingSession()
    with interceptors.installed(session), Pool("127.0.0.1", server.port) as pool:
        got = []
        for session.replaying in (False, True):
            got += [pool.request("GET", "/echo?a").json(), pool.request("GET", "/echo?b").json()]
    assert got[:2] == got[2:]
    assert [answer.failure for answer in session.answers] == ["", ""]
    assert server.connections == 1


@pytest.mark.parametrize(("name", "told"), [(name, name != "aiohttp") for name in CLIENTS])
def test_an_answer_that_cannot_be_stored_is_told_where_somebody_listens(
    server: ModelServer, name: str, told: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    def full(_: Taken) -> None:
        raise RecordingError("the disk is full")

    monkeypatch.setattr(Taken, "finish", full)
    with interceptors.installed(RememberingSession()):
        seen = outcome(CLIENTS[name], "GET", f"{server.url}/echo")
    assert seen.error[:1] == (("RecordingError",) if told else ())


LATE = """
import sys
from gate.record.recordings import interceptors
from gate.record.recordings.exchange import Answer
from tests.support.remembering_session import RememberingSession
session = RememberingSession()
session.replaying = True
for number in range(3):
    session.put("http://far.example/", Answer(200, (), (b"%d" % number,)))
names = "httpx", "requests", "urllib3", "aiohttp", "httpcore"
interceptors.install(session)
assert not {*names} & {*sys.modules}, "installing imports no client"
import httpx, requests
assert requests.get("http://far.example/").text == "0"
assert httpx.get("http://far.example/").text == "1"
assert requests.__spec__.loader.__class__.__name__ == "SourceFileLoader"
import asyncio, aiohttp
async def call():
    async with aiohttp.ClientSession() as client, client.get("http://far.example/") as answer:
        return await answer.text()
assert asyncio.run(call()) == "2"
assert interceptors.uninstall() == ()
import urllib3
assert not hasattr(urllib3.HTTPConnectionPool._make_request, "__wrapped__")
print("covered")
"""


def test_a_library_that_is_imported_later_is_covered() -> None:
    done = subprocess.run([sys.executable, "-c", LATE], capture_output=True, text=True, check=False)
    assert done.stdout == "covered\n", done.stderr


def test_urllib_through_an_opener_of_its_own() -> None:
    session = _stored("https://far.example/a")
    with interceptors.installed(session), urllib.request.urlopen("https://far.example/a", timeout=5) as answer:
        assert answer.read() == b"0"
