"""One connection of a client with the proxy: each request is answered from the session, or live and recorded."""

from __future__ import annotations

import http.server
from collections.abc import Callable, Iterable
from typing import TYPE_CHECKING, Any
from urllib.parse import urlsplit

from gate.errors import GateError
from gate.record.recordings import scope
from gate.record.recordings.exchange import Answer, Failure, Headers, Recorder, Request
from gate.record.recordings.proxy_live import Live, UpstreamError, opened
from gate.record.recordings.proxy_wire import (
    BadRequestError,
    ClientGoneError,
    chunk,
    error_body,
    length_of,
    read_body,
    request_headers,
)

if TYPE_CHECKING:
    from gate.record.recordings.proxy import Proxy

NOT_RECORDED = 599
_FAILED = {
    "time-out": (504, "did not answer in time"),
    "connection": (502, "could not be reached"),
    "protocol": (502, "gave no whole answer"),
}
_REDIRECTS = ("location", "content-location", "x-goog-upload-url")


class Handler(http.server.BaseHTTPRequestHandler):
    """Any method, keep-alive, chunked bodies and `Expect: 100-continue`."""

    protocol_version = "HTTP/1.1"
    disable_nagle_algorithm = True
    server: Any
    _head_sent = False

    def __getattr__(self, name: str) -> Callable[[], None]:
        if name.startswith("do_"):
            return self._serve
        raise AttributeError(name)

    def log_message(self, *_: Any) -> None:
        """Nothing: paths, headers and bodies may hold secrets."""

    @property
    def _proxy(self) -> Proxy:
        proxy: Proxy = self.server.proxy
        return proxy

    def _serve(self) -> None:
        headers = tuple(self.headers.items())
        try:
            body = read_body(headers, self.rfile)
            target = self._proxy.target_of(self.path)
            if target is None:
                self._refuse(404, "gate_no_upstream", "no upstream has this path")
            elif any(name.lower() == "upgrade" and "websocket" in value.lower() for name, value in headers):
                self._refuse(NOT_RECORDED, "gate_unsupported", "a web socket can't be recorded: use plain requests")
            else:
                self._answer(Request(self.command, target, request_headers(headers), body))
        except BadRequestError as error:
            self._refuse(400, "gate_bad_request", str(error))
        except (ClientGoneError, ConnectionError):
            self.close_connection = True

    def _answer(self, request: Request) -> None:
        try:
            found = self._proxy.session.ask(request, scope.current())
        except GateError as error:
            kind = type(error).__name__.removesuffix("Error")
            self._refuse(NOT_RECORDED, f"gate_{_snake(kind)}", str(error))
        except Exception as error:  # the client must not wait for ever
            self._proxy.note(f"a call could not be answered: {type(error).__name__}")
            self._refuse(NOT_RECORDED, "gate_internal", f"the gate failed: {type(error).__name__}")
        else:
            if isinstance(found, Answer):
                self._replay(request, found)
            else:
                self._live(request, found)

    def _replay(self, request: Request, answer: Answer) -> None:
        if answer.status == 0:
            self._failed(request, answer.failure)
            return
        bodiless = request.method == "HEAD" or answer.status in (204, 304)
        length = length_of(answer.headers)
        if not bodiless and length != len(answer.body) and not answer.failure:
            length = None  # stored decoded, or without a length
        write = self._head(request, answer.status, answer.headers, length, bodiless=bodiless)
        for piece in () if bodiless else answer.chunks:
            write(piece)
        if answer.failure:
            self.close_connection = True  # as it broke off when it was recorded
        else:
            write(b"")

    def _live(self, request: Request, recorder: Recorder) -> None:
        try:
            with opened(request, tls=self._proxy.tls, timeout=self._proxy.timeout) as live:
                recorder.start(live.status, live.headers)
                self._pass_on(request, recorder, live)
        except UpstreamError as error:
            recorder.fail(error.failure)
            if self._head_sent:
                self.close_connection = True
            else:
                self._proxy.note(f"{urlsplit(request.url).hostname}: {error}")
                self._failed(request, error.failure)
        except ConnectionError:
            recorder.fail("protocol")
            raise
        except GateError as error:  # the answer can't be stored, so its reader shall not take it for a whole one
            self._proxy.note(str(error))
            self.close_connection = True
            if not self._head_sent:
                self._refuse(NOT_RECORDED, "gate_not_stored", str(error))

    def _pass_on(self, request: Request, recorder: Recorder, live: Live) -> None:
        """Give the client each piece as it comes, and the end only once it is stored and counted.

        What the client does after the end then finds that done. Where a length says in advance what the end is, the
        last piece waits for it; where there is no body, the head does.
        """
        length = length_of(live.headers)
        if live.bodiless or length == 0:
            recorder.finish()
            self._head(request, live.status, live.headers, length, bodiless=live.bodiless)
            return
        write = self._head(request, live.status, live.headers, length, bodiless=False)
        seen, last = 0, b""
        for piece in live.pieces():
            seen += len(piece)
            if seen == length:
                last = piece
            else:
                write(piece)
            recorder.chunk(piece)
        recorder.finish()
        write(last)

    def handle_one_request(self) -> None:
        self._head_sent = False
        super().handle_one_request()

    def _head(
        self, request: Request, status: int, headers: Headers, length: int | None, *, bodiless: bool
    ) -> Callable[[bytes], None]:
        """Send the head; gives what sends a piece of the body, the empty one at its end."""
        chunked = length is None and not bodiless and self.request_version != "HTTP/1.0"
        self.send_response_only(status)
        for name, value in headers:
            if name.startswith(":"):  # the reason phrase that an interceptor kept
                continue
            if name.lower() == "content-length":
                continue
            shown = self._proxy.inward(value, request.url) if name.lower() in _REDIRECTS else value
            self.send_header(name, shown)
        if length is not None:
            self.send_header("Content-Length", str(length))
        elif chunked:
            self.send_header("Transfer-Encoding", "chunked")
        elif not bodiless:
            self.close_connection = True  # the end of the connection is the end of the body
        if self.close_connection:
            self.send_header("Connection", "close")
        self._head_sent = True
        self.end_headers()
        if chunked:
            return lambda data: self._write(chunk(data))
        return self._write

    def _write(self, data: bytes) -> None:
        if data:
            self.wfile.write(data)

    def _failed(self, request: Request, failure: Failure) -> None:
        """There was no answer; live and replayed it is told in the same words."""
        status, what = _FAILED[failure or "connection"]
        self._refuse(status, "gate_upstream_failed", f"{urlsplit(request.url).hostname} {what}")

    def _refuse(self, status: int, kind: str, message: str) -> None:
        """An answer of the gate's own; where nothing is recorded no client shall try again."""
        body = error_body(kind, message)
        self.close_connection = self.close_connection or status in (400, 404)
        headers: Iterable[tuple[str, str]] = (
            ("Content-Type", "application/json"),
            ("Content-Length", str(len(body))),
            *((("X-Should-Retry", "false"),) if status == NOT_RECORDED else ()),
            *((("Connection", "close"),) if self.close_connection else ()),
        )
        self.send_response_only(status, "Not Recorded" if status == NOT_RECORDED else None)
        for name, value in headers:
            self.send_header(name, value)
        self.end_headers()
        if self.command != "HEAD":
            self.wfile.write(body)


def _snake(name: str) -> str:
    return "".join(f"_{letter.lower()}" if letter.isupper() else letter for letter in name).lstrip("_")
