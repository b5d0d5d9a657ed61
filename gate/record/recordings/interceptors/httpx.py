"""httpx, and with it the OpenAI, Anthropic and other libraries: one exchange of httpcore's connection pools.

The pools lie below every transport that goes out (mounts, proxies, Unix sockets, transports of the user's own around
them) and beside those that stay in the process (`ASGITransport`, `WSGITransport`, `MockTransport`), which are not
touched. httpx2 rests on httpcore2 in the same way.
"""

from __future__ import annotations

from collections.abc import AsyncIterator, Iterator
from typing import Any

from gate.record.recordings.exchange import Answer, Failure, Headers
from gate.record.recordings.interceptors.active import Active, wanted
from gate.record.recordings.interceptors.capture import Capture, has_body
from gate.record.recordings.interceptors.http_client import address
from gate.record.recordings.interceptors.seams import Function, Seam
from gate.record.recordings.interceptors.wire import raw_headers, reason_of, to_bytes, to_text, with_reason


class _Live:
    """A live body that a capture sees as well, while the client reads it."""

    def __init__(self, stream: Any, capture: Capture, pools: _Pools) -> None:
        self._stream = stream
        self._capture = capture
        self._pools = pools

    def __iter__(self) -> Iterator[bytes]:
        try:
            for part in self._stream:
                self._capture.chunk(part)
                yield part
            self._capture.finish()
        except GeneratorExit:
            self._capture.leave()
            raise
        except BaseException as error:
            self._capture.fail(self._pools.failure_of(error))
            raise

    async def __aiter__(self) -> AsyncIterator[bytes]:
        try:
            async for part in self._stream:
                self._capture.chunk(part)
                yield part
            self._capture.finish()
        except GeneratorExit:
            self._capture.leave()
            raise
        except BaseException as error:
            self._capture.fail(self._pools.failure_of(error))
            raise

    def close(self) -> None:
        self._capture.leave()
        self._stream.close()

    async def aclose(self) -> None:
        self._capture.leave()
        await self._stream.aclose()


class _Stored:
    """A stored body, in its chunks; it breaks off or times out where the live one did."""

    def __init__(self, chunks: tuple[bytes, ...], failure: Exception | None) -> None:
        self._chunks = chunks
        self._failure = failure

    def __iter__(self) -> Iterator[bytes]:
        yield from self._chunks
        if self._failure is not None:
            raise self._failure

    async def __aiter__(self) -> AsyncIterator[bytes]:
        for chunk in self._chunks:
            yield chunk
        if self._failure is not None:
            raise self._failure

    def close(self) -> None:
        """There is nothing to close."""

    async def aclose(self) -> None:
        """There is nothing to close."""


class _Pools:
    """The stand-ins for one copy of httpcore.

    Args:
        module: that copy.
    """

    def __init__(self, module: Any) -> None:
        self._core = module

    def handle(self, original: Function) -> Function:
        """Ask before a connection is taken from the pool."""

        def handle_request(pool: Any, request: Any) -> Any:
            asked = _asked(request)
            if asked is None:
                return original(pool, request)
            body = b"".join(request.stream)
            method, got = self._ask(asked, request, body)
            if isinstance(got, Answer):
                return self._response(got, method)
            capture = Capture(got, method)
            try:
                response = original(pool, request)
            except BaseException as error:
                capture.fail(self.failure_of(error))
                raise
            return self._observed(response, capture)

        return handle_request

    def handle_async(self, original: Function) -> Function:
        """The same for event loops."""

        async def handle_async_request(pool: Any, request: Any) -> Any:
            asked = _asked(request)
            if asked is None:
                return await original(pool, request)
            body = b"".join([part async for part in request.stream])
            method, got = self._ask(asked, request, body)
            if isinstance(got, Answer):
                return self._response(got, method)
            capture = Capture(got, method)
            try:
                response = await original(pool, request)
            except BaseException as error:
                capture.fail(self.failure_of(error))
                raise
            return self._observed(response, capture)

        return handle_async_request

    def failure_of(self, error: BaseException) -> Failure:
        """How a live call failed."""
        core = self._core
        if isinstance(error, core.TimeoutException):
            return "time-out"
        return "connection" if isinstance(error, (core.ConnectError, core.ProxyError)) else "protocol"

    def _ask(self, asked: Active, request: Any, body: bytes) -> tuple[str, Any]:
        """Ask, with the body read once; what is sent is that body, with the headers of the client."""
        request.stream = self._core.Request("POST", "http://body", content=body).stream
        method = to_text(request.method).upper()
        return method, asked.ask(method, _url(request), _pairs(request.headers), body)

    def _observed(self, response: Any, capture: Capture) -> Any:
        """A live response whose body goes through a capture."""
        if response.status == 101:
            capture.fail("protocol")
            return response
        reason = to_text(response.extensions.get("reason_phrase", b""))
        capture.start(response.status, with_reason(response.status, reason, _pairs(response.headers)))
        response.stream = _Live(response.stream, capture, self)
        return response

    def _response(self, answer: Answer, method: str) -> Any:
        """A stored response."""
        failure = self._error(answer.failure) if answer.failure else None
        if failure is not None and not answer.status:
            raise failure
        chunks = answer.chunks if has_body(method, answer.status) else ()
        reason = to_bytes(reason_of(answer))
        return self._core.Response(
            answer.status,
            headers=raw_headers(answer),
            content=_Stored(chunks, failure),
            extensions={"http_version": b"HTTP/1.1", "reason_phrase": reason},
        )

    def _error(self, failure: Failure) -> Exception:
        kind, words = {
            "time-out": (self._core.ReadTimeout, "timed out"),
            "connection": (self._core.ConnectError, "no connection"),
            "protocol": (self._core.RemoteProtocolError, "the answer broke off"),
        }[failure]
        error: Exception = kind(f"{words}, as when it was recorded")
        return error


def _pairs(headers: Any) -> Headers:
    return tuple((to_text(name), to_text(value)) for name, value in headers)


def _url(request: Any) -> str:
    url = request.url
    return address(to_text(url.scheme), to_text(url.host), url.port, to_text(url.target))


def _asked(request: Any) -> Active | None:
    """Who is to be asked; nobody about a scheme that httpcore itself refuses."""
    return wanted(_url(request)) if request.url.scheme in (b"http", b"https", b"ws", b"wss") else None


def seams(module: Any) -> list[Seam]:
    """The seams of one copy of httpcore."""
    pools = _Pools(module)
    return [
        Seam(module.ConnectionPool, "handle_request", pools.handle),
        Seam(module.AsyncConnectionPool, "handle_async_request", pools.handle_async),
    ]
