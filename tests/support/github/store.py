"""The other host, from which artifacts are downloaded: it wants the signature of an address, and never a token."""

from __future__ import annotations

import hashlib
import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

from tests.support.github.faults import Fault, Faults
from tests.support.github.state import Artifact, State


class Store:
    """Serves the artifacts of a state on a port of its own.

    Attributes:
        faults: as for the API; `headers` and `status`, `raw`, `extra`, `cut` and `times` are heeded.
        seen: lower-case headers of each request.
    """

    def __init__(self, state: State) -> None:
        self.state = state
        self.faults = Faults()
        self.seen: list[dict[str, str]] = []
        self._http = ThreadingHTTPServer(("127.0.0.1", 0), type("Handler", (_Handler,), {"store": self}))
        self._http.daemon_threads = True
        self.root = f"http://127.0.0.1:{self._http.server_address[1]}"
        threading.Thread(target=self._http.serve_forever, kwargs={"poll_interval": 0.01}, daemon=True).start()

    def address(self, artifact: Artifact) -> str:
        """Where an artifact is downloaded; whoever knows the address may."""
        return f"{self.root}/{artifact.id}?sig={_signature(artifact.id)}"

    def close(self) -> None:
        self._http.shutdown()
        self._http.server_close()


def _signature(number: int) -> str:
    return hashlib.sha256(b"signed %d" % number).hexdigest()[:16]


class _Handler(BaseHTTPRequestHandler):
    store: Store
    protocol_version = "HTTP/1.1"

    def do_GET(self) -> None:
        headers = {name.lower(): value for name, value in self.headers.items()}
        self.store.seen.append(headers)
        fault = self.store.faults.take("GET", self.path, "") or Fault()
        if fault.cut == "before":
            self.close_connection = True
            return
        number, _, signature = self.path.lstrip("/").partition("?sig=")
        found = self.store.state.artifacts.get(int(number)) if number.isdecimal() else None
        status, body = 200, b""
        if fault.status:
            status = fault.status
        elif "authorization" in headers:
            status = 400
        elif found is None or signature != _signature(found.id):
            status = 403
        else:
            body = found.content
        self._send(status, body if fault.raw is None else fault.raw, fault)

    def _send(self, status: int, body: bytes, fault: Fault) -> None:
        self.send_response(status)
        for name, value in {**fault.headers, **fault.extra}.items():
            self.send_header(name, value)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body[: len(body) // 2] if fault.cut == "midway" else body)
        self.close_connection = self.close_connection or bool(fault.cut)

    def log_message(self, format: str, *args: object) -> None:  # noqa: A002
        """Tests read `seen` instead."""
