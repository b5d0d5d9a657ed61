"""urllib3, and with it requests, botocore and what else rests on it: one exchange of a connection pool.

The seam lies below redirects and retries, so that each exchange is one recording, and above the connection, so that
nothing is opened in replay, a tunnel of a proxy included. A stored answer is read by urllib3's and `http.client`'s own
code from memory.
"""

from __future__ import annotations

from typing import Any

from gate.record.recordings.exchange import Answer, Failure
from gate.record.recordings.interceptors.active import Active, wanted
from gate.record.recordings.interceptors.blocking import StoredSocket, failure_of, whole_body
from gate.record.recordings.interceptors.capture import Capture
from gate.record.recordings.interceptors.http_client import CALL, Call, address, header_pairs, settle
from gate.record.recordings.interceptors.seams import Function, Seam

_TUNNEL = "_gate_tunnel"


class _Pools:
    """The stand-ins for one copy of urllib3.

    Args:
        module: that copy.
    """

    def __init__(self, module: Any) -> None:
        self._errors = module.exceptions
        self._prepare: Function | None = None

    def prepare_proxy(self, original: Function) -> Function:
        """Put off the tunnel until it is clear that the call goes out."""
        self._prepare = original

        def prepare_proxy(pool: Any, connection: Any) -> None:
            vars(connection)[_TUNNEL] = True

        return prepare_proxy

    def make_request(self, original: Function) -> Function:
        """Ask before a connection is made."""

        def make_request(
            pool: Any, conn: Any, method: str, url: str, body: Any = None, headers: Any = None, **named: Any
        ) -> Any:
            absolute = url if url.lower().startswith(("http://", "https://")) else _absolute(pool, url)
            asked = wanted(absolute)
            if asked is None:
                self._open_tunnel(pool, conn)
                return original(pool, conn, method, url, body=body, headers=headers, **named)
            data, body = whole_body(body)
            got = _ask(asked, method, absolute, headers, data)
            named |= {"body": body, "headers": headers}
            if isinstance(got, Answer):
                return self._stored(got, original, pool, conn, method, url, named)
            return self._live(Capture(got, method.upper()), original, pool, conn, method, url, named)

        return make_request

    def _open_tunnel(self, pool: Any, connection: Any) -> None:
        """Make the tunnel that was put off, with the errors that urllib3 makes of its failures."""
        if not vars(connection).pop(_TUNNEL, False) or self._prepare is None:
            return
        try:
            self._prepare(pool, connection)
        except OSError as error:
            pool._raise_timeout(err=error, url=pool.proxy.url, timeout_value=connection.timeout)
            raise

    def _stored(
        self, answer: Answer, original: Function, pool: Any, conn: Any, method: str, url: str, named: dict[str, Any]
    ) -> Any:
        vars(conn).pop(_TUNNEL, None)
        if not answer.status and answer.failure == "connection":
            raise self._errors.NewConnectionError(conn, "no connection, as when it was recorded")
        call, verified = Call(None, conn.sock, above=True), getattr(conn, "is_verified", None)
        conn.sock, vars(conn)[CALL] = StoredSocket(answer, method.upper()), call
        if verified is not None:
            conn.is_verified = verified or _would_verify(conn)
        try:
            return original(pool, conn, method, url, **named)
        finally:
            settle(conn, call)
            if verified is not None:
                conn.is_verified = verified

    def _live(
        self, capture: Capture, original: Function, pool: Any, conn: Any, method: str, url: str, named: dict[str, Any]
    ) -> Any:
        call = Call(capture, above=True)
        vars(conn)[CALL] = call
        try:
            self._open_tunnel(pool, conn)
            response = original(pool, conn, method, url, **named)
        except BaseException as error:
            capture.fail(self._failure_of(error))
            raise
        finally:
            settle(conn, call)
        if not capture.started:
            capture.fail("protocol")
        return response

    def _failure_of(self, error: BaseException) -> Failure:
        errors = self._errors
        if isinstance(error, errors.NewConnectionError):
            return "connection"
        if isinstance(error, errors.TimeoutError):
            return "time-out"
        return "connection" if isinstance(error, (errors.ProxyError, errors.SSLError)) else failure_of(error)


def _absolute(pool: Any, target: str) -> str:
    return address(pool.scheme, pool.host, pool.port, target)


def _ask(asked: Active, method: str, url: str, headers: Any, data: bytes) -> Any:
    return asked.ask(method, url, header_pairs(headers), data)


def _would_verify(connection: Any) -> bool:
    """Whether a live connection would have checked the server's certificate, which decides on urllib3's warning."""
    required = str(getattr(connection, "cert_reqs", None)) in ("CERT_REQUIRED", "VerifyMode.CERT_REQUIRED", "2")
    return required or bool(getattr(connection, "assert_fingerprint", None))


def seams(module: Any) -> list[Seam]:
    """The seams of one copy of urllib3."""
    pools, where = _Pools(module), module.connectionpool
    return [
        Seam(where.HTTPConnectionPool, "_make_request", pools.make_request),
        Seam(where.HTTPSConnectionPool, "_prepare_proxy", pools.prepare_proxy),
    ]
