"""A plain HTTP client of the proxy, for tests of it."""

from __future__ import annotations

import http.client
import json
import socket
import time
from urllib.parse import urlsplit

from gate.record.recordings.exchange import Answer
from gate.record.recordings.proxy import Proxy
from tests.support.upstream import KeepingSession

Head = tuple[int, dict[str, str], bytes]


def ask(
    proxy: Proxy, path: str, body: bytes | None = None, headers: dict[str, str] | None = None, method: str = ""
) -> Head:
    parts = urlsplit(proxy.address)
    connection = http.client.HTTPConnection(parts.netloc, timeout=10)
    try:
        given = method or ("GET" if body is None else "POST")
        connection.request(given, f"{parts.path}/model{path}", body, headers or {})
        response = connection.getresponse()
        return response.status, {name.lower(): value for name, value in response.headers.items()}, response.read()
    finally:
        connection.close()


def error_of(head: Head) -> tuple[int, str, str]:
    told = json.loads(head[2])["error"]
    return head[0], told["type"], told["message"]


def settled(session: KeepingSession, calls: int) -> list[Answer]:
    """What was kept once so many answers are; a client may see the end of an answer a moment before."""
    deadline = time.monotonic() + 5
    while len(kept := [answer for answers in list(session.kept.values()) for answer in answers]) < calls:
        assert time.monotonic() < deadline
        time.sleep(0.002)
    return kept


def receive(sock: socket.socket) -> bytes:
    try:
        return sock.recv(4096)
    except ConnectionResetError:  # it did not read the body
        return b""
