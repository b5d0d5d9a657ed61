"""How many tokens a call took, and which model answered, as the answer itself says.

Providers agree on neither names nor sums. Here `input` counts all tokens that went in, those from a cache included, and
`output` all that came out, reasoning included. What an answer doesn't say stays None: unknown is never 0.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any

from gate.record.recordings.exchange import Answer, Request
from gate.record.recordings.payload import messages, model_of_request

Fields = Mapping[str, Any]

_COUNTED = re.compile(rb'"(?:usage(?:Metadata|_metadata)?|meta)"\s*:\s*\{|invocationMetrics|"eval_count"')

# Anthropic and Amazon count what has to do with a cache beside the input; a router that speaks OpenAI's names hands
# such counts on within `prompt_tokens`
_READ_BESIDE = ("cache_read_input_tokens", "cacheReadInputTokens", "cacheReadInputTokenCount")
_READ_WITHIN = (
    *("cachedContentTokenCount", "cached_content_token_count", "prompt_cache_hit_tokens", "total_cached_tokens"),
)


@dataclass(frozen=True, slots=True)
class Usage:
    """Tokens of one call.

    Attributes:
        input: all tokens that went in; None when the answer doesn't say.
        output: all tokens that came out, reasoning included; None when the answer doesn't say.
        cached: those of `input` that were read from a cache, which cost less.
        written: those of `input` that were written to a cache, which may cost more.
        kept: those of `written` that are kept for an hour, not for minutes, and cost more again.
        money: what the answer says that it cost, in USD; None when it doesn't.
        model: the model that answered, as it calls itself; empty when it doesn't say.
        asked: the model that was asked for; empty when the request names none.
        refused: whether the server refused the call with an error, which providers don't charge.
    """

    input: int | None = None
    output: int | None = None
    cached: int = 0
    written: int = 0
    kept: int = 0
    money: float | None = None
    model: str = ""
    asked: str = ""
    refused: bool = False

    @property
    def known(self) -> bool:
        """Whether the answer says how many tokens it took."""
        return self.input is not None or self.output is not None

    @property
    def tokens(self) -> int | None:
        """Tokens in and out; None when the answer says neither."""
        return (self.input or 0) + (self.output or 0) if self.known else None

    @property
    def priced_as(self) -> str:
        """The model whose price holds: the one that answered, else the one that was asked for."""
        return self.model or self.asked


def read_usage(answer: Answer, request: Request | None = None) -> Usage:
    """Tokens and model of one call; never raises, whatever the bodies hold.

    Args:
        answer: as it came, encoded or not; a stream's tokens stand in its last events.
        request: names the model that was asked for, which some answers don't repeat.
    """
    asked = model_of_request(request) if request is not None else ""
    found = list(messages(answer, _COUNTED))
    model = next((name for message in found for name in _models(message) if name), "")
    counts = [fields for message in found for fields in _counts(message)]
    headers = _from_headers(answer)
    merged = _merged([headers, *counts] if headers else counts)
    return _interpreted(merged, model, asked, answer.status >= 400 and not answer.failure)


def _models(message: Fields) -> Iterable[str]:
    """Where an answer, or an event of a stream, names its model."""
    inner = [message.get(name) for name in ("response", "message", "interaction")]
    for place in (message, *(value for value in inner if isinstance(value, dict))):
        for name in ("model", "modelVersion", "model_version"):
            value = place.get(name)
            if isinstance(value, str):
                yield value


def _counts(message: Fields) -> Iterable[Fields]:
    """Where an answer, or an event of a stream, counts its tokens."""
    inner = [message.get(name) for name in ("response", "message", "interaction", "delta", "metadata")]
    for place in (message, *(value for value in inner if isinstance(value, dict))):
        for name in ("usage", "usageMetadata", "usage_metadata", "amazon-bedrock-invocationMetrics"):
            value = place.get(name)
            if isinstance(value, dict):
                yield value
        meta = place.get("meta")  # Cohere's first version
        if isinstance(meta, dict) and ("billed_units" in meta or "tokens" in meta):
            yield meta
        if "eval_count" in place:  # Ollama counts beside the answer
            yield {"prompt_eval_count": place.get("prompt_eval_count"), "eval_count": place["eval_count"]}


def _from_headers(answer: Answer) -> Fields:
    """Bedrock counts in headers where the body is the model's own."""
    names = {
        "x-amzn-bedrock-input-token-count": "inputTokenCount",
        "x-amzn-bedrock-output-token-count": "outputTokenCount",
    }
    found = ((names.get(name.lower(), ""), value) for name, value in answer.headers)
    return {name: int(value) for name, value in found if name and re.fullmatch(r"[0-9]{1,12}", value)}


def _merged(counts: Iterable[Fields]) -> dict[str, Any]:
    """Counts of all events of a stream as one: they are running totals, so the last one of a name holds."""
    merged: dict[str, Any] = {}
    for fields in counts:
        merged.update({name: value for name, value in fields.items() if value is not None})
    return merged


def _interpreted(fields: dict[str, Any], model: str, asked: str, refused: bool) -> Usage:
    billed = fields.get("billed_units")
    if isinstance(billed, dict) and _number(billed, "input_tokens", "output_tokens") is not None:  # Cohere
        fields = {**billed}
    elif isinstance(fields.get("tokens"), dict):
        fields = {**fields["tokens"]}
    cached = _cached(fields)
    written = _number(fields, "cache_creation_input_tokens", "cacheWriteInputTokens", "cacheWriteInputTokenCount") or 0
    creation = fields.get("cache_creation")
    kept = _number(creation, "ephemeral_1h_input_tokens") or 0 if isinstance(creation, dict) else 0
    went_in = _input(fields)
    if went_in is not None and "prompt_tokens" not in fields:
        went_in += (_number(fields, *_READ_BESIDE) or 0) + written
    whole = went_in or 0
    return Usage(
        input=went_in,
        output=_output(fields),
        cached=min(cached, whole),
        written=min(written, whole),
        kept=min(kept, written),
        money=_money(fields),
        model=model,
        asked=asked,
        refused=refused,
    )


def _input(fields: Fields) -> int | None:
    """Tokens that went in, as one number; what Google counts beside the prompt is added."""
    found = _number(
        fields,
        *("prompt_tokens", "input_tokens", "promptTokenCount", "prompt_token_count", "inputTokens"),
        *("inputTokenCount", "total_input_tokens", "prompt_eval_count"),
    )
    if found is None:
        return None
    beside = _number(fields, "toolUsePromptTokenCount", "tool_use_prompt_token_count", "total_tool_use_tokens")
    return found + (beside or 0)


def _output(fields: Fields) -> int | None:
    """Tokens that came out; Google counts thoughts beside the answer, the others within it."""
    found = _number(
        fields,
        *("completion_tokens", "output_tokens", "candidatesTokenCount", "candidates_token_count", "outputTokens"),
        *("outputTokenCount", "total_output_tokens", "eval_count"),
    )
    thoughts = _number(fields, "thoughtsTokenCount", "thoughts_token_count", "total_thought_tokens")
    if found is None and thoughts is None:
        went_in, total = _input(fields), _number(fields, "total_tokens", "totalTokenCount", "totalTokens")
        return total - went_in if went_in is not None and total is not None and total >= went_in else None
    return (found or 0) + (thoughts or 0)


def _cached(fields: Fields) -> int:
    """Tokens that were read from a cache."""
    beside = _number(fields, *_READ_BESIDE)
    if beside is not None:
        return beside
    for name in ("prompt_tokens_details", "input_tokens_details"):
        details = fields.get(name)
        found = _number(details, "cached_tokens") if isinstance(details, dict) else None
        if found is not None:
            return found
    return _number(fields, *_READ_WITHIN) or 0


def _money(fields: Fields) -> float | None:
    """Some routers say what a call cost, in USD."""
    cost = fields.get("cost")
    if isinstance(cost, dict):
        cost = cost.get("total_cost")
    if isinstance(cost, bool) or not isinstance(cost, int | float) or not 0 <= cost < 1e6:
        return None
    return float(cost)


def _number(fields: Fields, *names: str) -> int | None:
    """The first of these that is a count; a count is a whole number from 0."""
    for name in names:
        value = fields.get(name)
        if isinstance(value, float) and value.is_integer():
            value = int(value)
        if isinstance(value, int) and not isinstance(value, bool) and 0 <= value < 10**12:
            return value
    return None
