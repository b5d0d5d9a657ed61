"""What two folders of recordings differ in, as a person reads it."""

from __future__ import annotations

import gzip
import json
from pathlib import Path
from typing import Any

import pytest

from gate.record.recordings.changes import changes, said
from gate.record.recordings.entry import Entry, Meta
from gate.record.recordings.exchange import Answer
from gate.record.recordings.store import Store

JSON = (("content-type", "application/json"),)
STREAM = (("content-type", "text/event-stream"),)
KEY = "0123456789abcdef" * 2


def plain(body: Any) -> Answer:
    return Answer(200, JSON, (json.dumps(body).encode(),))


def stream(*events: Any) -> Answer:
    return Answer(200, STREAM, tuple(f"data: {json.dumps(event)}\n\n".encode() for event in events))


def entry(answer: Answer, n: int = 0, *, model: str = "m", failed: int = 0) -> Entry:
    return Entry(KEY, "t.py::a", 0, n, answer, Meta("2026-11-30", model), failed, request={"url": "https://e.org/"})


SPOKEN = {
    "OpenAI chat": plain({"choices": [{"message": {"content": "Hello"}}]}),
    "OpenAI chat stream": stream(
        {"choices": [{"delta": {"content": "Hel"}}]}, {"choices": [{"delta": {"content": "lo"}}]}
    ),
    "OpenAI completions": plain({"choices": [{"text": "Hello"}]}),
    "OpenAI responses": plain({"output": [{"type": "message", "content": [{"type": "output_text", "text": "Hello"}]}]}),
    "OpenAI responses stream": stream(
        {"type": "response.created", "response": {"output": []}},
        {"type": "response.output_text.delta", "delta": "Hello"},
        {"type": "response.completed", "response": {"output": [{"content": [{"text": "Hello"}]}]}},
    ),
    "Anthropic": plain({"content": [{"type": "text", "text": "Hello"}]}),
    "Anthropic stream": stream(
        {"type": "message_start", "message": {"content": []}},
        {"type": "content_block_delta", "delta": {"type": "text_delta", "text": "Hello"}},
    ),
    "Google": plain({"candidates": [{"content": {"parts": [{"text": "Hello"}], "role": "model"}}]}),
    "Cohere": plain({"message": {"content": [{"type": "text", "text": "Hello"}]}}),
    "Amazon": plain({"output": {"message": {"content": [{"text": "Hello"}], "role": "assistant"}}}),
    "encoded": Answer(
        200,
        (*JSON, ("content-encoding", "gzip")),
        (gzip.compress(b'{"choices": [{"message": {"content": "Hello"}}]}'),),
    ),
    "no model": Answer(200, (("content-type", "text/plain"),), (b"Hello",)),
}


@pytest.mark.parametrize("name", SPOKEN)
def test_what_an_answer_says(name: str) -> None:
    assert said(SPOKEN[name]) == "Hello"


TOOLS = {
    "OpenAI chat": plain(
        {
            "choices": [
                {"message": {"content": None, "tool_calls": [{"function": {"name": "f", "arguments": '{"a": 1}'}}]}}
            ]
        }
    ),
    "OpenAI chat stream": stream(
        {"choices": [{"delta": {"tool_calls": [{"function": {"name": "f", "arguments": '{"a"'}}]}}]},
        {"choices": [{"delta": {"tool_calls": [{"function": {"arguments": ": 1}"}}]}}]},
    ),
    "OpenAI responses": plain({"output": [{"type": "function_call", "name": "f", "arguments": '{"a": 1}'}]}),
    "Anthropic": plain({"content": [{"type": "tool_use", "id": "t1", "name": "f", "input": {"a": 1}}]}),
    "Anthropic stream": stream(
        {"type": "content_block_start", "content_block": {"type": "tool_use", "name": "f", "input": {}}},
        {"type": "content_block_delta", "delta": {"type": "input_json_delta", "partial_json": '{"a": 1}'}},
    ),
    "Google": plain({"candidates": [{"content": {"parts": [{"functionCall": {"name": "f", "args": {"a": 1}}}]}}]}),
    "Amazon": plain({"output": {"message": {"content": [{"toolUse": {"name": "f", "input": {"a": 1}}}]}}}),
}


@pytest.mark.parametrize("name", TOOLS)
def test_calls_of_tools_are_said_too(name: str) -> None:
    assert said(TOOLS[name]) == '\n→ f {"a": 1}'


def test_the_same_answer_with_a_new_id_is_no_change(tmp_path: Path) -> None:
    def answer(id_: str, text: str, tokens: int) -> Answer:
        choices = [{"message": {"content": text, "tool_calls": [{"id": id_}]}}]
        return plain({"id": id_, "created": tokens, "choices": choices, "usage": {"prompt_tokens": tokens}})

    old, new = Store(tmp_path / "old"), Store(tmp_path / "new")
    old.put([entry(answer("a", "Hello", 1)), entry(answer("a", "Hello", 1), 1)])
    new.put([entry(answer("b", "Hello", 2)), entry(answer("b", "Hallo", 2), 1)])
    assert [change.n for change in changes(old, new)] == [1]


def test_what_says_nothing_is_shown_as_it_is() -> None:
    assert said(plain({"b": 1, "a": [2]})) == '{\n "a": [\n  2\n ],\n "b": 1\n}'
    assert said(Answer(200, (), (b"\x00\xff",))) == "2 bytes that are no text"
    assert said(Answer(204)) == ""


def test_changes_by_call(tmp_path: Path) -> None:
    old, new = Store(tmp_path / "old"), Store(tmp_path / "new")
    same = plain({"x": 1})
    old.put([entry(same), entry(same, 1, model="a"), entry(same, 2)])
    new.put([entry(same), entry(same, 1, model="b"), entry(same, 3), entry(Answer(503), 3, failed=1)])
    assert [(change.kind, change.n, change.text, change.diff) for change in changes(old, new)] == [
        ("changed", 1, "model a → b", ""),
        ("removed", 2, "", ""),
        ("added", 3, "", ""),
    ]
    assert changes(old, old) == ()


def test_a_diff_shows_what_is_said_and_the_status(tmp_path: Path) -> None:
    old, new = Store(tmp_path / "old"), Store(tmp_path / "new")
    old.put([entry(plain({"content": [{"text": "one\ntwo\nthree"}]}))])
    new.put([entry(Answer(404, JSON, (json.dumps({"content": [{"text": "one\n2\nthree"}]}).encode(),)))])
    (change,) = changes(old, new)
    assert change.text == "status 200 → 404"
    assert change.diff.splitlines() == ["@@ -1,3 +1,3 @@", " one", "-two", "+2", " three"]


def test_a_huge_answer_is_shown_in_part(tmp_path: Path) -> None:
    old, new = Store(tmp_path / "old"), Store(tmp_path / "new")
    old.put([entry(plain({"content": [{"text": "x\n" * 100_000}]}))])
    new.put([entry(plain({"content": [{"text": "y" * 100_000}]}))])
    (change,) = changes(old, new)
    assert len(change.diff) < 30_000
    assert "more lines" in change.diff
