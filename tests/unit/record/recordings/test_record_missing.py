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


@pytest.mark.parametrize(
    ("fields", "named"),
    [
        ({"previous_response_id": "resp_1"}, "previous_response_id"),
        ({"conversation": {"id": "conv_1"}}, "conversation"),
        ({"prompt": {"id": "pmpt_1"}}, "prompt"),
        ({"container": "c_1"}, "container"),
        ({"cachedContent": "cachedContents/1"}, "cachedContent"),
        ({"store": True}, "store"),
        ({"service_tier": "priority"}, "service_tier"),
        ({"mcp_servers": [{"type": "url", "url": "https://evil.example"}]}, "mcp_servers"),
        ({"web_search_options": {"search_context_size": "high"}}, "web_search_options"),
        ({"data_sources": [{"type": "azure_search"}]}, "data_sources"),
        ({"tools": [{"type": "file_search", "vector_store_ids": ["vs_1"]}]}, "file_search"),
        ({"tools": [{"type": "mcp", "server_url": "https://evil.example"}]}, "mcp"),
        ({"tools": [{"type": "function", "name": "a", "server_url": "https://evil.example"}]}, "server_url"),
        ({"tools": [{"type": "code_interpreter", "container": {"type": "auto"}}]}, "code_interpreter"),
        ({"tools": [{"type": "web_search_20250305", "name": "web_search"}]}, "web_search"),
        ({"tools": [{"googleSearch": {}}]}, "googleSearch"),
        ({"tools": [{"functionDeclarations": [], "codeExecution": {}}]}, "codeExecution"),
        ({"toolConfig": {"tools": [{"systemTool": {"name": "x"}}]}}, "systemTool"),
        ({"input": [{"type": "item_reference", "id": "msg_1"}]}, "item_reference"),
        ({"input": [{"content": [{"type": "input_file", "file_id": "file-1"}]}]}, "file_id"),
        ({"input": [{"content": [{"type": "input_image", "image_url": "https://in.example/a"}]}]}, "address"),
        ({"messages": [{"content": [{"type": "file", "file": {"file_id": "file-1"}}]}]}, "file_id"),
        ({"messages": [{"content": [{"type": "image_url", "image_url": {"url": "http://10.0.0.1/a"}}]}]}, "address"),
        ({"messages": [{"content": [{"type": "image", "source": {"type": "url", "url": "https://a.b"}}]}]}, "address"),
        ({"contents": [{"parts": [{"fileData": {"fileUri": "gs://bucket/a"}}]}]}, "fileUri"),
        ({"messages": [{"content": [{"image": {"source": {"s3Location": {"uri": "s3://a"}}}}]}]}, "s3Location"),
    ],
)
def test_state_and_tools_of_the_provider_are_refused_by_name(fields: dict[str, Any], named: str) -> None:
    assert named in refused(**fields)


@pytest.mark.parametrize(
    "fields",
    [
        {"tools": [{"type": "function", "function": {"name": "file_search", "parameters": {"file_id": {}}}}]},
        {"tools": [{"name": "get", "description": "d", "input_schema": {"properties": {"server_url": {}}}}]},
        {"tools": [{"functionDeclarations": [{"name": "a"}]}], "previous_response_id": None, "store": False},
        {"toolConfig": {"tools": [{"toolSpec": {"name": "a"}}]}},
        {"messages": [{"content": [{"type": "tool_use", "id": "t", "name": "get", "input": {"file_id": "a"}}]}]},
        {"messages": [{"content": "see https://example.org", "tool_calls": [{"function": {"arguments": "{}"}}]}]},
        {"messages": [{"content": [{"type": "image_url", "image_url": {"url": "data:image/png;base64,AA=="}}]}]},
        {"input": ["a", "b"], "prompt": "file_id", "service_tier": "default"},
    ],
)
def test_what_a_request_brings_along_may_be_sent(fields: dict[str, Any]) -> None:
    assert refused(**fields) == ""


@pytest.mark.parametrize(
    ("path", "sent"),
    [
        ("/v1/chat/completions", True),
        ("/api/v1/chat/completions", True),
        ("/openai/v1/chat/completions", True),
        ("/openai/deployments/gpt-4o-mini/chat/completions", True),
        ("/v1/completions", True),
        ("/v1/responses", True),
        ("/v1/messages", True),
        ("/anthropic/v1/messages", True),
        ("/v1/embeddings", True),
        ("/v1beta/models/gemini-2.0-flash:generateContent", True),
        ("/v1/projects/p/locations/l/publishers/google/models/gemini-2.0-flash:streamGenerateContent", True),
        ("/v1/threads/thread_1/messages", False),
        ("/openai/threads/v1/messages", False),
        ("/v1/conversations/c/v1/responses", False),
        ("/v1/messages/batches", False),
        ("/v1/responses/resp_1/cancel", False),
        ("/v1/chat/completions/chatcmpl-1", False),
        ("/v1/files/v1/chat/completions", False),
        ("/v1/organization/projects/chat/completions", False),
        ("/v1beta/cachedContents/x/models/gemini-2.0-flash:generateContent", False),
        ("/openai/deployments/a/b/chat/completions/x", False),
    ],
)
def test_only_paths_that_ask_a_model_are_sent_to(path: str, sent: bool) -> None:
    assert (refused(path) == "") is sent
