"""How live calls of the proxy leave: through the environment's proxy, over TLS, with what the address says."""

from __future__ import annotations

import http.client
import shutil
import ssl
import subprocess
import threading
from collections.abc import Iterator
from pathlib import Path

import pytest

from gate.errors import RecordingError
from gate.record.recordings.exchange import Answer, Recorder, Request, Scope
from gate.record.recordings.proxy import Proxy
from gate.record.recordings.proxy_live import UpstreamError, opened
from gate.record.recordings.upstreams import Routes
from tests.support.proxied import ask, error_of
from tests.support.upstream import KeepingSession, Upstream, upstream


@pytest.fixture(autouse=True)
def without_proxies(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("http_proxy", "https_proxy", "all_proxy", "no_proxy"):
        monkeypatch.delenv(name, raising=False)
        monkeypatch.delenv(name.upper(), raising=False)


@pytest.fixture
def server() -> Iterator[Upstream]:
    with upstream() as found:
        yield found


def body_of(request: Request) -> bytes:
    with opened(request, tls=None, timeout=5) as live:
        return b"".join(live.pieces())


def test_a_proxy_of_the_environment_is_asked_for_the_whole_address(
    server: Upstream, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("http_proxy", server.address)
    assert b"count" in body_of(Request("GET", "http://model.invalid:81/v1/chat?a=b"))
    (seen,) = server.requests
    assert seen.url == "http://model.invalid:81/v1/chat?a=b"
    assert dict(seen.headers)["Host"] == "model.invalid:81"


def test_addresses_that_the_environment_excepts_are_asked_directly(
    server: Upstream, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("http_proxy", "http://127.0.0.1:9")
    monkeypatch.setenv("no_proxy", "example.org,127.0.0.1")
    assert b"count" in body_of(Request("GET", f"{server.address}/v1/chat"))
    assert server.requests[0].url == "/v1/chat"


def test_a_name_and_password_in_an_address_become_a_header(server: Upstream) -> None:
    address = server.address.replace("://", "://me:p%40ss@")
    body_of(Request("GET", f"{address}/v1/chat"))
    body_of(Request("GET", f"{address}/v1/chat", (("authorization", "Bearer t"),)))
    assert [dict(seen.headers).get("Authorization") for seen in server.requests] == ["Basic bWU6cEBzcw==", None]
    assert dict(server.requests[1].headers)["authorization"] == "Bearer t"
    assert all("me" not in dict(seen.headers)["Host"] for seen in server.requests)


def test_a_post_without_a_body_says_its_length(server: Upstream) -> None:
    body_of(Request("POST", f"{server.address}/v1/chat"))
    assert dict(server.requests[0].headers)["Content-Length"] == "0"


@pytest.mark.parametrize("url", ["http://127.0.0.1:1/a b", "http://127.0.0.1:1/v1"])
def test_what_can_not_be_sent_is_a_failure_and_no_crash(url: str) -> None:
    with pytest.raises(UpstreamError) as caught:
        body_of(Request("GET", url))
    assert caught.value.failure in ("connection", "protocol")


@pytest.fixture
def certificate(tmp_path: Path) -> tuple[Path, Path]:
    if not shutil.which("openssl"):
        pytest.skip("needs openssl")
    key, found = tmp_path / "key.pem", tmp_path / "certificate.pem"
    command = ["openssl", "req", "-x509", "-newkey", "rsa:2048", "-nodes", "-days", "2", "-subj", "/CN=localhost"]
    names = ["-addext", "subjectAltName=IP:127.0.0.1,DNS:localhost"]
    subprocess.run([*command, *names, "-keyout", key, "-out", found], check=True, capture_output=True)
    return found, key


def test_a_live_call_over_tls_trusts_what_it_is_told_to_trust(certificate: tuple[Path, Path]) -> None:
    served = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    served.load_cert_chain(*certificate)
    with Upstream() as server:
        server.socket = served.wrap_socket(server.socket, server_side=True)
        thread = threading.Thread(target=server.serve_forever, args=(0.02,))
        thread.start()
        routes = Routes({"model": server.address.replace("http:", "https:")}, {})
        try:
            trusting = ssl.create_default_context(cafile=certificate[0])
            with Proxy(KeepingSession(), routes, tls=trusting) as proxy:
                assert ask(proxy, "/v1/chat", b"abc")[0] == 200
                assert ask(proxy, "/v1/stream")[2].count(b"data: ") == 3
            with Proxy(KeepingSession(), routes) as proxy:
                assert error_of(ask(proxy, "/v1/chat"))[:2] == (502, "gate_upstream_failed")
        finally:
            server.shutdown()
            thread.join()


class _Refusing(KeepingSession):
    """Can't store any answer."""

    def ask(self, request: Request, scope: Scope) -> Recorder:
        found = super().ask(request, scope)
        assert not isinstance(found, Answer)
        found.finish = self._refuse  # type: ignore[method-assign]
        return found

    def _refuse(self) -> None:
        raise RecordingError("the disk is full")


@pytest.mark.parametrize("method", ["GET", "HEAD"])
def test_no_client_sees_the_end_of_an_answer_before_it_is_stored(server: Upstream, method: str) -> None:
    with Proxy(_Refusing(), Routes({"model": server.address}, {})) as proxy:
        if method == "HEAD":
            assert ask(proxy, "/v1/chat", method=method)[0] == 599
        else:
            with pytest.raises(http.client.IncompleteRead):
                ask(proxy, "/v1/chat", method=method)
