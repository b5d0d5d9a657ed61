"""What a replayed call takes, against looking its answer up in a dictionary, through each HTTP client library.

1,000 chat completions are recorded from a local server. Then a listener that only counts connections stands on the
server's address, and the same calls go through requests, httpx, its event-loop client, urllib3 and aiohttp, one after
another and with 8 threads. Every answer must be the recorded one, and nobody may have connected. The time of a call is
that of the whole call, the client library included; the limit is on the median over repeats of (time of all calls -
time of all look-ups) / calls. With PyYAML installed, the size is set against that of a cassette as VCR writes it.
"""

from __future__ import annotations

import argparse
import asyncio
import hashlib
import json
import socket
import statistics
import tempfile
import threading
import time
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import aiohttp
import httpx
import requests
import urllib3

from gate.record.recordings import interceptors, scope
from gate.record.recordings.exchange import Scope
from gate.record.recordings.session import RecordingSession
from gate.record.recordings.store import Store
from tests.support.model_server import ModelServer

CALLS, REPEATS, THREADS = 1000, 5, 8
LIMIT_MILLISECONDS, LIMIT_LOAD_SECONDS = 1.0, 0.1
CASE = Scope("tests/test_model.py::test_answers", 0)
JSON = {"content-type": "application/json"}
Answers = list[bytes]


class Listener:
    """Counts who connects to a port, and answers nothing."""

    def __init__(self, port: int) -> None:
        self.connections = 0
        self._socket = socket.create_server(("127.0.0.1", port))
        threading.Thread(target=self._accept, daemon=True).start()

    def _accept(self) -> None:
        while True:
            try:
                self._socket.accept()[0].close()
            except OSError:
                return
            self.connections += 1

    def close(self) -> int:
        """How many connected."""
        self._socket.close()
        return self.connections


def by_requests(url: str, bodies: list[bytes]) -> Answers:
    with requests.Session() as client:
        return [client.post(url, data=body, headers=JSON, timeout=5).content for body in bodies]


def by_httpx(url: str, bodies: list[bytes]) -> Answers:
    with httpx.Client() as client:
        return [client.post(url, content=body, headers=JSON).content for body in bodies]


def by_urllib3(url: str, bodies: list[bytes]) -> Answers:
    with urllib3.PoolManager() as client:
        return [client.request("POST", url, body=body, headers=JSON, timeout=5, retries=False).data for body in bodies]


def by_httpx_async(url: str, bodies: list[bytes]) -> Answers:
    async def calls() -> Answers:
        async with httpx.AsyncClient() as client:
            return [(await client.post(url, content=body, headers=JSON)).content for body in bodies]

    return asyncio.run(calls())


def by_aiohttp(url: str, bodies: list[bytes]) -> Answers:
    async def calls() -> Answers:
        async with aiohttp.ClientSession() as client:
            answers = []
            for body in bodies:
                async with client.post(url, data=body, headers=JSON) as answer:
                    answers.append(await answer.read())
            return answers

    return asyncio.run(calls())


def by_threads(url: str, bodies: list[bytes]) -> Answers:
    with requests.Session() as client, ThreadPoolExecutor(THREADS) as threads:
        return list(threads.map(lambda body: client.post(url, data=body, headers=JSON, timeout=5).content, bodies))


CLIENTS: dict[str, Callable[[str, list[bytes]], Answers]] = {
    "requests": by_requests,
    "httpx": by_httpx,
    "httpx async": by_httpx_async,
    "urllib3": by_urllib3,
    "aiohttp": by_aiohttp,
    f"requests, {THREADS} threads": by_threads,
}


def recorded(folder: Path, bodies: list[bytes]) -> tuple[str, int, Answers]:
    """The address, its port, and the answers that were recorded."""
    with ModelServer() as server:
        session = RecordingSession(Store(folder), "record")
        with interceptors.installed(session), scope.entered(CASE):
            answers = by_requests(f"{server.base_url}/chat/completions", bodies)
        session.ended(CASE.case)
        session.finish()
        return f"{server.base_url}/chat/completions", server.port, answers


def look_ups(bodies: list[bytes], answers: Answers) -> float:
    """Seconds a look-up by a digest of the body."""
    table = {hashlib.sha256(body).digest(): answer for body, answer in zip(bodies, answers, strict=True)}
    begun = time.perf_counter()
    for body in bodies:
        table[hashlib.sha256(body).digest()]
    return (time.perf_counter() - begun) / len(bodies)


def replayed(name: str, folder: Path, url: str, bodies: list[bytes], answers: Answers) -> tuple[float, bool]:
    """Milliseconds that a call takes beyond a look-up, and whether all answers were the recorded ones."""
    times, right = [], True
    for _ in range(REPEATS):
        session = RecordingSession(Store(folder), "replay")
        with interceptors.installed(session), scope.entered(CASE):
            CLIENTS[name](url, bodies[:1])
        session = RecordingSession(Store(folder), "replay")
        with interceptors.installed(session), scope.entered(CASE):
            begun = time.perf_counter()
            got = CLIENTS[name](url, bodies)
            taken = (time.perf_counter() - begun) / len(bodies)
        right &= got == answers
        times.append((taken - look_ups(bodies, answers)) * 1000)
    return statistics.median(times), right


def load_seconds(folder: Path) -> float:
    """The median time to open the store and find one answer."""
    times = []
    for _ in range(REPEATS):
        begun = time.perf_counter()
        assert Store(folder).trials(CASE.case)
        times.append(time.perf_counter() - begun)
    return statistics.median(times)


def cassette_size(folder: Path, url: str, bodies: list[bytes], answers: Answers) -> int | None:
    """Bytes of the same calls as VCR writes them, where PyYAML is installed."""
    try:
        import yaml
    except ImportError:
        return None
    headers = {**requests.Session().headers, **JSON, "Content-Length": str(len(bodies[0]))}
    sent = {name: [value] for name, value in headers.items()}
    entry = next(Store(folder).entries(CASE.case))
    came = {name: [value] for name, value in entry.answer.headers}
    calls: list[dict[str, Any]] = [
        {
            "request": {"body": body.decode(), "headers": sent, "method": "POST", "uri": url},
            "response": {
                "body": {"string": answer.decode()},
                "headers": came,
                "status": {"code": 200, "message": "OK"},
            },
        }
        for body, answer in zip(bodies, answers, strict=True)
    ]
    yaml.Dumper.ignore_aliases = lambda *_: True
    return len(yaml.dump({"interactions": calls, "version": 1}))


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--client", choices=CLIENTS, action="append", help="only this one; may be given more than once")
    options = parser.parse_args()
    bodies = [
        json.dumps({"model": "m", "messages": [{"role": "user", "content": f"question {number}"}]}).encode()
        for number in range(CALLS)
    ]
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name) / "recordings"
        url, port, answers = recorded(folder, bodies)
        listener = Listener(port)
        found = {name: replayed(name, folder, url, bodies, answers) for name in options.client or CLIENTS}
        loaded, connections = load_seconds(folder), listener.close()
        cassette = cassette_size(folder, url, bodies, answers)
        size = sum(path.stat().st_size for path in folder.rglob("*.jsonl"))
    for name, (milliseconds, right) in found.items():
        print(f"{name:>20}: {milliseconds:.3f} ms a call beyond a look-up, {'all right' if right else 'WRONG ANSWERS'}")
    print(f"{connections} connections; loads in {loaded:.3f} s; {size:,} bytes for {CALLS:,} calls", end="")
    print(f", {cassette:,} as a YAML cassette" if cassette else "")
    slow = any(milliseconds > LIMIT_MILLISECONDS for milliseconds, _ in found.values()) or loaded > LIMIT_LOAD_SECONDS
    return int(slow or connections > 0 or not all(right for _, right in found.values()))


if __name__ == "__main__":
    raise SystemExit(main())
