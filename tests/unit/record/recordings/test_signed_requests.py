"""Requests that a client signs anew each time (SigV4): signature and moment do not count, and none of it is stored."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from gate.record.recordings import canonical
from gate.record.recordings.check import problems
from gate.record.recordings.exchange import Answer, Request
from gate.record.recordings.store import Store
from tests.support.recorded_calls import CASE, SCOPE, Upstream, call, opened

URL = "https://bedrock-runtime.eu-central-1.amazonaws.com/model/anthropic.claude-3-haiku-20240307-v1%3A0/invoke"
BODY = b'{"max_tokens":9,"messages":[{"role":"user","content":"hello"}]}'
FIRST = ("AKIAQ7XT4BV8NL1CR6WZ", "20251130", "9f3c" * 16, "IQoJb3JpZ2luX2VjEKf9fK2mQ7xT4bV8nL1cR6wZ3yH5jD0")
LATER = ("ASIAZ3YH5JD0FK2MQ7XT", "20251201", "1b7e" * 16, "FwoGZXIvYXdzEBYaDHqT8vN2mX5cR7wZ1yK4jL9pB6sG3dF0")


def by_header(key: str, day: str, signature: str, session: str) -> Request:
    scope = f"{key}/{day}/eu-central-1/bedrock/aws4_request"
    signed = f"AWS4-HMAC-SHA256 Credential={scope}, SignedHeaders=host;x-amz-date, Signature={signature}"
    headers = (
        ("Content-Type", "application/json"),
        ("Authorization", signed),
        ("X-Amz-Date", f"{day}T101112Z"),
        ("X-Amz-Security-Token", session),
        ("X-Amz-Content-SHA256", signature),
        ("amz-sdk-invocation-id", f"{signature[:8]}-aaaa"),
        ("amz-sdk-request", f"attempt={day[-1]}; max=5"),
    )
    return Request("POST", URL, headers, BODY)


def by_address(key: str, day: str, signature: str, session: str, who: str = "Amz") -> Request:
    query = (
        f"X-{who}-Algorithm=AWS4-HMAC-SHA256&X-{who}-Credential={key}%2F{day}%2Feu-central-1%2Fbedrock%2Faws4_request"
        f"&X-{who}-Date={day}T101112Z&X-{who}-Expires={day[-2:]}0&X-{who}-SignedHeaders=host"
        f"&X-{who}-Security-Token={session}&X-{who}-Signature={signature}"
    )
    return Request("POST", f"{URL}?{query}&trace=on", (("Content-Type", "application/json"),), BODY)


@pytest.mark.parametrize("sign", [by_header, by_address])
def test_an_answer_is_found_whoever_signed_and_when_and_nothing_of_it_is_stored(
    tmp_path: Path, sign: Callable[..., Request]
) -> None:
    session = opened(tmp_path, "record")
    call(session, sign(*FIRST), SCOPE, Upstream())
    session.ended(CASE)
    session.finish()
    assert isinstance(opened(tmp_path, "replay").ask(sign(*LATER), SCOPE), Answer)
    text = "".join(path.read_text() for path in tmp_path.rglob("*.jsonl"))
    assert "anthropic.claude-3-haiku" in text
    assert [part for part in FIRST if part in text] == []
    assert problems(Store(tmp_path)) == ()


def test_addresses_that_google_signs() -> None:
    assert canonical.key(by_address(*FIRST, who="Goog")) == canonical.key(by_address(*LATER, who="Goog"))


def test_what_is_not_of_the_signature_counts() -> None:
    one, other = by_address(*FIRST), by_address(*LATER)
    changed = Request("POST", other.url.replace("trace=on", "trace=off"), other.headers, other.body)
    assert canonical.key(one) != canonical.key(changed)


def test_a_date_of_an_address_that_is_not_signed_counts() -> None:
    days = [Request("GET", f"https://api.example.org/?X-Amz-Date={day}") for day in (1, 2)]
    assert canonical.key(days[0]) != canonical.key(days[1])
