"""A server like a model's, and a session that keeps what it answered: for tests of what stands between them."""

from __future__ import annotations

import contextlib
import gzip
import http.server
import json
import socket
import socketserver
import threading
from collections import defaultdict
from collections.abc import Iterator
from typing import Any

from gate.errors import MissingRecordingError
from gate.record.recordings.exchange import Answer, Failure, Headers, Recorder, Request, Scope


class Upstream(socketserver.ThreadingTCPServer):
    """Answers differently each time; `connections` and `requests` count, `go_on` lets a held stream continue."""

    daemon_threads = True
    request_queue_size = 64

    def __init__(self) -> None:
        super().__init__(("127.0.0.1", 0), _Handler)
        self.connections = 0
        self.requests: list[Request] = []
        self.go_on = threading.Event()

    @property
    def address(self) -> str:
        return f"http://127.0.0.1:{self.server_address[1]}"

    def get_request(self) -> tuple[socket.socket, Any]:
        self.connections += 1
        return super().get_request()

    def handle_error(self, request: Any, client_address: Any) -> None:
        """Clients that go away are part of the tests."""


@contextlib.contextmanager
def upstream() -> Iterator[Upstream]:
    with Upstream() as server:
        thread = threading.Thread(target=server.serve_forever, args=(0.02,))
        thread.start()
        try:
            yield server
        finally:
            server.go_on.set()
            server.shutdown()
            thread.join()


class _Handler(http.server.BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    disable_nagle_algorithm = True
    server: Upstream

    def log_message(self, *_: Any) -> None:
        """Nothing."""

    def do_GET(self) -> None:
        self._serve(b"")

    def do_HEAD(self) -> None:
        self._serve(b"")

    def do_POST(self) -> None:
        self._serve(self.rfile.read(int(self.headers["Content-Length"])))

    def _serve(self, body: bytes) -> None:
        self.server.requests.append(Request(self.command, self.path, tuple(self.headers.items()), body))
        count = len(self.server.requests)
        kind = self.path.rpartition("/")[2].partition("?")[0]
        if kind == "stream":
            self._stream(count, hold="hold" in self.path)
        elif kind == "broken":
            self._send(200, b"abc", length=10)
            self.close_connection = True
        elif kind == "gone":
            self.connection.shutdown(socket.SHUT_RDWR)
        elif kind == "redirect":
            self._send(302, b"", ("Location", f"{self.server.address}/v1/target"))
        elif kind == "here":
            self._send(302, b"", ("Location", "/v1/target"))
        elif kind == "empty":
            self.send_response(204)
            self.end_headers()
        elif kind == "zipped":
            self._send(200, gzip.compress(b'{"zipped": true}'), ("Content-Encoding", "gzip"))
        else:
            answer = {"count": count, "bytes": len(body), "path": self.path}
            self._send(429 if kind == "busy" else 200, json.dumps(answer).encode())

    def _send(self, status: int, body: bytes, *headers: tuple[str, str], length: int | None = None) -> None:
        self.send_response(status)
        for name, value in (*headers, ("Content-Type", "application/json"), ("X-Twice", "1"), ("X-Twice", "2")):
            self.send_header(name, value)
        self.send_header("Content-Length", str(len(body) if length is None else length))
        self.end_headers()
        if self.command != "HEAD":
            self.wfile.write(body)

    def _stream(self, count: int, *, hold: bool) -> None:
        self.send_response(200)
        self.send_header("Content-Type", "text/event-stream")
        self.send_header("Transfer-Encoding", "chunked")
        self.end_headers()
        for number in range(3):
            event = f"data: {count}.{number}\n\n".encode()
            self.wfile.write(b"%x\r\n%b\r\n" % (len(event), event))
            if hold and number == 0:
                assert self.server.go_on.wait(10)
        self.wfile.write(b"0\r\n\r\n")


Key = tuple[str, str, bytes, Scope]


class KeepingSession:
    """Records live answers in `kept`, and with `replaying` gives each back once, in order, to the scope it is of."""

    def __init__(self) -> None:
        self.replaying = False
        self.kept: dict[Key, list[Answer]] = defaultdict(list)
        self.asked: list[Request] = []
        self.missing: list[Request] = []
        self._given: dict[Key, int] = defaultdict(int)
        self._lock = threading.Lock()

    def replay(self) -> None:
        """From now on nothing goes live."""
        self.replaying = True
        self._given.clear()

    def ask(self, request: Request, scope: Scope) -> Answer | Recorder:
        key = (request.method, request.url, request.body, scope)
        with self._lock:
            self.asked.append(request)
            if not self.replaying:
                return _Keeper(self.kept[key])
            place = self._given[key]
            self._given[key] += 1
            if place < len(self.kept[key]):
                return self.kept[key][place]
            self.missing.append(request)
        raise MissingRecordingError(f"no answer is stored for {request.method} {request.url}", where=scope.case)


class _Keeper:
    def __init__(self, place: list[Answer]) -> None:
        self._place = place
        self._head: tuple[int, Headers] = (0, ())
        self._chunks: list[bytes] = []

    def start(self, status: int, headers: Headers) -> None:
        self._head = (status, headers)

    def chunk(self, data: bytes) -> None:
        self._chunks.append(data)

    def finish(self) -> None:
        self._place.append(Answer(*self._head, tuple(self._chunks)))

    def fail(self, failure: Failure) -> None:
        self._place.append(Answer(*self._head, tuple(self._chunks), failure))
