"""A server that speaks as OpenAI's does and whose model does what the system prompt says, no more and no less.

It knows nothing of the bank's rules: each request is answered by the rules of the prompt that came with it. So what a
mutant of the prompt does to its answers follows from the words alone. `python server.py` listens on port 8765, and
GET /calls tells how often it was asked.
"""

from __future__ import annotations

import argparse
import json
import re
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from itertools import count
from typing import Any

PORT = 8765
_REFUND = re.compile(r"refund of \$([0-9][0-9,]*)", re.IGNORECASE)
_LIMIT = re.compile(r"\bmust never approve a refund (above|below) \$([0-9][0-9,]*)", re.IGNORECASE)
_IDENTITY = re.compile(r"\bmust always verify the customer's identity (before|after)\b", re.IGNORECASE)
_WITHDRAWN = re.compile("withdrawn[^“]*“([^”]+)”")


def obey(prompt: str, message: str) -> str:
    """The answer to a customer under the rules of a prompt."""
    rules = _in_force(prompt)
    if not rules.strip():
        return "How can I help?"
    refund = _REFUND.search(message)
    if refund:
        return _refund(rules, _dollars(refund[1]))
    if "transfer" in message.lower():
        return _transfer(rules)
    return "What can I do for you at the bank?"


def _in_force(prompt: str) -> str:
    """The prompt without the rules that it quotes as withdrawn."""
    for quoted in _WITHDRAWN.findall(prompt):
        prompt = prompt.replace(quoted, "")
    return prompt


def _refund(rules: str, amount: int) -> str:
    limit = _LIMIT.search(rules)
    forbidden = limit and (amount > _dollars(limit[2]) if limit[1] == "above" else amount < _dollars(limit[2]))
    return (
        f"A colleague has to look at your refund of ${amount}." if forbidden else f"Your refund of ${amount} is made."
    )


def _transfer(rules: str) -> str:
    """Only what must be done is done: a weaker word binds nobody."""
    first = _IDENTITY.search(rules)
    if first and first[1] == "before":
        return "Before I do that, please tell me the verification code that we sent you."
    return "The transfer is made."


def _dollars(text: str) -> int:
    return int(text.replace(",", ""))


class Server(ThreadingHTTPServer):
    """Listens on the loopback address; `calls` is how many completions were asked for."""

    daemon_threads = True

    def __init__(self, port: int = PORT) -> None:
        super().__init__(("127.0.0.1", port), _Handler)
        self._count = count(1)
        self.calls = 0

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.server_port}/v1"

    def completion(self, request: dict[str, Any]) -> dict[str, Any]:
        self.calls = next(self._count)
        words = {"system": "", "user": ""}
        words.update((each["role"], each["content"]) for each in request["messages"])
        message = {"role": "assistant", "content": obey(words["system"], words["user"])}
        return {
            "id": "chatcmpl-obedient",
            "object": "chat.completion",
            "model": request["model"],
            "choices": [{"index": 0, "message": message, "finish_reason": "stop"}],
        }


class _Handler(BaseHTTPRequestHandler):
    disable_nagle_algorithm = True  # an answer is sent in two parts, and would wait for the other side between them
    server: Server

    def do_POST(self) -> None:
        request = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        self._send(self.server.completion(request))

    def do_GET(self) -> None:
        self._send({"calls": self.server.calls})

    def log_message(self, *_: Any) -> None:
        """Silence."""

    def _send(self, value: dict[str, Any]) -> None:
        body = json.dumps(value).encode()
        self.send_response(200)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--port", type=int, default=PORT)
    server = Server(parser.parse_args().port)
    print(f"listening on {server.url}", flush=True)
    try:
        server.serve_forever()
    except KeyboardInterrupt:
        print(f"{server.calls} calls")


if __name__ == "__main__":
    main()
