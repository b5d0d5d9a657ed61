"""One live call of the proxy: the request goes out, and the answer comes back in the pieces in which it arrives."""

from __future__ import annotations

import base64
import contextlib
import functools
import http.client
import ssl
import urllib.request
from collections.abc import Iterator
from urllib.parse import SplitResult, unquote, urlsplit

from gate.record.recordings.exchange import Failure, Headers, Request
from gate.record.recordings.interceptors.http_client import OURS
from gate.record.recordings.proxy_wire import answer_headers, length_of

_PIECE = 65_536
_WITH_BODY = ("POST", "PUT", "PATCH")


class UpstreamError(Exception):
    """No whole answer came.

    Attributes:
        failure: what an answer is stored as.
    """

    def __init__(self, failure: Failure, message: str) -> None:
        super().__init__(message)
        self.failure = failure


class Live:
    """An answer whose head has come."""

    def __init__(self, response: http.client.HTTPResponse, method: str) -> None:
        self._response = response
        self.status = response.status
        self.headers: Headers = answer_headers(tuple(response.headers.items()))
        self.bodiless = method == "HEAD" or response.status in (204, 304)

    def pieces(self) -> Iterator[bytes]:
        """The body, still encoded, each piece as soon as it is there.

        Raises:
            UpstreamError: it broke off.
        """
        if self.bodiless:
            return
        length, seen = length_of(self.headers), 0
        with _failures():
            while piece := self._response.read1(_PIECE):
                seen += len(piece)
                yield piece
        if length is not None and seen < length:
            raise UpstreamError("protocol", "the answer broke off")


@contextlib.contextmanager
def opened(request: Request, *, tls: ssl.SSLContext | None, timeout: float) -> Iterator[Live]:
    """Send a request; gives the answer once its head has come, and closes the connection at the end.

    Args:
        tls: for https; by default the certificates that Python trusts, `SSL_CERT_FILE` included.
        timeout: seconds without a byte.

    A proxy that the environment names is used, as other clients would.

    Raises:
        UpstreamError: no answer came.
    """
    parts = urlsplit(request.url)
    with _failures():
        connection, target = _connection(parts, tls, timeout)
    try:
        with _failures():
            _send(connection, target, parts, request)
            response = connection.getresponse()
        with response:
            yield Live(response, request.method)
    finally:
        connection.close()


def _connection(
    parts: SplitResult, tls: ssl.SSLContext | None, timeout: float
) -> tuple[http.client.HTTPConnection, str]:
    """A connection, directly or through the environment's proxy, and the target that it is asked for."""
    host, port = parts.hostname or "", parts.port
    target = (parts.path or "/") + (f"?{parts.query}" if parts.query else "")
    through = _proxy_of(parts)
    secure = parts.scheme == "https"
    first, first_port = (through.hostname or "", through.port or 80) if through else (host, port)
    if secure:
        context = tls or _trusted()
        connection: http.client.HTTPConnection = http.client.HTTPSConnection(
            first, first_port, timeout=timeout, context=context
        )
        if through:
            connection.set_tunnel(host, port or 443, _authorization(through, "Proxy-Authorization"))
        return connection, target
    connection = http.client.HTTPConnection(first, first_port, timeout=timeout)
    return connection, f"http://{_authority(parts)}{target}" if through else target


@functools.cache
def _trusted() -> ssl.SSLContext:
    return ssl.create_default_context()


def _proxy_of(parts: SplitResult) -> SplitResult | None:
    host = parts.hostname or ""
    if urllib.request.proxy_bypass(host):
        return None
    proxies = urllib.request.getproxies()
    found = proxies.get(parts.scheme) or proxies.get("all")
    if not found:
        return None
    return urlsplit(found if "://" in found else f"http://{found}")


def _send(connection: http.client.HTTPConnection, target: str, parts: SplitResult, request: Request) -> None:
    vars(connection)[OURS] = True
    connection.putrequest(request.method, target, skip_host=True, skip_accept_encoding=True)
    connection.putheader("Host", _authority(parts))
    given = {name.lower() for name, _ in request.headers}
    if "authorization" not in given:
        for name, value in _authorization(parts, "Authorization").items():
            connection.putheader(name, value)
    for name, value in request.headers:
        connection.putheader(name, value.encode("latin-1", "replace"))
    if request.body or request.method in _WITH_BODY:
        connection.putheader("Content-Length", str(len(request.body)))
    connection.endheaders(request.body or None)


def _authority(parts: SplitResult) -> str:
    return parts.netloc.rpartition("@")[2]


def _authorization(parts: SplitResult, header: str) -> dict[str, str]:
    """What an address says about who asks."""
    if parts.username is None:
        return {}
    pair = f"{unquote(parts.username)}:{unquote(parts.password or '')}".encode()
    return {header: "Basic " + base64.b64encode(pair).decode("ascii")}


@contextlib.contextmanager
def _failures() -> Iterator[None]:
    """The errors of a socket and of HTTP as the failures that can be stored."""
    try:
        yield
    except TimeoutError:
        raise UpstreamError("time-out", "no answer came in time") from None
    except OSError as error:
        raise UpstreamError("connection", error.strerror or type(error).__name__) from None
    except http.client.HTTPException as error:
        raise UpstreamError("protocol", f"the answer is no HTTP: {type(error).__name__}") from None
