"""aiohttp: one exchange over a connection of a connector, so that redirects, cookies and retries stay its own.

A stored answer is fed to aiohttp's own protocol and parser, over a transport that reaches nowhere. A live one is read
beside them.
"""

from __future__ import annotations

import asyncio
import contextlib
import warnings
from collections.abc import Callable, Iterator
from typing import Any

from gate.errors import RecordingError
from gate.record.recordings.exchange import Answer, Failure, Recorder
from gate.record.recordings.interceptors.active import wanted
from gate.record.recordings.interceptors.capture import Capture, content_length, header, is_chunked
from gate.record.recordings.interceptors.http_client import header_pairs
from gate.record.recordings.interceptors.seams import Function, Seam
from gate.record.recordings.interceptors.wire import CONTINUE, Body, Head, Reader, pieces

_MOMENT = 0.002
"""Seconds between two looks at whether a client has read on."""


class _Collector:
    """Takes what a payload writes."""

    def __init__(self) -> None:
        self.parts: list[bytes] = []

    async def write(self, chunk: Any) -> None:
        self.parts.append(bytes(chunk))


async def _whole_body(request: Any, payloads: Any) -> bytes:
    """All bytes of a request's body. What can be read only once is put in its place again, as bytes."""
    body = request.body
    if not isinstance(body, payloads.Payload):
        return bytes(body or b"")
    collector = _Collector()
    await body.write(collector)
    data = b"".join(collector.parts)
    if not isinstance(body, payloads.BytesPayload):
        close = getattr(body, "close", None)
        if asyncio.iscoroutinefunction(close):
            await close()
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", ResourceWarning)
            again = payloads.BytesPayload(data)
        setattr(request, "_body" if hasattr(request, "_body") else "body", again)
    return data


class _Sent:
    """Watches a request being written, to know when it is whole."""

    def __init__(self) -> None:
        self._head: Head | None = Head()
        self._body = Body(0, False)
        self.expects = False
        self.whole = False

    def feed(self, data: bytes) -> None:
        if self._head is not None:
            head = self._head.feed(data)
            if head is None:
                return
            _, headers, data = head
            self._head = None
            self.expects = header(headers, "expect") == "100-continue"
            self._body = Body(content_length(headers) or 0, is_chunked(headers))
        for _ in self._body.feed(data):
            pass
        self.whole = self._body.complete


class _Transport(asyncio.Transport):
    """Takes a request, and when it is whole gives a stored answer to the protocol, a piece each turn of the loop.

    Args:
        protocol: aiohttp's.
        answer: what is stored.
        method: of the request, in capitals.
        loop: in which all of this happens.
    """

    def __init__(self, protocol: Any, answer: Answer, method: str, loop: asyncio.AbstractEventLoop) -> None:
        super().__init__()
        self._protocol = protocol
        self._failure: Failure = answer.failure
        self._pieces: Iterator[bytes] = pieces(answer, method)
        self._loop = loop
        self._sent = _Sent()
        self._begun = self._continued = self._closing = self._paused = self._waiting = False

    def write(self, data: Any) -> None:
        self._sent.feed(bytes(data))
        if self._sent.expects and not self._continued:
            self._continued = True
            self._loop.call_soon(self._give, CONTINUE)
        if self._sent.whole and not self._begun:
            self._begun = True
            self._loop.call_soon(self._next)

    def writelines(self, list_of_data: Any) -> None:
        self.write(b"".join(list_of_data))

    def _give(self, data: bytes) -> None:
        if not self._closing:
            self._protocol.data_received(data)

    def _next(self) -> None:
        self._waiting = self._paused
        if self._closing or self._paused:
            return
        piece = next(self._pieces, None)
        if piece is not None:
            self._give(piece)
            self._loop.call_soon(self._next)
        elif self._failure and self._unread:
            self._loop.call_later(_MOMENT, self._next)
        elif self._failure == "time-out":
            self._protocol._on_read_timeout()
        else:
            self.close()

    @property
    def _unread(self) -> bool:
        """Whether the client has yet to take what came before the failure, which would hide it."""
        return bool(getattr(getattr(self._protocol, "_payload", None), "_buffer", None))

    def pause_reading(self) -> None:
        self._paused = True

    def resume_reading(self) -> None:
        self._paused = False
        if self._waiting:
            self._waiting = False
            self._loop.call_soon(self._next)

    def is_reading(self) -> bool:
        return not self._paused

    def is_closing(self) -> bool:
        return self._closing

    def close(self) -> None:
        if not self._closing:
            self._closing = True
            self._loop.call_soon(self._protocol.connection_lost, None)

    def abort(self) -> None:
        self.close()

    def get_write_buffer_size(self) -> int:
        return 0

    def set_write_buffer_limits(self, high: int | None = None, low: int | None = None) -> None:
        """There is no buffer."""

    def can_write_eof(self) -> bool:
        return False

    def get_protocol(self) -> Any:
        return self._protocol

    def set_protocol(self, protocol: Any) -> None:
        self._protocol = protocol


class _Watch:
    """Reads what one connection receives for one answer, until that is whole or the client lets go.

    An event loop calls this, and nobody could catch an error; a session that can't store an answer has noted that.

    Args:
        connection: aiohttp's, for this exchange.
        capture: what takes the answer.
        request: aiohttp's.
    """

    def __init__(self, connection: Any, capture: Capture, request: Any) -> None:
        self._protocol = connection.protocol
        self._capture = capture
        self._reader = Reader(capture, request.method.upper())
        self._request = request
        self._reading = self._released = False
        self._received: Callable[[bytes], None] = self._protocol.data_received
        self._lost: Callable[[BaseException | None], None] = self._protocol.connection_lost
        self._protocol.data_received = self._data_received
        self._protocol.connection_lost = self._connection_lost
        self._tell_transport()
        connection.add_callback(self._release)

    def _tell_transport(self) -> None:
        """Some event loops keep the methods of a protocol rather than look them up."""
        transport = self._protocol.transport
        if transport is not None:
            transport.set_protocol(self._protocol)

    def _data_received(self, data: bytes) -> None:
        self._reading = True
        try:
            self._received(data)
        finally:
            self._reading = False
        with contextlib.suppress(RecordingError):
            self._reader.feed(data)
        if self._released or self._capture.done:
            self._stop()

    def _connection_lost(self, exc: BaseException | None) -> None:
        self._reading = True
        try:
            self._lost(exc)
        finally:
            self._reading = False
        if exc is None:
            with contextlib.suppress(RecordingError):
                self._reader.end()
        self._stop()

    def _release(self) -> None:
        self._released = True
        if not self._reading:
            self._stop()

    def _stop(self) -> None:
        if not self._capture.done:
            error = self._protocol.exception()
            if isinstance(error, TimeoutError) or _timed_out(self._request):
                self._capture.fail("time-out")
            self._capture.leave()
        for name in ("data_received", "connection_lost"):
            vars(self._protocol).pop(name, None)
        self._tell_transport()


def _timed_out(request: Any) -> bool:
    """Whether aiohttp's clock for the whole call has run out."""
    timer = getattr(request, "_timer", None)
    return bool(getattr(timer, "_cancelled", False))


class _Connectors:
    """The stand-ins for aiohttp.

    Args:
        module: `aiohttp`.
    """

    def __init__(self, module: Any) -> None:
        self._module = module

    def connect(self, original: Function) -> Function:
        """Ask before a connection is made or taken from the pool."""

        async def connect(connector: Any, req: Any, *arguments: Any, **named: Any) -> Any:
            asked = wanted(str(req.url))
            if asked is None:
                return await original(connector, req, *arguments, **named)
            data = await _whole_body(req, self._module.payload)
            method = req.method.upper()
            got: Answer | Recorder = asked.ask(method, str(req.url), header_pairs(req.headers), data)
            if isinstance(got, Answer):
                return self._stored(connector, req, got)
            capture = Capture(got, method)
            try:
                connection = await original(connector, req, *arguments, **named)
            except BaseException as error:
                capture.fail(self._failure_of(error, req))
                raise
            _Watch(connection, capture, req)
            return connection

        return connect

    def _failure_of(self, error: BaseException, request: Any) -> Failure:
        if isinstance(error, TimeoutError) or _timed_out(request):
            return "time-out"
        return "connection" if isinstance(error, (self._module.ClientConnectionError, OSError)) else "protocol"

    def _stored(self, connector: Any, request: Any, answer: Answer) -> Any:
        """A connection over which one stored answer comes."""
        module, loop = self._module, asyncio.get_running_loop()
        if not answer.status and answer.failure == "connection":
            error = ConnectionRefusedError(111, "no connection, as when it was recorded")
            raise module.ClientConnectorError(request.connection_key, error)
        protocol = module.client_proto.ResponseHandler(loop)
        protocol.connection_made(_Transport(protocol, answer, request.method.upper(), loop))
        protocol.force_close()
        return module.connector.Connection(connector, request.connection_key, protocol, loop)


def seams(module: Any) -> list[Seam]:
    """The seams of aiohttp."""
    return [Seam(module.connector.BaseConnector, "connect", _Connectors(module).connect)]
