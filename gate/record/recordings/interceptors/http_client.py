"""`http.client`, and with it `urllib.request` and what else rests on it alone."""

from __future__ import annotations

import http.client
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

from gate.record.recordings.exchange import Answer, Headers, Recorder
from gate.record.recordings.interceptors.active import wanted
from gate.record.recordings.interceptors.blocking import StoredSocket, failure_of, observed, whole_body
from gate.record.recordings.interceptors.capture import Capture
from gate.record.recordings.interceptors.seams import Function, Seam

CALL = "_gate_call"
"""The attribute of a connection that holds its call, from the question to the head of the answer."""
OURS = "_gate_ours"
"""The attribute of a connection of the gate itself, whose calls are those that it records for others."""
_PORTS = {"http": 80, "https": 443}


def address(scheme: str, host: str, port: int | None, target: str) -> str:
    """An absolute URL; the usual port is left out, IPv6 addresses get brackets."""
    name = f"[{host}]" if ":" in host and not host.startswith("[") else host
    place = "" if port in (None, _PORTS.get(scheme)) else f":{port}"
    return f"{scheme}://{name}{place}{target}"


def header_pairs(headers: Any) -> Headers:
    """The headers that a client was given, as pairs of text."""
    items: Iterable[Any] = headers.items() if hasattr(headers, "items") else headers or ()
    return tuple((_text(name), _text(value)) for name, value in items)


def _text(value: Any) -> str:
    return value.decode("latin-1") if isinstance(value, bytes) else str(value)


def _url(connection: Any, target: str) -> str:
    """What a connection asks for, seen through a proxy of either kind."""
    if target.lower().startswith(("http://", "https://")):
        return target
    tunnel = getattr(connection, "_tunnel_host", None)
    host, port = (tunnel, connection._tunnel_port) if tunnel else (connection.host, connection.port)
    scheme = "https" if isinstance(connection, http.client.HTTPSConnection) else "http"
    return address(scheme, host, port, target)


@dataclass(frozen=True, slots=True)
class Call:
    """A call that has been asked about.

    Attributes:
        capture: takes the live answer; none in replay.
        before: the socket that the connection had.
        above: whether a library on top asked, and puts the connection back in order.
    """

    capture: Capture | None
    before: Any = None
    above: bool = False


def call_of(connection: Any) -> Call | None:
    """The call that a connection is busy with."""
    found: Call | None = vars(connection).get(CALL)
    return found


def settle(connection: Any, call: Call) -> None:
    """Put a connection back as it was before a call."""
    vars(connection).pop(CALL, None)
    if call.capture is None and isinstance(connection.sock, StoredSocket):
        connection.sock = call.before
    elif call.capture is None and call.before is not None:
        call.before.close()


def _request(original: Function) -> Function:
    def request(
        self: Any, method: str, url: str, body: Any = None, headers: Any = None, *, encode_chunked: bool = False
    ) -> None:
        headers = {} if headers is None else headers
        busy = call_of(self)
        if busy is not None and not busy.above:
            settle(self, busy)
        above = busy is not None and busy.above
        asked = None if above or method == "CONNECT" else wanted(_url(self, url))
        if asked is None:
            original(self, method, url, body, headers, encode_chunked=encode_chunked)
            return
        data, body = whole_body(body, "iso-8859-1")
        got = asked.ask(method, _url(self, url), header_pairs(headers), data)
        call = _begin(self, method.upper(), got)
        try:
            original(self, method, url, body, headers, encode_chunked=encode_chunked)
        except BaseException as error:
            settle(self, call)
            if call.capture is not None:
                call.capture.fail(failure_of(error))
            raise

    return request


def _begin(connection: Any, method: str, got: Answer | Recorder) -> Call:
    """Make a connection ready for a call."""
    if not isinstance(got, Answer):
        call = Call(Capture(got, method))
    elif not got.status and got.failure == "connection":
        raise ConnectionRefusedError("no connection, as when it was recorded")
    else:
        call = Call(None, connection.sock)
        connection.sock = StoredSocket(got, method)
    vars(connection)[CALL] = call
    return call


def _getresponse(original: Function) -> Function:
    def getresponse(self: Any) -> Any:
        call = call_of(self)
        if call is None or (call.above and call.capture is None):
            return original(self)
        try:
            if call.capture is None:
                return original(self)
            with observed(self, call.capture):
                return original(self)
        except BaseException as error:
            if call.capture is not None and not call.above:
                call.capture.fail(failure_of(error))
            raise
        finally:
            if not call.above:
                settle(self, call)

    return getresponse


def _putrequest(original: Function) -> Function:
    """What is written piece by piece can't be asked about before it is sent, so somebody is told."""

    def putrequest(self: Any, method: str, url: str, *arguments: Any, **named: Any) -> None:
        if call_of(self) is None and not vars(self).get(OURS):
            address = _url(self, url)
            asked = wanted(address)
            if asked is not None:
                asked.unseen(address)
        original(self, method, url, *arguments, **named)

    return putrequest


def seams(module: Any) -> list[Seam]:
    """The seams of `http.client`."""
    owner = module.HTTPConnection
    return [
        Seam(owner, "request", _request),
        Seam(owner, "putrequest", _putrequest),
        Seam(owner, "getresponse", _getresponse),
    ]
