"""A local model server that speaks like OpenAI and Anthropic, varies its answers, misbehaves on demand and counts.

What it does stands in the path, so that a client needs no change: `/v1/chat/completions`, `/v1/embeddings`,
`/v1/messages`, `/status/429`, `/slow/0.5`, `/encoded/gzip`, `/redirect/307`, `/cookies`, `/cut/chunked`, `/cut/length`,
`/vanish`, `/endless`, `/echo`, `/bytes/1000`, `/until-close`, `/reason`, `/digest`, `/upgrade`.
"""

from __future__ import annotations

import argparse
import gzip
import hashlib
import json
import socket
import ssl
import threading
import time
import zlib
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any, Self
from urllib.parse import urlsplit

WORDS = "red", "blue", "green", "yellow", "black", "white", "brown", "grey"


@dataclass(frozen=True)
class Seen:
    """One request as it came."""

    method: str
    path: str
    headers: tuple[tuple[str, str], ...]
    body: bytes

    def json(self) -> Any:
        return json.loads(self.body)


def encode(encoding: str, body: bytes) -> bytes:
    """A body in a content coding: gzip, deflate, br, zstd."""
    if encoding == "br":
        import brotli

        return bytes(brotli.compress(body))
    if encoding == "zstd":
        import zstandard

        return zstandard.ZstdCompressor().compress(body)
    return {"gzip": gzip.compress, "deflate": zlib.compress, "identity": bytes}[encoding](body)


class _Server(ThreadingHTTPServer):
    daemon_threads = True
    request_queue_size = 128
    owner: ModelServer

    def server_bind(self) -> None:
        if self.address_family == socket.AF_INET6:
            self.socket.setsockopt(socket.IPPROTO_IPV6, socket.IPV6_V6ONLY, 1)
        super().server_bind()

    def process_request(self, request: Any, client_address: Any) -> None:
        with self.owner.lock:
            self.owner.connections += 1
        super().process_request(request, client_address)

    def handle_error(self, request: Any, client_address: Any) -> None:
        """A client that goes away is no news."""


class _Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    disable_nagle_algorithm = True
    server: _Server

    def log_message(self, format: str, *args: Any) -> None:  # noqa: A002
        """Silence."""

    def _body(self) -> bytes:
        if self.headers.get("transfer-encoding", "").lower() == "chunked":
            parts = []
            while size := int(self.rfile.readline().split(b";")[0], 16):
                parts.append(self.rfile.read(size))
                self.rfile.readline()
            self.rfile.readline()
            return b"".join(parts)
        return self.rfile.read(int(self.headers.get("content-length") or 0))

    def answer(self) -> None:
        seen = Seen(self.command, self.path, tuple(self.headers.items()), self._body())
        owner = self.server.owner
        with owner.lock:
            owner.requests.append(seen)
            number = len(owner.requests)
        name, _, rest = urlsplit(self.path).path.strip("/").partition("/")
        if name == "v1":
            _MODELS[rest](self, seen.json(), number)
        else:
            _OTHERS[name](self, rest, seen)

    def __getattr__(self, name: str) -> Any:
        """Every method, those that nobody has thought of too."""
        if name.startswith("do_"):
            return self.answer
        raise AttributeError(name)

    def head(self, status: int, *headers: tuple[str, str], reason: str | None = None) -> None:
        self.send_response(status, reason)
        for name, value in headers:
            self.send_header(name, value)
        self.end_headers()

    def whole(self, status: int, body: bytes, *headers: tuple[str, str], reason: str | None = None) -> None:
        self.head(status, *headers, ("content-length", str(len(body))), reason=reason)
        if self.command != "HEAD":
            self.wfile.write(body)

    def json(self, value: Any, status: int = 200, *headers: tuple[str, str]) -> None:
        self.whole(status, json.dumps(value).encode(), ("content-type", "application/json"), *headers)

    def pieces(self, parts: Iterator[bytes], content_type: str, *, end: bool = True) -> None:
        self.head(200, ("content-type", content_type), ("transfer-encoding", "chunked"))
        for number, part in enumerate(parts):
            if number:
                self.server.owner.wait()
            self.wfile.write(b"%x\r\n%b\r\n" % (len(part), part))
        if end:
            self.wfile.write(b"0\r\n\r\n")
        else:
            self.close_connection = True


def _said(body: Any, number: int) -> list[str]:
    """The words of an answer: they depend on what was asked and on how many requests came before."""
    digest = hashlib.sha256(json.dumps([body.get("messages"), number]).encode()).digest()
    return [WORDS[byte % len(WORDS)] for byte in digest[:6]]


def _chat(handler: _Handler, body: Any, number: int) -> None:
    words, usage = _said(body, number), {"prompt_tokens": 7, "completion_tokens": 6, "total_tokens": 13}
    base = {"id": f"chatcmpl-{number}", "created": 1_700_000_000 + number, "model": f"{body['model']}-2024-08-06"}
    if not body.get("stream"):
        choice = {"index": 0, "message": {"role": "assistant", "content": " ".join(words)}, "finish_reason": "stop"}
        handler.json({**base, "object": "chat.completion", "choices": [choice], "usage": usage})
        return

    def events() -> Iterator[bytes]:
        for place, word in enumerate(words):
            delta = {"content": word + (" " if place < len(words) - 1 else "")}
            yield _event({**base, "object": "chat.completion.chunk", "choices": [{"index": 0, "delta": delta}]})
        last = {"index": 0, "delta": {}, "finish_reason": "stop"}
        yield _event({**base, "object": "chat.completion.chunk", "choices": [last]})
        yield b"data: [DONE]\n\n"

    handler.pieces(events(), "text/event-stream; charset=utf-8")


def _event(value: Any, name: str = "") -> bytes:
    return (f"event: {name}\n" if name else "").encode() + b"data: " + json.dumps(value).encode() + b"\n\n"


def _embeddings(handler: _Handler, body: Any, number: int) -> None:
    texts = body["input"] if isinstance(body["input"], list) else [body["input"]]
    vectors = [[byte / 255 for byte in hashlib.sha256(str(text).encode()).digest()[:8]] for text in texts]
    data = [{"object": "embedding", "index": place, "embedding": vector} for place, vector in enumerate(vectors)]
    usage = {"prompt_tokens": len(texts), "total_tokens": len(texts)}
    handler.json({"object": "list", "data": data, "model": body["model"], "usage": usage})


def _messages(handler: _Handler, body: Any, number: int) -> None:
    text = " ".join(_said(body, number))
    usage = {"input_tokens": 7, "output_tokens": 6}
    message = {"id": f"msg_{number}", "type": "message", "role": "assistant", "model": body["model"], "usage": usage}
    message |= {"stop_reason": "end_turn", "stop_sequence": None}
    if not body.get("stream"):
        handler.json({**message, "content": [{"type": "text", "text": text}]})
        return
    delta = {"type": "text_delta", "text": text}
    start = {"type": "content_block_start", "index": 0, "content_block": {"type": "text", "text": ""}}
    events: list[dict[str, Any]] = [
        {"type": "message_start", "message": {**message, "content": [], "stop_reason": None}},
        start,
        {"type": "content_block_delta", "index": 0, "delta": delta},
        {"type": "content_block_stop", "index": 0},
        {"type": "message_delta", "delta": {"stop_reason": "end_turn", "stop_sequence": None}, "usage": usage},
        {"type": "message_stop"},
    ]
    handler.pieces((_event(event, event["type"]) for event in events), "text/event-stream; charset=utf-8")


def _status(handler: _Handler, rest: str, seen: Seen) -> None:
    status = int(rest)
    if status in (204, 304):
        handler.head(status)
    else:
        handler.json({"error": {"message": f"status {rest}", "type": "test"}}, status, ("retry-after", "0"))


def _redirect(handler: _Handler, rest: str, seen: Seen) -> None:
    handler.whole(int(rest), b"moved", ("location", "/echo"), ("set-cookie", "seen=1; Path=/"))


def _echo(handler: _Handler, rest: str, seen: Seen) -> None:
    body = {"method": seen.method, "path": seen.path, "headers": dict(seen.headers)}
    size = {"size": len(seen.body), "sha256": hashlib.sha256(seen.body).hexdigest()}
    handler.json({**body, **size, "number": f"{len(handler.server.owner.requests):06d}"})  # of one length


def _cut(handler: _Handler, rest: str, seen: Seen) -> None:
    handler.close_connection = True
    if rest == "chunked":
        handler.pieces(iter([b"half", b"way"]), "text/plain", end=False)
    else:
        handler.head(200, ("content-length", "100"))
        handler.wfile.write(b"half way")


def _vanish(handler: _Handler, rest: str, seen: Seen) -> None:
    handler.close_connection = True


def _endless(handler: _Handler, rest: str, seen: Seen) -> None:
    def parts() -> Iterator[bytes]:
        while not handler.server.owner.stopping.is_set():
            yield b"data: again\n\n"

    handler.pieces(parts(), "text/event-stream")


def _until_close(handler: _Handler, rest: str, seen: Seen) -> None:
    handler.close_connection = True
    handler.head(200, ("content-type", "text/plain"), ("connection", "close"))
    handler.wfile.write(b"to the end")


def _digest(handler: _Handler, rest: str, seen: Seen) -> None:
    if any(name.lower() == "authorization" for name, _ in seen.headers):
        handler.json({"let": "in"})
    else:
        challenge = 'Digest realm="gate", nonce="abc", qop="auth", algorithm=MD5'
        handler.whole(401, b"who?", ("www-authenticate", challenge))


def _upgrade(handler: _Handler, rest: str, seen: Seen) -> None:
    handler.close_connection = True
    handler.head(101, ("upgrade", "websocket"), ("connection", "Upgrade"))


def _slow(handler: _Handler, rest: str, seen: Seen) -> None:
    handler.server.owner.stopping.wait(float(rest))
    handler.json({"slow": rest})


_MODELS: dict[str, Callable[[_Handler, Any, int], None]] = {
    "chat/completions": _chat,
    "embeddings": _embeddings,
    "messages": _messages,
}
_PLAIN = ("content-type", "text/plain; charset=utf-8")
_OTHERS: dict[str, Callable[[_Handler, str, Seen], None]] = {
    "status": _status,
    "slow": _slow,
    "encoded": lambda handler, rest, seen: handler.whole(
        200, encode(rest, "naïve words, ".encode() * 50), _PLAIN, ("content-encoding", rest)
    ),
    "redirect": _redirect,
    "cookies": lambda handler, rest, seen: handler.whole(
        200, b"{}", ("set-cookie", "a=1; Path=/"), ("set-cookie", "b=2; Path=/"), ("x-many", "one"), ("x-many", "two")
    ),
    "cut": _cut,
    "vanish": _vanish,
    "endless": _endless,
    "echo": _echo,
    "bytes": lambda handler, rest, seen: handler.whole(200, bytes(range(256)) * (int(rest) // 256)),
    "until-close": _until_close,
    "reason": lambda handler, rest, seen: handler.whole(200, b"ok", _PLAIN, reason="Quite Fine"),
    "digest": _digest,
    "upgrade": _upgrade,
}


class ModelServer:
    """A server on a free port of the loopback address, as a context manager.

    Args:
        pause: seconds between the pieces of a stream.
        paced: each further piece waits for a call of `go_on`.
        port: 0 for any free one.
        host: `::1` for IPv6.
        tls: speaks TLS with this, on `https`.

    Attributes:
        connections: how many were accepted.
        requests: all that came, in order.
    """

    def __init__(
        self,
        *,
        pause: float = 0.0,
        paced: bool = False,
        port: int = 0,
        host: str = "127.0.0.1",
        tls: ssl.SSLContext | None = None,
    ) -> None:
        self._pause = pause
        self._pace = threading.Semaphore(0) if paced else None
        self.lock = threading.Lock()
        self.stopping = threading.Event()
        self.connections = 0
        self.requests: list[Seen] = []
        family = socket.AF_INET6 if ":" in host else socket.AF_INET
        kind = type("_Bound", (_Server,), {"address_family": family})
        self._server = kind((host, port), _Handler)
        self._server.owner = self
        if tls is not None:
            self._server.socket = tls.wrap_socket(self._server.socket, server_side=True)
        self.port = int(self._server.server_address[1])
        self.url = f"http{'s' if tls else ''}://{f'[{host}]' if ':' in host else host}:{self.port}"
        self._thread = threading.Thread(target=self._server.serve_forever, args=(0.02,), daemon=True)

    def go_on(self) -> None:
        """Let the next piece of a stream be sent."""
        assert self._pace is not None
        self._pace.release()

    def wait(self) -> None:
        """Between two pieces of a stream."""
        time.sleep(self._pause)
        if self._pace is not None:
            self._pace.acquire(timeout=60)

    @property
    def base_url(self) -> str:
        """What `OPENAI_BASE_URL` would be."""
        return f"{self.url}/v1"

    def __enter__(self) -> Self:
        self._thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        self.stopping.set()
        self._server.shutdown()
        self._server.server_close()
        self._thread.join(5)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--port", type=int, default=0)
    parser.add_argument("--pause", type=float, default=0.0, help="seconds between the pieces of a stream")
    options = parser.parse_args()
    with ModelServer(port=options.port, pause=options.pause) as server:
        print(server.url, flush=True)
        threading.Event().wait()


if __name__ == "__main__":
    main()
