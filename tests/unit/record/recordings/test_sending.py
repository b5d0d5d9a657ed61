"""Which key goes to which host, and what comes back of one request."""

from __future__ import annotations

import pytest

from gate.record.recordings.exchange import Request
from gate.record.recordings.sending import key_header, send
from tests.support.model_server import ModelServer

ENVIRON = {
    "OPENAI_API_KEY": "o",
    "ANTHROPIC_API_KEY": "a",
    "GOOGLE_API_KEY": "g",
    "AZURE_OPENAI_API_KEY": "z",
    "AWS_BEARER_TOKEN_BEDROCK": "b",
    "GATE_MODEL_KEY": "m",
    "OPENAI_BASE_URL": "https://gateway.example.org/v1",
}


@pytest.mark.parametrize(
    ("host", "header"),
    [
        ("api.openai.com", ("authorization", "Bearer o")),
        ("gateway.example.org", ("authorization", "Bearer o")),
        ("api.anthropic.com", ("x-api-key", "a")),
        ("generativelanguage.googleapis.com", ("x-goog-api-key", "g")),
        ("mine.openai.azure.com", ("api-key", "z")),
        ("api.openai.com.evil.example", ("authorization", "Bearer m")),
        ("api.openai.com:8443", ("authorization", "Bearer m")),
        ("bedrock-runtime.eu-central-1.amazonaws.com", ("authorization", "Bearer b")),
        ("bedrock-runtime.evil.example", ("authorization", "Bearer m")),
        ("api.mistral.ai", None),
    ],
)
def test_a_key_goes_to_its_own_host(host: str, header: tuple[str, str] | None) -> None:
    assert key_header(host, ENVIRON) == header


def test_no_redirect_is_followed_and_a_host_of_this_machine_needs_no_key() -> None:
    with ModelServer() as server:
        answer = send(Request("POST", f"{server.url}/redirect/307", (), b"{}"), {}, timeout=30)
        assert answer.status == 307
        cut = send(Request("POST", f"{server.url}/cut/length", (), b"{}"), {}, timeout=30)
    assert cut.failure == "protocol"
    assert [seen.path for seen in server.requests] == ["/redirect/307", "/cut/length"]
    assert not any(name.lower() == "authorization" for seen in server.requests for name, _ in seen.headers)


def test_an_answer_that_drips_for_ever_ends() -> None:
    with ModelServer() as server:
        answer = send(Request("POST", f"{server.url}/endless", (), b"{}"), {}, timeout=30, total=0.2)
    assert (answer.status, answer.failure) == (0, "time-out")


def test_no_address_at_all_is_a_failure_of_the_connection() -> None:
    answer = send(Request("POST", "http://127.0.0.1:1/v1/x", (), b"{}"), {}, timeout=5, total=5)
    assert answer.failure == "connection"
