"""Threads, tasks of an event loop and forked children: each call is recorded once, and gets its own answer."""

from __future__ import annotations

import asyncio
import os
import threading
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import aiohttp
import httpx
import pytest
import requests

from gate.record.recordings import interceptors
from gate.record.recordings.exchange import Answer
from tests.support.http_clients import CLIENTS
from tests.support.model_server import ModelServer
from tests.support.remembering_session import RememberingSession


@pytest.fixture
def server() -> Iterator[ModelServer]:
    with ModelServer() as server:
        yield server


@pytest.mark.parametrize("name", list(CLIENTS))
def test_eight_threads_get_each_their_answer(name: str) -> None:
    urls = [f"http://far.example/{number}" for number in range(80)]
    session = RememberingSession()
    session.replaying = True
    for url in urls:
        session.put(url, Answer(200, (), (url.encode(),)))
    start = threading.Barrier(8)

    def some(first: int) -> list[bytes]:
        start.wait()
        return [CLIENTS[name]("GET", url).body for url in urls[first::8]]

    with interceptors.installed(session), ThreadPoolExecutor(8) as threads:
        got = list(threads.map(some, range(8)))
    assert got == [[url.encode() for url in urls[first::8]] for first in range(8)]


def test_eight_threads_record_every_call_once(server: ModelServer) -> None:
    session = RememberingSession()
    with interceptors.installed(session), ThreadPoolExecutor(8) as threads, requests.Session() as client:
        list(threads.map(lambda n: client.get(f"{server.url}/echo?{n}", timeout=10), range(64)))
    assert sorted(one.request.url for one in session.taken) == sorted(f"{server.url}/echo?{n}" for n in range(64))
    assert len(session.answers) == len(server.requests) == 64


def test_many_tasks_of_a_loop_record_and_replay(server: ModelServer) -> None:
    session = RememberingSession()

    async def all_at_once() -> list[Any]:
        async with httpx.AsyncClient() as client, aiohttp.ClientSession() as other:

            async def one(number: int) -> Any:
                if number % 2:
                    return (await client.get(f"{server.url}/echo?{number}")).json()
                async with other.get(f"{server.url}/echo?{number}") as answer:
                    return await answer.json()

            return await asyncio.gather(*(one(number) for number in range(40)))

    with interceptors.installed(session):
        recorded = asyncio.run(all_at_once())
        session.replaying = True
        assert asyncio.run(all_at_once()) == recorded
    assert len(session.answers) == len(server.requests) == 40


@pytest.mark.skipif(not hasattr(os, "fork"), reason="needs fork")
@pytest.mark.filterwarnings("ignore:This process:DeprecationWarning")
def test_a_forked_child_is_covered() -> None:
    session = RememberingSession()
    session.replaying = True
    session.put("http://far.example/", Answer(200, (), (b"far",)))
    with interceptors.installed(session), requests.Session() as client:
        read, write = os.pipe()
        child = os.fork()
        if child == 0:
            try:
                os.write(write, client.get("http://far.example/", timeout=5).content)
            finally:
                os._exit(0)
        os.close(write)
        os.waitpid(child, 0)
        assert os.read(read, 10) == b"far"
        os.close(read)


def test_loops_of_several_threads_record_and_replay(server: ModelServer) -> None:
    session = RememberingSession()

    def one(number: int) -> list[Any]:
        calls = CLIENTS["aiohttp"], CLIENTS["httpx-async"]
        return [call("GET", f"{server.url}/echo?{number}.{place}").json for place, call in enumerate(calls)]

    with interceptors.installed(session), ThreadPoolExecutor(4) as threads:
        recorded = list(threads.map(one, range(8)))
        session.replaying = True
        assert list(threads.map(one, range(8))) == recorded
    assert len(session.answers) == len(server.requests) == 16
