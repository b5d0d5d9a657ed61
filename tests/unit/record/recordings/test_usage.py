"""Tokens and model from what providers answer; the shapes are those of their own reference pages."""

from __future__ import annotations

import base64
import gzip
import json
import struct
import zlib
from typing import Any

import pytest

from gate.record.recordings.exchange import Answer, Request
from gate.record.recordings.payload import messages, model_of_request, most_output
from gate.record.recordings.usage import Usage, read_usage

JSON = (("Content-Type", "application/json"),)
STREAM = (("content-type", "text/event-stream; charset=utf-8"),)


def plain(body: Any, *headers: tuple[str, str]) -> Answer:
    return Answer(200, (*JSON, *headers), (json.dumps(body).encode(),))


def stream(*events: Any, named: bool = False, end: str = "\n") -> Answer:
    lines = []
    for event in events:
        if named:
            lines.append(f"event: {event['type']}{end}")
        lines.append(f"data: {json.dumps(event)}{end}{end}")
    lines.append(f"data: [DONE]{end}{end}")
    return Answer(200, STREAM, tuple(line.encode() for line in lines))


def frames(*payloads: Any) -> Answer:
    """Amazon's binary event stream, with checksums as it writes them."""
    data = b""
    for payload in payloads:
        body = json.dumps(payload).encode()
        heads = b"\x0b:event-type\x07\x00\x05chunk"
        prelude = struct.pack(">II", 16 + len(heads) + len(body), len(heads))
        message = prelude + struct.pack(">I", zlib.crc32(prelude)) + heads + body
        data += message + struct.pack(">I", zlib.crc32(message))
    return Answer(200, (("content-type", "application/vnd.amazon.eventstream"),), (data,))


PLAIN = {
    "OpenAI chat": (
        {
            "model": "gpt-4o-2024-08-06",
            "usage": {
                "prompt_tokens": 100,
                "completion_tokens": 20,
                "total_tokens": 120,
                "prompt_tokens_details": {"cached_tokens": 64},
                "completion_tokens_details": {"reasoning_tokens": 12},
            },
        },
        Usage(100, 20, 64, model="gpt-4o-2024-08-06"),
    ),
    "OpenAI responses": (
        {
            "model": "o4-mini-2025-04-16",
            "usage": {"input_tokens": 81, "input_tokens_details": {"cached_tokens": 5}, "output_tokens": 1035},
        },
        Usage(81, 1035, 5, model="o4-mini-2025-04-16"),
    ),
    "OpenAI embeddings": (
        {"model": "text-embedding-3-small", "usage": {"prompt_tokens": 8, "total_tokens": 8}},
        Usage(8, 0, model="text-embedding-3-small"),
    ),
    "Anthropic with a cache": (
        {
            "model": "claude-sonnet-4-20250514",
            "usage": {
                "input_tokens": 10,
                "cache_creation_input_tokens": 300,
                "cache_read_input_tokens": 2000,
                "cache_creation": {"ephemeral_5m_input_tokens": 200, "ephemeral_1h_input_tokens": 100},
                "output_tokens": 50,
            },
        },
        Usage(2310, 50, 2000, 300, 100, model="claude-sonnet-4-20250514"),
    ),
    "Google": (
        {
            "modelVersion": "gemini-2.5-flash",
            "usageMetadata": {
                "promptTokenCount": 343,
                "cachedContentTokenCount": 40,
                "candidatesTokenCount": 82,
                "thoughtsTokenCount": 159,
                "toolUsePromptTokenCount": 877,
                "totalTokenCount": 1461,
            },
        },
        Usage(1220, 241, 40, model="gemini-2.5-flash"),
    ),
    "Google, blocked": (
        {"modelVersion": "gemini-2.5-flash", "usageMetadata": {"promptTokenCount": 9, "totalTokenCount": 9}},
        Usage(9, 0, model="gemini-2.5-flash"),
    ),
    "Mistral": (
        {"model": "mistral-small-2506", "usage": {"prompt_tokens": 14, "completion_tokens": 3, "total_tokens": 17}},
        Usage(14, 3, model="mistral-small-2506"),
    ),
    "Cohere, second version": (
        {
            "usage": {
                "billed_units": {"input_tokens": 5.0, "output_tokens": 7.0},
                "tokens": {"input_tokens": 71.0, "output_tokens": 9.0},
            }
        },
        Usage(5, 7),
    ),
    "Cohere, first version": ({"meta": {"billed_units": {"input_tokens": 5, "output_tokens": 7}}}, Usage(5, 7)),
    "Cohere, tokens only": ({"usage": {"tokens": {"input_tokens": 71, "output_tokens": 9}}}, Usage(71, 9)),
    "Bedrock converse": (
        {"usage": {"inputTokens": 20, "outputTokens": 4, "cacheReadInputTokens": 100, "cacheWriteInputTokens": 30}},
        Usage(150, 4, 100, 30),
    ),
    "DeepSeek": (
        {
            "model": "deepseek-chat",
            "usage": {"prompt_tokens": 30, "completion_tokens": 2, "prompt_cache_hit_tokens": 9},
        },
        Usage(30, 2, 9, model="deepseek-chat"),
    ),
    "a router that counts a cache within the prompt": (
        {"model": "m", "usage": {"prompt_tokens": 30, "completion_tokens": 2, "cache_read_input_tokens": 9}},
        Usage(30, 2, 9, model="m"),
    ),
    "OpenRouter, with its price": (
        {"model": "openai/gpt-4o", "usage": {"prompt_tokens": 3, "completion_tokens": 4, "cost": 0.0125}},
        Usage(3, 4, money=0.0125, model="openai/gpt-4o"),
    ),
    "Ollama": (
        {"model": "llama3.2", "done": True, "prompt_eval_count": 26, "eval_count": 298},
        Usage(26, 298, model="llama3.2"),
    ),
}


@pytest.mark.parametrize("name", PLAIN)
def test_plain_answers(name: str) -> None:
    body, expected = PLAIN[name]
    assert read_usage(plain(body)) == expected


@pytest.mark.parametrize("end", ["\n", "\r\n"])
def test_a_chat_stream_counts_in_its_last_chunk(end: str) -> None:
    answer = stream(
        {"model": "gpt-4o-2024-08-06", "choices": [{"delta": {"content": "Hi"}}], "usage": None},
        {"model": "gpt-4o-2024-08-06", "choices": [], "usage": {"prompt_tokens": 12, "completion_tokens": 5}},
        end=end,
    )
    assert read_usage(answer) == Usage(12, 5, model="gpt-4o-2024-08-06")


def test_a_stream_without_usage_is_unknown() -> None:
    answer = stream({"model": "gpt-4o-2024-08-06", "choices": [{"delta": {"content": "Hi"}}]})
    usage = read_usage(answer)
    assert (usage.input, usage.output, usage.tokens, usage.known) == (None, None, None, False)
    assert usage.model == "gpt-4o-2024-08-06"


def test_an_anthropic_stream_joins_its_first_and_last_counts() -> None:
    start = {
        "type": "message_start",
        "message": {
            "model": "claude-haiku-4-5-20251001",
            "usage": {"input_tokens": 25, "cache_read_input_tokens": 1000, "output_tokens": 1},
        },
    }
    delta = {"type": "message_delta", "delta": {"stop_reason": "end_turn"}, "usage": {"output_tokens": 15}}
    found = read_usage(stream(start, {"type": "ping"}, delta, named=True))
    assert found == Usage(1025, 15, 1000, model="claude-haiku-4-5-20251001")


def test_a_responses_stream() -> None:
    created = {"type": "response.created", "response": {"model": "gpt-4o-2024-08-06", "usage": None}}
    completed = {
        "type": "response.completed",
        "response": {"model": "gpt-4o-2024-08-06", "usage": {"input_tokens": 37, "output_tokens": 11}},
    }
    assert read_usage(stream(created, completed, named=True)) == Usage(37, 11, model="gpt-4o-2024-08-06")


def test_google_streams_running_totals_as_events_and_as_one_array() -> None:
    parts = [
        {"modelVersion": "gemini-2.5-pro", "usageMetadata": {"promptTokenCount": 4, "totalTokenCount": 4}},
        {"modelVersion": "gemini-2.5-pro", "usageMetadata": {"promptTokenCount": 4, "candidatesTokenCount": 9}},
    ]
    expected = Usage(4, 9, model="gemini-2.5-pro")
    assert read_usage(stream(*parts)) == expected
    assert read_usage(plain(parts)) == expected


def test_google_interactions() -> None:
    usage = {
        "total_input_tokens": 10,
        "total_cached_tokens": 2,
        "total_output_tokens": 146,
        "total_thought_tokens": 119,
    }
    event = {"event_type": "interaction.completed", "interaction": {"model": "gemini-3-flash", "usage": usage}}
    assert read_usage(stream(event)) == Usage(10, 265, 2, model="gemini-3-flash")


def test_cohere_streams() -> None:
    second = {"type": "message-end", "delta": {"usage": {"billed_units": {"input_tokens": 5, "output_tokens": 7}}}}
    assert read_usage(stream(second)) == Usage(5, 7)
    lines = [
        {"event_type": "text-generation", "text": "Hi"},
        {"event_type": "stream-end", "response": {"meta": {"billed_units": {"input_tokens": 1, "output_tokens": 2}}}},
    ]
    body = "".join(json.dumps(line) + "\n" for line in lines).encode()
    assert read_usage(Answer(200, (("content-type", "application/stream+json"),), (body,))) == Usage(1, 2)


def test_json_lines_of_ollama() -> None:
    body = b'{"model":"llama3.2","done":false}\n{"model":"llama3.2","done":true,"prompt_eval_count":2,"eval_count":3}\n'
    assert read_usage(Answer(200, (("content-type", "application/x-ndjson"),), (body,))) == Usage(
        2, 3, model="llama3.2"
    )


def test_bedrock_streams_and_headers() -> None:
    answer = frames({"delta": {"text": "Hi"}}, {"usage": {"inputTokens": 8, "outputTokens": 2}})
    assert read_usage(answer) == Usage(8, 2)
    event = {"type": "message_stop", "amazon-bedrock-invocationMetrics": {"inputTokenCount": 8, "outputTokenCount": 2}}
    inner = base64.b64encode(json.dumps(event).encode()).decode()
    assert read_usage(frames({"bytes": inner, "p": "abc"})) == Usage(8, 2)
    counted = (("X-Amzn-Bedrock-Input-Token-Count", "6"), ("X-Amzn-Bedrock-Output-Token-Count", "1"))
    assert read_usage(plain({"generation": "Hi"}, *counted)) == Usage(6, 1)


def test_an_encoded_body_and_one_that_only_says_so() -> None:
    body = json.dumps({"model": "m", "usage": {"prompt_tokens": 1, "completion_tokens": 2}}).encode()
    headers = (*JSON, ("Content-Encoding", "gzip"))
    assert read_usage(Answer(200, headers, (gzip.compress(body),))) == Usage(1, 2, model="m")
    assert read_usage(Answer(200, headers, (body,))) == Usage(1, 2, model="m")


HOSTILE = [
    b"",
    b"null",
    b"[]",
    b"{",
    b"[" * 100_000,
    b'{"usage": [1, 2]}',
    b'{"usage": {"prompt_tokens": -1, "completion_tokens": "12"}}',
    b'{"usage": {"prompt_tokens": true, "completion_tokens": 1.5}}',
    b'{"usage": {"prompt_tokens": 1e400, "completion_tokens": NaN}}',
    b'{"usage": {"cost": -1}, "model": 7}',
    b"\xff\xfe\x00",
    b"data: {broken\n\ndata: [1]\n\n",
]


@pytest.mark.parametrize("body", HOSTILE)
@pytest.mark.parametrize("kind", ["application/json", "text/event-stream", "application/vnd.amazon.eventstream", ""])
def test_what_is_no_count_is_unknown(body: bytes, kind: str) -> None:
    assert read_usage(Answer(200, (("content-type", kind),), (body,))) == Usage()


def test_frames_that_lie_about_their_length_end_the_reading() -> None:
    whole = frames({"usage": {"inputTokens": 8, "outputTokens": 2}}).body
    for damaged in (whole[:-5], struct.pack(">II", 4, 0) + whole[8:], struct.pack(">II", 2**31, 2**31) + whole[8:]):
        answer = Answer(200, (("content-type", "application/vnd.amazon.eventstream"),), (damaged,))
        assert list(messages(answer)) == []


def test_the_model_that_was_asked_for() -> None:
    def asked(url: str, body: bytes = b"") -> str:
        return model_of_request(Request("POST", url, JSON, body))

    assert asked("https://api.openai.com/v1/chat/completions", b'{"model": "gpt-4o"}') == "gpt-4o"
    google = "https://generativelanguage.googleapis.com/v1beta/models/"
    assert asked(google + "gemini-2.5-flash:generateContent", b'{"contents": []}') == "gemini-2.5-flash"
    amazon = "https://bedrock-runtime.us-east-1.amazonaws.com/model/"
    assert asked(amazon + "us.amazon.nova-lite-v1%3A0/converse") == "us.amazon.nova-lite-v1:0"
    assert asked("https://example.org/files") == ""
    assert asked("https://[broken/models/x") == ""
    usage = read_usage(plain({"usage": {"inputTokens": 1}}), Request("POST", amazon + "nova/converse"))
    assert (usage.model, usage.asked, usage.priced_as) == ("", "nova", "nova")


def test_the_most_that_a_request_lets_come_out() -> None:
    def most(body: Any) -> int | None:
        return most_output(Request("POST", "https://example.org", JSON, json.dumps(body).encode()))

    assert most({"max_tokens": 5}) == 5
    assert most({"max_completion_tokens": 7, "max_tokens": 5}) == 7
    assert most({"generationConfig": {"maxOutputTokens": 9}}) == 9
    assert most({"max_tokens": None}) is None
    assert most({"max_tokens": True}) is None
