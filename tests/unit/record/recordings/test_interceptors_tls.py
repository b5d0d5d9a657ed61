"""Calls over TLS, and through a tunnel of a proxy: recorded as they are, replayed without either."""

from __future__ import annotations

import asyncio
import shutil
import socket
import ssl
import subprocess
import threading
import warnings
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import aiohttp
import httpx
import pytest
import requests
import urllib3

from gate.record.recordings import interceptors
from tests.support.model_server import ModelServer
from tests.support.remembering_session import RememberingSession

pytestmark = pytest.mark.skipif(shutil.which("openssl") is None, reason="needs openssl, to make a certificate")
MAKE = "openssl req -x509 -newkey ec -pkeyopt ec_paramgen_curve:P-256 -nodes -days 2 -subj /CN=localhost"


class Tunnel:
    """A proxy that makes tunnels, on a free port, and counts them."""

    def __init__(self) -> None:
        self.made = 0
        self._socket = socket.create_server(("127.0.0.1", 0))
        self.url = f"http://127.0.0.1:{self._socket.getsockname()[1]}"
        threading.Thread(target=self._serve, daemon=True).start()

    def _serve(self) -> None:
        while True:
            try:
                client, _ = self._socket.accept()
            except OSError:
                return
            head = b""
            while b"\r\n\r\n" not in head:
                head += client.recv(4096)
            self.made += 1
            host, _, port = head.split()[1].decode().rpartition(":")
            server = socket.create_connection((host, int(port)))
            client.sendall(b"HTTP/1.1 200 Connection established\r\n\r\n")
            for pair in ((client, server), (server, client)):
                threading.Thread(target=self._pump, args=pair, daemon=True).start()

    def _pump(self, source: socket.socket, target: socket.socket) -> None:
        try:
            while data := source.recv(65536):
                target.sendall(data)
        except OSError:
            pass
        finally:
            target.close()

    def close(self) -> None:
        self._socket.close()


@pytest.fixture(scope="module")
def certificate(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, Path]:
    folder = tmp_path_factory.mktemp("tls")
    key, certificate = folder / "key.pem", folder / "certificate.pem"
    files = ["-keyout", str(key), "-out", str(certificate), "-addext", "subjectAltName=DNS:localhost"]
    subprocess.run([*MAKE.split(), *files], check=True, capture_output=True)
    return certificate, key


@pytest.fixture(scope="module")
def server(certificate: tuple[Path, Path]) -> Iterator[ModelServer]:
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(*certificate)
    with ModelServer(tls=context) as server:
        yield server


@pytest.fixture
def tunnel() -> Iterator[Tunnel]:
    tunnel = Tunnel()
    yield tunnel
    tunnel.close()


def by_requests(url: str, certificate: Path, proxy: str | None) -> Any:
    return requests.get(url, verify=str(certificate), proxies={"https": proxy} if proxy else None, timeout=5).json()


def by_httpx(url: str, certificate: Path, proxy: str | None) -> Any:
    with httpx.Client(verify=ssl.create_default_context(cafile=certificate), proxy=proxy) as client:
        return client.get(url).json()


def by_aiohttp(url: str, certificate: Path, proxy: str | None) -> Any:
    async def call() -> Any:
        context = ssl.create_default_context(cafile=certificate)
        async with aiohttp.ClientSession() as client, client.get(url, ssl=context, proxy=proxy) as answer:
            return await answer.json()

    return asyncio.run(call())


@pytest.mark.parametrize("proxied", [False, True])
@pytest.mark.parametrize("call", [by_requests, by_httpx, by_aiohttp])
def test_tls_and_a_tunnel_are_made_to_record_and_not_to_replay(
    server: ModelServer, tunnel: Tunnel, certificate: tuple[Path, Path], call: Callable[..., Any], proxied: bool
) -> None:
    url, session = f"https://localhost:{server.port}/echo", RememberingSession()
    proxy = tunnel.url if proxied else None
    with interceptors.installed(session):
        recorded = call(url, certificate[0], proxy)
        assert tunnel.made == proxied
        sent = server.connections, tunnel.made
        session.replaying = True
        assert call(url, certificate[0], proxy) == recorded
        assert (server.connections, tunnel.made) == sent
    assert [request.url for request, _ in session.asked] == [url, url]
    assert [answer.failure for answer in session.answers] == [""]


def test_an_unchecked_certificate_is_warned_of_both_times(server: ModelServer) -> None:
    session, warned = RememberingSession(), []
    with interceptors.installed(session):
        for session.replaying in (False, True):
            with warnings.catch_warnings(record=True) as caught:
                warnings.simplefilter("always")
                requests.get(f"https://localhost:{server.port}/echo", verify=False, timeout=5)
            warned.append([one.category for one in caught])
    assert warned == [[urllib3.exceptions.InsecureRequestWarning]] * 2


def test_a_certificate_that_nobody_knows_is_no_answer(server: ModelServer) -> None:
    session = RememberingSession()
    with interceptors.installed(session):
        with pytest.raises(requests.exceptions.SSLError):
            requests.get(f"https://localhost:{server.port}/echo", timeout=5)
        with pytest.raises(httpx.ConnectError):
            httpx.get(f"https://localhost:{server.port}/echo")
    assert [answer.failure for answer in session.answers] == ["connection", "connection"]
