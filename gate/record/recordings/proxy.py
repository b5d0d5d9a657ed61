"""A reverse proxy on the loopback interface, through which other processes and languages share the recordings.

A client is led here by a variable such as `OPENAI_BASE_URL`. The path says which upstream it means; a secret segment
in front of it keeps other users of the machine away. Nothing is logged.
"""

from __future__ import annotations

import hmac
import secrets
import socket
import socketserver
import ssl
import threading
from collections.abc import Mapping
from types import TracebackType
from typing import Any

from gate.record.recordings.exchange import Session
from gate.record.recordings.proxy_handler import Handler
from gate.record.recordings.upstreams import Routes

_HOST = "127.0.0.1"
_NO_PROXY = ("127.0.0.1", "localhost")
_SECONDS = 600.0
_PATIENCE = 5.0


class Proxy:
    """Serves one session from a thread of this process; a context manager.

    Args:
        session: answers, or lets a call go live and records it.
        routes: which upstreams there are.
        tls: for live calls; by default the certificates that Python trusts.
        timeout: seconds that an upstream may be silent.
    """

    def __init__(
        self, session: Session, routes: Routes, *, tls: ssl.SSLContext | None = None, timeout: float = _SECONDS
    ) -> None:
        self.session = session
        self.routes = routes
        self.tls = tls
        self.timeout = timeout
        self._token = secrets.token_urlsafe(24)
        self._server = _Server(self)
        self._thread = threading.Thread(target=self._server.serve_forever, args=(0.05,), daemon=True, name="gate-proxy")
        self._problems: list[str] = []

    def start(self) -> None:
        """Serve from now on."""
        self._thread.start()

    def close(self) -> None:
        """Serve no more; calls that are under way are broken off, and then not stored."""
        if self._thread.is_alive():
            self._server.shutdown()
            self._thread.join()
        self._server.server_close()
        self._server.end_connections(_PATIENCE)

    def __enter__(self) -> Proxy:
        self.start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    @property
    def address(self) -> str:
        """The address in front of the names of upstreams, without a slash at its end; it is a secret of this run."""
        return f"http://{_HOST}:{self._server.server_address[1]}/{self._token}"

    def environment(self, environ: Mapping[str, str]) -> dict[str, str]:
        """The variables to set, so that clients in child processes come here.

        Args:
            environ: what is set already; a proxy that it names must not stand between the clients and this one.
        """
        found = {name: f"{self.address}/{segment}{path}" for name, (segment, path) in self.routes.variables.items()}
        before = environ.get("no_proxy") or environ.get("NO_PROXY") or ""
        names = [name.strip() for name in before.split(",") if name.strip()]
        found["NO_PROXY"] = found["no_proxy"] = ",".join(dict.fromkeys((*names, *_NO_PROXY)))
        return found

    def target(self, url: str) -> str | None:
        """The upstream's address for one of this proxy; None for any other.

        Interceptors of this process leave calls to the proxy alone, or answer them by this address.
        """
        return self.routes.target(url[len(self.address) :]) if url.startswith(self.address + "/") else None

    def target_of(self, path: str) -> str | None:
        """The same for a request's path; None without the right token."""
        _, _, rest = path.partition("/")
        token, _, rest = rest.partition("/")
        if not hmac.compare_digest(token.encode("utf-8", "replace"), self._token.encode("ascii")):
            return None
        return self.routes.target("/" + rest)

    def inward(self, url: str, target: str) -> str:
        """The address of a redirect as the client must see it, so that it does not leave the proxy.

        Args:
            url: what the upstream said, absolute or from the root of the host.
            target: the address that was asked for.
        """
        if url.startswith("/") and not url.startswith("//"):
            scheme, _, rest = target.partition("://")
            url = f"{scheme}://{rest.partition('/')[0]}{url}"
        for name, base in self.routes.bases.items():
            if url == base or url.startswith((base + "/", base + "?")):
                return f"{self.address}/{name}{url[len(base) :]}"
        return url

    def problems(self) -> tuple[str, ...]:
        """What went wrong in the proxy itself, one sentence each; empty where nothing did."""
        return tuple(self._problems)

    def note(self, problem: str) -> None:
        """Keep a sentence for `problems`."""
        self._problems.append(problem)


class _Server(socketserver.ThreadingTCPServer):
    daemon_threads = True
    block_on_close = False
    request_queue_size = 128

    def __init__(self, proxy: Proxy) -> None:
        self.proxy = proxy
        self._open: set[socket.socket] = set()
        self._changed = threading.Condition()
        super().__init__((_HOST, 0), Handler)

    def get_request(self) -> tuple[socket.socket, Any]:
        accepted, address = super().get_request()
        with self._changed:
            self._open.add(accepted)
        return accepted, address

    def close_request(self, request: Any) -> None:
        super().close_request(request)
        with self._changed:
            self._open.discard(request)
            self._changed.notify_all()

    def handle_error(self, request: Any, client_address: Any) -> None:
        import sys

        kind = sys.exc_info()[0]
        if kind is not None and not issubclass(kind, ConnectionError):
            self.proxy.note(f"the proxy broke a connection off: {kind.__name__}")

    def end_connections(self, patience: float) -> None:
        """Close what clients keep open, and wait for the threads that served them."""
        with self._changed:
            for connection in self._open:
                try:
                    connection.shutdown(socket.SHUT_RDWR)
                except OSError:
                    continue
            self._changed.wait_for(lambda: not self._open, patience)
