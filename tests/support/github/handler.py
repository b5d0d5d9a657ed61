"""One request over HTTP: reads it, lets faults happen, sends the answer."""

from __future__ import annotations

import time
from http.server import BaseHTTPRequestHandler
from typing import TYPE_CHECKING

from tests.support.github.exchange import Answer, problem
from tests.support.github.faults import Fault

if TYPE_CHECKING:
    from tests.support.github.server import GitHubServer


class Handler(BaseHTTPRequestHandler):
    """Serves `github`, which a subclass sets."""

    github: GitHubServer
    protocol_version = "HTTP/1.1"
    # Without it, the answer's last bytes wait for the client's delayed acknowledgement.
    disable_nagle_algorithm = True

    def _handle(self) -> None:
        body = self.rfile.read(int(self.headers.get("content-length") or 0))
        if self.path == "/_state":
            self._send(self.github.dump())
            return
        headers = {name.lower(): value for name, value in self.headers.items()}
        self.github.seen_tokens.append(headers.get("authorization", ""))
        fault = self.github.faults.take(self.command, self.path, body.decode("utf-8", "replace"))
        if fault is not None and not self._before(fault):
            return
        answer = self._answer(headers, body, fault)
        if fault is not None and fault.barrier is not None:
            fault.barrier.wait(timeout=20)
        self.github.log.append((self.command, self.path, answer.status))
        if fault is not None and fault.cut == "after":
            self.close_connection = True
            return
        self._send(answer, cut=fault is not None and fault.cut == "midway")

    def do_GET(self) -> None:
        self._handle()

    def do_POST(self) -> None:
        self._handle()

    def do_PATCH(self) -> None:
        self._handle()

    def do_PUT(self) -> None:
        self._handle()

    def do_DELETE(self) -> None:
        self._handle()

    def _answer(self, headers: dict[str, str], body: bytes, fault: Fault | None) -> Answer:
        try:
            return self.github.respond(self.command, self.path, headers, body, fault)
        except Exception as error:
            self.github.violate([f"the server itself failed: {error!r}"], self.command, self.path)
            return problem(500, "the server itself failed")

    def _before(self, fault: Fault) -> bool:
        if fault.cut == "before":
            self.github.log.append((self.command, self.path, 0))
            self.close_connection = True
            return False
        if fault.delay:
            time.sleep(fault.delay)
        if fault.after is not None:
            assert fault.after.wait(20)
        if fault.first is not None:
            with self.github.state.lock:
                fault.first(self.github.state)
        return True

    def _send(self, answer: Answer, *, cut: bool = False) -> None:
        self.send_response(answer.status)
        if answer.content_type:
            self.send_header("Content-Type", answer.content_type)
        limits = {"x-ratelimit-limit": "5000", "x-ratelimit-remaining": "4999", "x-ratelimit-reset": "1767229200"}
        for name, value in {**limits, **answer.headers}.items():
            self.send_header(name, value)
        if answer.status != 204:
            self.send_header("Content-Length", str(len(answer.body)))
        self.end_headers()
        try:
            self.wfile.write(answer.body[: len(answer.body) // 2] if cut else answer.body)
            self.wfile.flush()
        except OSError:
            cut = True
        self.close_connection = self.close_connection or cut

    def log_message(self, format: str, *args: object) -> None:  # noqa: A002
        """Tests read `log` of the server instead."""
