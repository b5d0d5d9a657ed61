"""Which requests of others are never sent with a key, and why."""

from __future__ import annotations

import json
from typing import Any

import pytest

from gate.record.recordings import canonical
from gate.record.recordings.exchange import Request
from gate.record.recordings.missing import Asked, MissingEntry
from gate.record.recordings.record_missing import Allowed, why_refused

HOST = "https://api.openai.com"
ALLOWED = Allowed(frozenset({"api.openai.com", "x.openai.azure.com"}), ("gpt-4o-mini*", "gemini-*", "claude-*"))


def refused(path: str = "/v1/chat/completions", host: str = HOST, **fields: Any) -> str:
    body = json.dumps({"model": "gpt-4o-mini"} | fields).encode()
    request = Request("POST", host + path, (("content-type", "application/json"),), body)
    key = canonical.key(request)
    return why_refused(MissingEntry(key.digest, request, (Asked("t", 0, 0),)), key, ALLOWED)


@pytest.mark.parametrize(
    "fields",
    [{"n": 128}, {"best_of": 9}, {"generationConfig": {"candidateCount": 9}}, {"n": 2, "prompt": ["a"] * 5}],
)
def test_a_request_asks_for_few_answers(fields: dict[str, Any]) -> None:
    assert "answers at once, and at most 8" in refused(**fields)
    assert refused(n=8) == ""
