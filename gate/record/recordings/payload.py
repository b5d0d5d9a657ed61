"""What stands in the bodies of calls to models, as JSON objects: whole answers, event streams, lines, binary frames."""

from __future__ import annotations

import base64
import binascii
import json
import re
import struct
import urllib.parse
from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from gate.record.recordings.bodies import UnreadableError, decoded, media_type
from gate.record.recordings.exchange import Answer, Headers, Request

FIRST = 3  # events of a stream, one of which names the model
_ANY = re.compile(b"")
LARGEST = 64 * 1024 * 1024  # bytes of a decoded body that are looked into
_MODEL_NAMES = ("model", "modelId", "model_id")
_MOST_OUTPUT = (
    *("max_completion_tokens", "max_output_tokens", "max_tokens", "max_tokens_to_sample"),
    *("maxOutputTokens", "maxTokens", "num_predict"),
)
_ANSWERS = (
    "n",
    "best_of",
    "candidateCount",
    "candidate_count",
    "num_generations",
    "numResults",
    "num_return_sequences",
)
_OPTIONS = ("generationConfig", "generation_config", "inferenceConfig", "options", "parameters")


def readable(headers: Headers, body: bytes) -> bytes:
    """A body without its content encodings; as it is where they can't be undone, for clients may hand a body on decoded
    with the header left as it was."""
    try:
        return decoded(headers, body)
    except UnreadableError:
        return body


def messages(answer: Answer, wanted: re.Pattern[bytes] = _ANY) -> Iterator[Mapping[str, Any]]:
    """The JSON objects that an answer sends, in order: one for a plain answer, one an event for a stream.

    Understands JSON, arrays of objects, server-sent events, JSON lines and the binary frames of Amazon's event streams.
    What is no JSON is passed over.

    Args:
        wanted: of a stream's events, the first `FIRST` and those in which this is found are read; all by default.
    """
    body = readable(answer.headers, answer.body)
    if not body or len(body) > LARGEST:
        return
    if media_type(answer.headers) == "application/vnd.amazon.eventstream":
        yield from _from_frames(body)
        return
    whole = parsed(body) if body.lstrip()[:1] in (b"{", b"[") else None
    if whole is None:
        lines = (line for place, line in enumerate(_lines(body)) if place < FIRST or wanted.search(line))
        yield from _objects(map(parsed, lines))
    else:
        yield from _objects(whole if isinstance(whole, list) else [whole])


def parsed(data: bytes | str) -> Any:
    """JSON of any depth and size, or None for what is none."""
    try:
        return json.loads(data)
    except (ValueError, RecursionError):
        return None


def _objects(values: Iterable[Any]) -> Iterator[Mapping[str, Any]]:
    return (value for value in values if isinstance(value, dict))


def _lines(body: bytes) -> Iterator[bytes]:
    """Data of server-sent events (WHATWG HTML, section 9.2.6), or the lines of JSON lines."""
    data: list[bytes] = []
    for line in body.replace(b"\r\n", b"\n").replace(b"\r", b"\n").split(b"\n"):
        if line.startswith(b"data:"):
            data.append(line[5:].removeprefix(b" "))
            continue
        if data:
            yield b"\n".join(data)
            data = []
        if line.startswith(b"{"):
            yield line
    if data:
        yield b"\n".join(data)


def _from_frames(body: bytes) -> Iterator[Mapping[str, Any]]:
    """Payloads of Amazon's event stream frames: two lengths and a checksum, headers, payload, a checksum."""
    place = 0
    while place + 16 <= len(body):
        whole, heads = struct.unpack_from(">II", body, place)
        if whole < 16 + heads or place + whole > len(body):
            return
        payload = parsed(body[place + 12 + heads : place + whole - 4])
        if isinstance(payload, dict):
            yield from _unwrapped(payload)
        place += whole


def _unwrapped(payload: dict[str, Any]) -> Iterator[Mapping[str, Any]]:
    """The model's own event, which Bedrock carries as base64 in `bytes`; else the payload itself."""
    inner = payload.get("bytes")
    if not isinstance(inner, str):
        yield payload
        return
    try:
        event = parsed(base64.b64decode(inner, validate=True))
    except (binascii.Error, ValueError):
        return
    if isinstance(event, dict):
        yield event


def request_fields(request: Request) -> Mapping[str, Any]:
    """Body of a request as a JSON object; empty for what is none."""
    body = readable(request.headers, request.body)
    if not body or len(body) > LARGEST or body.lstrip()[:1] != b"{":
        return {}
    found = parsed(body)
    return found if isinstance(found, dict) else {}


def model_of_request(request: Request) -> str:
    """The model that is asked for: in the body, else in the path (`/models/NAME:action`, `/model/NAME/action`)."""
    fields = request_fields(request)
    for name in _MODEL_NAMES:
        value = fields.get(name)
        if isinstance(value, str) and value:
            return value
    try:
        path = urllib.parse.urlsplit(request.url).path
    except ValueError:
        return ""
    parts = path.split("/")
    for place, part in enumerate(parts[:-1]):
        if part in ("models", "model", "deployments"):
            return _without_action(urllib.parse.unquote(parts[place + 1]))
    return ""


def _without_action(name: str) -> str:
    """Google puts the action behind the last colon; Amazon's versions have one too, followed by a digit."""
    model, colon, action = name.rpartition(":")
    return model if colon and action[:1].isalpha() else name


def most_output(request: Request) -> int | None:
    """How many tokens a request lets come out at most in one answer; None when it sets no limit.

    Of several limits the highest, since nobody knows which one a server heeds.
    """
    return max(_counts(request_fields(request), _MOST_OUTPUT), default=None)


def answers_asked(request: Request) -> int:
    """How many answers one request asks for: so many of each of its prompts; at least 1."""
    fields = request_fields(request)
    prompts = fields.get("prompt")
    if not isinstance(prompts, list) or not all(isinstance(each, str | list) for each in prompts):
        prompts = []  # one prompt, maybe as a list of tokens
    return max(_counts(fields, _ANSWERS), default=1) * max(len(prompts), 1)


def _counts(fields: Mapping[str, Any], names: Iterable[str]) -> list[int]:
    """Values of these names that are whole numbers from 1, at the top and where providers put their options."""
    inner = (fields.get(name) for name in _OPTIONS)
    places = (fields, *(value for value in inner if isinstance(value, dict)))
    return [value for place in places for name in names if (value := _count(place.get(name))) > 0]


def _count(value: Any) -> int:
    """A whole number, also where it is written as `8.0` or `"8"`, which some servers read; else 0."""
    if isinstance(value, str) and re.fullmatch(r"[0-9]{1,12}", value):
        return int(value)
    if isinstance(value, float) and value.is_integer():
        return int(value)
    return value if isinstance(value, int) and not isinstance(value, bool) else 0


def model_of_shown(shown: Mapping[str, Any]) -> str:
    """The model that a stored request asks for, from its description (`canonical.Key.shown`); empty for none."""
    body = shown.get("body")
    text = body.get("json", "") if isinstance(body, dict) else ""
    url, text = shown.get("url", ""), text if isinstance(text, str) else ""
    return model_of_request(Request("", url if isinstance(url, str) else "", (), text.encode("utf-8", "replace")))
