"""Streams are recorded while the client reads them, and replayed in the pieces in which they came."""

from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncIterator, Callable, Iterator
from typing import Any

import aiohttp
import httpx
import pytest
import requests
import urllib3

from gate.record.recordings import interceptors
from gate.record.recordings.exchange import Answer
from tests.support.model_server import ModelServer
from tests.support.remembering_session import RememberingSession

CHAT = {"model": "m", "stream": True, "messages": [{"role": "user", "content": "which colour?"}]}
PIECES = 8
"""Six words, the reason for the end, and the end."""
Stream = Callable[[str], Iterator[bytes]]


def by_httpx(url: str) -> Iterator[bytes]:
    with httpx.Client(timeout=10) as client, client.stream("POST", url, json=CHAT) as answer:
        yield from answer.iter_raw()


def by_requests(url: str) -> Iterator[bytes]:
    with requests.Session() as client, client.post(url, json=CHAT, stream=True, timeout=10) as answer:
        yield from answer.iter_content(None)


def by_urllib3(url: str) -> Iterator[bytes]:
    with urllib3.PoolManager(timeout=10) as pools:
        answer = pools.request("POST", url, body=json.dumps(CHAT).encode(), preload_content=False)
        try:
            yield from answer.stream(None)
        finally:
            answer.close()


def _in_a_loop(parts: Callable[[], AsyncIterator[bytes]]) -> Iterator[bytes]:
    """The parts of an asynchronous stream, each as soon as it is there."""
    with asyncio.Runner() as runner:
        stream = parts()
        try:
            while True:
                try:
                    yield runner.run(anext(stream))  # type: ignore[arg-type]
                except StopAsyncIteration:
                    return
        finally:
            runner.run(stream.aclose())  # type: ignore[attr-defined]


def by_httpx_async(url: str) -> Iterator[bytes]:
    async def parts() -> AsyncIterator[bytes]:
        async with httpx.AsyncClient(timeout=10) as client, client.stream("POST", url, json=CHAT) as answer:
            async for part in answer.aiter_raw():
                yield part

    return _in_a_loop(parts)


def by_aiohttp(url: str) -> Iterator[bytes]:
    async def parts() -> AsyncIterator[bytes]:
        limit = aiohttp.ClientTimeout(sock_read=10)
        async with aiohttp.ClientSession(timeout=limit) as client, client.post(url, json=CHAT) as answer:
            async for part, _ in answer.content.iter_chunks():
                if part:  # the end of the last piece may come by itself
                    yield part

    return _in_a_loop(parts)


STREAMS = {
    "httpx": by_httpx,
    "httpx-async": by_httpx_async,
    "requests": by_requests,
    "urllib3": by_urllib3,
    "aiohttp": by_aiohttp,
}


@pytest.fixture(params=list(STREAMS))
def stream(request: pytest.FixtureRequest) -> Stream:
    return STREAMS[request.param]


def test_a_stream_is_not_delayed_and_comes_back_in_its_pieces(stream: Stream) -> None:
    session = RememberingSession()
    with ModelServer(paced=True) as server, interceptors.installed(session):
        url = f"{server.base_url}/chat/completions"
        live = []
        for part in stream(url):  # a piece that waited for the next one would wait for ever
            live.append(part)
            server.go_on()
        sent = server.connections
        session.replaying = True
        replayed = list(stream(url))
        assert server.connections == sent
    assert live[-1].endswith(b"data: [DONE]\n\n")
    assert len(live) == PIECES
    assert replayed == live
    [answer] = session.answers
    assert answer.failure == ""
    assert answer.chunks == tuple(live)


def test_who_stops_at_the_last_event_has_a_whole_answer(stream: Stream) -> None:
    session = RememberingSession()
    with ModelServer() as server, interceptors.installed(session):
        for part in (parts := stream(f"{server.base_url}/chat/completions")):
            if b"[DONE]" in part:
                break
        parts.close()  # type: ignore[attr-defined]
    [answer] = session.answers
    assert answer.failure == ""
    assert answer.body.endswith(b"data: [DONE]\n\n")


def test_who_leaves_early_has_none(stream: Stream) -> None:
    session = RememberingSession()
    with ModelServer(pause=0.03) as server, interceptors.installed(session):
        parts = stream(f"{server.base_url}/chat/completions")
        assert next(parts)
        parts.close()  # type: ignore[attr-defined]
    [answer] = session.answers
    assert answer.failure == "protocol"


def test_an_answer_that_never_ends_can_be_left(stream: Stream) -> None:
    session = RememberingSession()
    with ModelServer() as server, interceptors.installed(session):
        parts = stream(f"{server.url}/endless")
        assert b"again" in b"".join(next(parts) for _ in range(20))
        parts.close()  # type: ignore[attr-defined]
    [answer] = session.answers
    assert answer.failure == "protocol"


@pytest.mark.parametrize("failure", ["time-out", "protocol"])
def test_a_failure_in_the_middle_comes_after_what_came_before(stream: Stream, failure: Any) -> None:
    session = RememberingSession()
    session.replaying = True
    body = httpx.Request("POST", "http://far.example/", json=CHAT).content
    for sent in (body, requests.Request("POST", "http://far.example/", json=CHAT).prepare().body):
        assert isinstance(sent, bytes)
        head = (("transfer-encoding", "chunked"), ("content-type", "text/event-stream"))
        session.put("http://far.example/", Answer(200, head, (b"one", b"two"), failure), method="POST", body=sent)
    got = []
    with interceptors.installed(session), pytest.raises(Exception) as caught:
        for part in stream("http://far.example/"):
            got.append(part)
    assert got == [b"one", b"two"]
    names = {kind.__name__ for kind in type(caught.value).__mro__}
    times_out = {"TimeoutException", "ReadTimeoutError", "TimeoutError", "ConnectionError"}
    breaks_off = {"RemoteProtocolError", "ProtocolError", "ChunkedEncodingError", "ClientPayloadError"}
    assert names & (times_out if failure == "time-out" else breaks_off)


def test_lines_of_a_replay_come_as_lines() -> None:
    session = RememberingSession()
    with ModelServer() as server, interceptors.installed(session):
        url = f"{server.base_url}/chat/completions"
        both = []
        for session.replaying in (False, True):
            with requests.post(url, json=CHAT, stream=True, timeout=10) as answer:
                both.append(list(answer.iter_lines()))
    assert both[0] == both[1]
    assert both[0][-2:] == [b"data: [DONE]", b""]
