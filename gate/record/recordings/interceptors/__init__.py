"""Takes over the calls of HTTP client libraries in this process, at the libraries' own seams.

Classes are patched, not objects: clients that were built earlier, threads, event loops and forked children are
covered. Each exchange is asked about once, at the lowest place that knows HTTP: redirects, retries and rounds of
authentication are exchanges of their own, and a library on top of another is seen at the lower one. Transports that
stay in the process are left alone.

| library | seam |
|---|---|
| httpx, and OpenAI, Anthropic, Google over it | `httpcore.ConnectionPool`, `httpcore.AsyncConnectionPool` |
| httpx2, and the newer ones of these | the same of `httpcore2` |
| requests, urllib3, botocore | `urllib3.HTTPConnectionPool` |
| aiohttp | `aiohttp.BaseConnector` |
| urllib.request, http.client | `http.client.HTTPConnection.request` |

Limits: WebSockets and other upgrades are asked about and never recorded; a Unix socket is known by its URL alone;
`http.client` is covered for `request`, while `putrequest` is only told of; urllib3 over HTTP/2 is not covered. What a
session raises comes through the client library as it is, unless the user's code or a library above catches everything.
"""

from __future__ import annotations

import contextlib
import sys
from collections.abc import Callable, Iterator
from types import ModuleType
from typing import Any

from gate.record.recordings.exchange import Session
from gate.record.recordings.interceptors import aiohttp, http_client, httpx, urllib3
from gate.record.recordings.interceptors.active import Active, nothing, silent, stack, unchanged
from gate.record.recordings.interceptors.seams import Seam
from gate.record.recordings.interceptors.watch import Watch

REGISTRY: dict[str, Callable[[Any], list[Seam]]] = {
    "httpcore": httpx.seams,
    "httpcore2": httpx.seams,
    "urllib3": urllib3.seams,
    "aiohttp": aiohttp.seams,
    "http.client": http_client.seams,
}
"""By module, the seams that are taken over once it is imported."""

_placed: dict[str, list[Seam]] = {}


def _take_over(module: ModuleType) -> None:
    if module.__name__ not in _placed:
        _placed[module.__name__] = found = REGISTRY[module.__name__](module)
        for seam in found:
            seam.place()


_watch = Watch(tuple(REGISTRY), _take_over)


def install(
    session: Session,
    exempt: Callable[[str], bool] = nothing,
    meant: Callable[[str], str] = unchanged,
    unseen: Callable[[str], object] = silent,
) -> None:
    """Send the calls of client libraries to a session, now and when a library is imported later.

    Installing the same session twice in a row changes nothing. Another session stands before this one until it is
    uninstalled.

    Args:
        session: what answers or records.
        exempt: given an absolute URL, whether its calls are left alone. Default: none are.
        meant: given an absolute URL, the one that the session is asked about. Default: the same.
        unseen: given the absolute URL of a call by `putrequest`, which goes out unrecorded. Default: nobody is told.
    """
    if stack and stack[-1].session is session:
        stack[-1] = Active(session, exempt, meant, unseen)
        return
    stack.append(Active(session, exempt, meant, unseen))
    if len(stack) == 1:
        _watch.place()
        for name in REGISTRY:
            if name in sys.modules:
                _take_over(sys.modules[name])


def uninstall() -> tuple[str, ...]:
    """Take the last session away; with the last one, give every library its own methods back.

    Returns:
        Methods that somebody else has patched in between. They keep that patch, below which the original now runs.
    """
    if stack:
        stack.pop()
    if stack:
        return ()
    _watch.remove()
    left = [str(seam) for seams in _placed.values() for seam in reversed(seams) if not seam.remove()]
    _placed.clear()
    return tuple(left)


def disturbed() -> tuple[str, ...]:
    """Methods that somebody else has patched since, so that calls may no longer come here."""
    return tuple(str(seam) for seams in _placed.values() for seam in seams if seam.disturbed)


@contextlib.contextmanager
def installed(session: Session, exempt: Callable[[str], bool] = nothing) -> Iterator[None]:
    """Install a session until the end of the block."""
    install(session, exempt)
    try:
        yield
    finally:
        uninstall()
