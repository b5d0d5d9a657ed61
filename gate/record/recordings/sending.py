"""Sends one request with a key of the environment, and takes its whole answer; no redirect is followed."""

from __future__ import annotations

import threading
from collections.abc import Mapping
from concurrent.futures import Future
from concurrent.futures import TimeoutError as FutureTimeoutError
from fnmatch import fnmatchcase
from urllib.parse import urlsplit

from gate.record.recordings.exchange import Answer, Request
from gate.record.recordings.live import LARGEST
from gate.record.recordings.proxy_live import UpstreamError, opened
from gate.record.recordings.upstreams import WELL_KNOWN, Upstream

OTHER_KEY = "GATE_MODEL_KEY"
"""Variable with the key of a host that no provider's variable is of."""
LOCAL = frozenset({"localhost", "127.0.0.1"})
_OTHER = Upstream("other", "", keys=(OTHER_KEY,))


def upstream_of(host: str, environ: Mapping[str, str]) -> Upstream:
    """Whose key a host is sent: a provider's that is there, or is said to be there by a variable of its clients.

    Args:
        host: name in small letters, with its port where that is not the usual one.
    """
    for upstream in WELL_KNOWN:
        given = (environ.get(variable, "") for variable, _ in upstream.variables)
        hosts = {urlsplit(address).netloc.lower() for address in (upstream.base, *given)}
        if upstream.keys and (host in hosts or any(fnmatchcase(host, pattern) for pattern in upstream.hosts)):
            return upstream
    return _OTHER


def key_header(host: str, environ: Mapping[str, str]) -> tuple[str, str] | None:
    """The header with the key of a host; None where the environment has none, an empty one included."""
    upstream = upstream_of(host, environ)
    key = next((found for name in upstream.keys if (found := environ.get(name, "").strip())), "")
    if not key:
        return None
    return upstream.header, f"Bearer {key}" if upstream.header == "authorization" else key


def send(request: Request, environ: Mapping[str, str], *, timeout: float, total: float | None = None) -> Answer:
    """The answer to a request, a failure included; a host of this machine is asked without a key where there is none.

    Args:
        request: without a key.
        environ: holds the keys.
        timeout: seconds without a byte.
        total: seconds until the whole answer is there, whatever drips in; None waits on.
    """
    found: Future[Answer] = Future()

    def work() -> None:
        try:
            found.set_result(_whole(request, environ, timeout))
        except BaseException as error:
            found.set_exception(error)

    threading.Thread(target=work, name="gate record", daemon=True).start()
    try:
        return found.result(total)
    except FutureTimeoutError:
        return Answer(0, failure="time-out")


def _whole(request: Request, environ: Mapping[str, str], timeout: float) -> Answer:
    header = key_header(urlsplit(request.url).netloc, environ)
    headers = (*request.headers, *((header,) if header else ()))
    chunks, size = [], 0
    try:
        with opened(Request(request.method, request.url, headers, request.body), tls=None, timeout=timeout) as live:
            for piece in live.pieces():
                size += len(piece)
                if size > LARGEST:
                    return Answer(0, failure="protocol")
                chunks.append(piece)
            return Answer(live.status, live.headers, tuple(chunks))
    except UpstreamError as error:
        return Answer(0, failure=error.failure)
