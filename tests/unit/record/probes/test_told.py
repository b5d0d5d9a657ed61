"""What known command lines print."""

from __future__ import annotations

import json
from collections.abc import Callable

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gate.record.probes.agents import told
from gate.record.probes.agents.output import Told

READERS: tuple[Callable[[str], Told], ...] = (told.claude, told.codex, told.gemini, told.opencode, told.aider)


def lines(*objects: dict[str, object]) -> str:
    return "".join(json.dumps(each) + "\n" for each in objects)


CLAUDE = {
    "type": "result",
    "subtype": "success",
    "is_error": False,
    "result": "Here it is.",
    "total_cost_usd": 0.0125,
    "usage": {"input_tokens": 4, "output_tokens": 30, "cache_read_input_tokens": 100, "cache_creation_input_tokens": 6},
}


def test_claude_tells_answer_cost_and_all_tokens() -> None:
    assert told.claude(json.dumps(CLAUDE)) == Told("Here it is.", cost=0.0125, tokens=140)


def test_of_claudes_lines_and_lists_the_last_result_counts() -> None:
    assert told.claude(lines({"type": "system"}, CLAUDE)).text == "Here it is."
    assert told.claude(json.dumps([{"type": "system"}, CLAUDE])).text == "Here it is."


def test_claude_says_that_it_failed_and_with_which_status() -> None:
    failed = {**CLAUDE, "is_error": True, "result": "API Error: 529 overloaded"}
    assert told.claude(json.dumps(failed)).status == 529
    stopped = {"type": "result", "subtype": "error_max_turns", "is_error": False}
    assert told.claude(json.dumps(stopped)) == Told("", failed="error_max_turns")


def test_codex_answers_with_its_last_message() -> None:
    found = told.codex(
        lines(
            {"type": "thread.started", "thread_id": "t"},
            {"type": "item.completed", "item": {"type": "agent_message", "text": "first"}},
            {"type": "item.completed", "item": {"type": "command_execution", "command": "ls"}},
            {"type": "item.completed", "item": {"type": "agent_message", "text": "last"}},
            {"type": "turn.completed", "usage": {"input_tokens": 10, "cached_input_tokens": 8, "output_tokens": 5}},
        )
    )
    assert found == Told("last", tokens=15)


def test_codex_says_that_a_turn_failed() -> None:
    found = told.codex(lines({"type": "turn.failed", "error": {"message": "unexpected status 503 from upstream"}}))
    assert (found.failed, found.status) == ("unexpected status 503 from upstream", 503)


def test_an_error_that_codex_got_over_is_none() -> None:
    over = ({"type": "error", "message": "stream lost"}, {"type": "turn.completed", "usage": {"input_tokens": 1}})
    assert told.codex(lines(*over)).failed == ""


def test_gemini_sums_the_tokens_of_its_models() -> None:
    stats = {"models": {"pro": {"tokens": {"total": 40}}, "flash": {"tokens": {"total": 2}}}}
    assert told.gemini(json.dumps({"response": "Done.", "stats": stats})) == Told("Done.", tokens=42)


def test_gemini_is_read_behind_lines_of_something_else() -> None:
    assert told.gemini('Loaded cached credentials.\n{\n "response": "Done."\n}\n').text == "Done."


def test_gemini_tells_the_status_of_an_error() -> None:
    found = told.gemini(json.dumps({"error": {"type": "ApiError", "message": "quota", "code": 429}}))
    assert (found.failed, found.status) == ("quota", 429)


def test_opencode_joins_texts_and_sums_steps() -> None:
    step = {"cost": 0.001, "tokens": {"input": 10, "output": 2, "reasoning": 1, "cache": {"read": 5, "write": 0}}}
    found = told.opencode(
        lines(
            {"type": "text", "part": {"text": "a"}},
            {"type": "step_finish", "part": step},
            {"type": "text", "part": {"text": "b"}},
            {"type": "step_finish", "part": step},
        )
    )
    assert found == Told("a\n\nb", cost=0.002, tokens=36)


def test_opencode_tells_an_error_wherever_its_message_stands() -> None:
    error = {"type": "error", "error": {"name": "APIError", "data": {"message": "no credit"}}}
    assert told.opencode(lines(error)).failed == "no credit"


def test_aider_counts_each_message() -> None:
    text = "Hello\n\nTokens: 2.3k sent, 120 received. Cost: $0.01 message, $0.01 session.\n"
    text += "Tokens: 1,100 sent, 30 cache hit, 1M received. Cost: $0.02 message, $0.03 session.\n"
    assert told.aider(text) == Told("Hello\n", cost=0.03, tokens=1_003_520)


AIDER_HEAD = """Analytics have been permanently disabled.
Detected dumb terminal, disabling fancy input and pretty output.

Aider v0.86.2
Main model: openai/gpt-4o with diff edit format
Repo-map: disabled
Added ../home/CONVENTIONS.md to the chat (read-only).

"""


def test_of_aider_the_answer_alone_is_the_answer() -> None:
    said = "Here it is.\n\nf.py\n```python\ndef f():\n    return 1\n```\n"
    news = "\nTokens: 1.0k sent, 50 received. Cost: $0.0030 message, $0.0030 session.\n\nApplied edit to f.py\n"
    assert told.aider(AIDER_HEAD + said + news) == Told(said, cost=0.003, tokens=1050)


def test_aider_ends_well_and_says_that_it_failed() -> None:
    failure = "litellm.AuthenticationError: AuthenticationError: OpenAIException - no such key\nThe API provider is…\n"
    found = told.aider(AIDER_HEAD + failure)
    assert found.text == ""
    assert found.failed == failure.splitlines()[0]
    again = "litellm.RateLimitError: slow down\nRetrying in 0.2 seconds...\nHello\n\nTokens: 1 sent, 2 received.\n"
    assert told.aider(AIDER_HEAD + again).failed == ""


def test_an_error_behind_a_trace_is_found() -> None:
    trace = "Attempt 1 failed {\n  status: 401\n}\n    at f (x.js:1:2) {\n  issues: [\n    {\n    }\n  ]\n}\n"
    told_last = json.dumps({"session_id": "s", "error": {"message": "no such key", "code": 401}}, indent=2)
    found = told.gemini(trace + told_last + "\n")
    assert (found.failed, found.status) == ("no such key", 401)


def test_what_is_in_no_known_format_is_the_answer_itself() -> None:
    for read in (told.claude, told.codex, told.gemini, told.opencode):
        assert read("plain words").text is None


@pytest.mark.parametrize("value", ["-1", "1e400", "NaN", "true", '"0.1"', "null", "[]", "1e9"])
def test_a_cost_that_can_not_be_is_not_known(value: str) -> None:
    assert told.claude('{"type": "result", "result": "x", "total_cost_usd": ' + value + "}").cost is None


JSON = st.recursive(
    st.none() | st.booleans() | st.floats() | st.integers() | st.text(max_size=8),
    lambda inner: (
        st.lists(inner, max_size=3)
        | st.dictionaries(
            st.sampled_from(["type", "item", "part", "error", "message", "usage", "result", "stats", "tokens"]),
            inner,
            max_size=4,
        )
    ),
    max_leaves=12,
)


@given(st.lists(JSON, max_size=3), st.text(max_size=20))
def test_no_reader_ever_raises(values: list[object], before: str) -> None:
    text = before + "\n".join(json.dumps(value) for value in values)
    for read in READERS:
        assert isinstance(read(text), Told)
