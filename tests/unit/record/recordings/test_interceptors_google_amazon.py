"""The libraries of Google and Amazon, over the clients below them. Each is skipped where it is not installed."""

from __future__ import annotations

import json
import threading
from collections.abc import Callable, Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from itertools import count
from typing import Any

import pytest

from gate.record.recordings import interceptors
from tests.support.remembering_session import RememberingSession


class Model:
    """Answers every call in the form of Google, and each one differently."""

    def __init__(self) -> None:
        self.calls = 0
        numbers = count()
        model = self

        class Handler(BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.1"

            def do_POST(self) -> None:
                model.calls += 1
                self.rfile.read(int(self.headers["content-length"]))
                part = {"text": f"answer {next(numbers)}"}
                found = {"candidates": [{"content": {"role": "model", "parts": [part]}, "finishReason": "STOP"}]}
                body = json.dumps(found).encode()
                self.send_response(200)
                self.send_header("content-type", "application/json")
                self.send_header("content-length", str(len(body)))
                self.end_headers()
                self.wfile.write(body)

            def log_message(self, *_: object) -> None: ...

        self._server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self._server.daemon_threads = True
        self.url = f"http://127.0.0.1:{self._server.server_address[1]}"
        threading.Thread(target=self._server.serve_forever, args=(0.01,), daemon=True).start()

    def close(self) -> None:
        """Nobody answers any more."""
        self._server.shutdown()
        self._server.server_close()


@pytest.fixture
def model() -> Iterator[Model]:
    model = Model()
    yield model
    model.close()


def _google(url: str, turn: int) -> Any:
    genai = pytest.importorskip("google.genai", reason="the Google library is not installed")
    client = genai.Client(api_key=f"key {turn}", http_options={"base_url": url})
    return client.models.generate_content(model="m", contents="which colour?").text


def _amazon(url: str, turn: int) -> Any:
    boto3 = pytest.importorskip("boto3", reason="the Amazon library is not installed")
    client = boto3.client(
        "bedrock-runtime",
        region_name="eu-central-1",
        endpoint_url=url,
        aws_access_key_id=f"key {turn}",
        aws_secret_access_key="secret",
    )
    return client.invoke_model(modelId="m", body=b'{"messages": []}')["body"].read()


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("ask", [_google, _amazon])
def test_a_library_is_recorded_once_a_call_and_replayed(model: Model, ask: Callable[[str, int], Any]) -> None:
    session = RememberingSession()
    with interceptors.installed(session):
        recorded = [ask(model.url, turn) for turn in range(2)]
        assert len(session.answers) == model.calls == 2
        assert recorded[0] != recorded[1]
        model.close()
        session.replaying = True
        assert [ask(model.url, turn) for turn in (8, 9)] == recorded, "whoever signs, and with whatever key"
