"""What differs between two folders of recordings: answers that came, went, or say something else."""

from __future__ import annotations

import difflib
import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any, Literal

from gate.record.recordings.differences import sentences
from gate.record.recordings.entry import Entry
from gate.record.recordings.exchange import Answer
from gate.record.recordings.payload import messages, parsed, readable
from gate.record.recordings.store import Store

_MOST_LINES = 200
_CONTEXT = 2
_FLEETING = frozenset(
    {
        *("id", "created", "created_at", "completed_at", "request_id", "response_id", "responseId", "toolUseId"),
        *("tool_use_id", "usage", "usageMetadata", "metrics", "system_fingerprint", "service_tier", "provider"),
        *("x_groq", "avgLogprobs", "signature", "thoughtSignature", "encrypted_content"),
    }
)


@dataclass(frozen=True, slots=True)
class Change:
    """One answer that differs.

    Attributes:
        kind: `added`, `removed` or `changed`.
        case: whose call it is; empty outside of a test.
        trial: of the case.
        n: which answer to this request it is, from 0.
        key: digest of the request.
        text: what else changed in a few words: the status or the model; may be empty.
        diff: lines of a unified diff of what the two answers say; empty unless changed.
    """

    kind: Literal["added", "removed", "changed"]
    case: str
    trial: int
    n: int
    key: str
    text: str = ""
    diff: str = ""


def changes(before: Store, after: Store) -> tuple[Change, ...]:
    """All differences, by case, trial and request; failures on the way are left out.

    Raises:
        RecordingError: a file is damaged.
    """
    old, new = _answers(before), _answers(after)
    return tuple(
        _change(place, old.get(place), new.get(place))
        for place in sorted(old.keys() | new.keys())
        if _differs(old.get(place), new.get(place))
    )


def said(answer: Answer) -> str:
    """What an answer says, to be read by a person: a model's text and calls of tools, else its JSON, else its text."""
    spoken = "".join(_spoken(message) for message in messages(answer))
    if spoken:
        return spoken
    body = readable(answer.headers, answer.body)
    value = parsed(body)
    if value is not None:
        return json.dumps(value, ensure_ascii=False, indent=1, sort_keys=True)
    try:
        return body.decode("utf-8")
    except UnicodeDecodeError:
        return f"{len(body):,} bytes that are no text"


def _answers(store: Store) -> dict[tuple[str, int, str, int], Entry]:
    return {(entry.case, entry.trial, entry.key, entry.n): entry for entry in store.entries() if not entry.failed}


def _differs(old: Entry | None, new: Entry | None) -> bool:
    if old is None or new is None:
        return True
    if (old.answer.status, old.meta.model) != (new.answer.status, new.meta.model):
        return True
    return old.answer.body != new.answer.body and _essence(old.answer) != _essence(new.answer)


def _essence(answer: Answer) -> str:
    """An answer without what differs each time it is asked for: ids, times and counts of tokens."""
    value = parsed(readable(answer.headers, answer.body))
    return said(answer) if value is None else json.dumps(_lasting(value), sort_keys=True)


def _lasting(value: Any) -> Any:
    if isinstance(value, dict):
        return {name: _lasting(each) for name, each in value.items() if name not in _FLEETING}
    return [_lasting(each) for each in value] if isinstance(value, list) else value


def _change(place: tuple[str, int, str, int], old: Entry | None, new: Entry | None) -> Change:
    case, trial, key, n = place
    if old is None or new is None:
        return Change("added" if old is None else "removed", case, trial, n, key)
    told = [
        f"{name} {was or 'none'} → {now or 'none'}"
        for name, was, now in (
            ("status", str(old.answer.status), str(new.answer.status)),
            ("model", old.meta.model, new.meta.model),
        )
        if was != now
    ]
    return Change("changed", case, trial, n, key, ", ".join(told), _diff(said(old.answer), said(new.answer)))


def _diff(old: str, new: str) -> str:
    lines = difflib.unified_diff(_lines(old), _lines(new), lineterm="", n=_CONTEXT)
    return "\n".join(list(lines)[2:])


def _lines(text: str) -> list[str]:
    lines = sentences(text)
    return lines[:_MOST_LINES] + ([f"… {len(lines) - _MOST_LINES:,} more lines"] if len(lines) > _MOST_LINES else [])


def _spoken(message: Mapping[str, Any]) -> str:
    """Text of an answer or of an event of a stream, as the common providers place it."""
    return "".join(_texts(message))


def _texts(message: Mapping[str, Any]) -> Iterator[str]:
    for choice in _dicts(message.get("choices")):  # OpenAI, Mistral and most routers
        for name in ("message", "delta"):
            yield from _content(choice.get(name))
            for call in _dicts(_get(choice.get(name), "tool_calls")):
                yield from _call(call.get("function"), "arguments")
        yield from _string(choice.get("text"))
    for candidate in _dicts(message.get("candidates")):  # Google
        yield from _content({"content": _get(candidate.get("content"), "parts")})
    yield from _content(message)  # Anthropic
    yield from _call(message.get("content_block"), "")
    for output in _dicts(message.get("output")):  # OpenAI's responses
        yield from _content(output)
        yield from _call(output, "arguments")
    yield from _content(_get(message.get("output"), "message"))  # Amazon
    yield from _content(message.get("message"))  # Cohere
    delta = message.get("delta")
    if isinstance(delta, dict):
        yield from _string(delta.get("text"))
        yield from _string(delta.get("partial_json"))
    elif str(message.get("type")) in ("response.output_text.delta", "response.function_call_arguments.delta"):
        yield from _string(delta)


def _content(place: Any) -> Iterator[str]:
    content = _get(place, "content")
    yield from _string(content)
    for part in _dicts(content):
        yield from _string(part.get("text"))
        yield from _call(part, "input")
        yield from _call(part.get("toolUse"), "input")
        yield from _call(part.get("functionCall"), "args")


def _call(place: Any, arguments: str) -> Iterator[str]:
    """A call of a tool, whole or a piece of one from a stream: its name, then its arguments as JSON."""
    name, given = _get(place, "name"), _get(place, arguments)
    if isinstance(name, str):
        yield f"\n→ {name} "
    yield from _string(given if isinstance(given, str) or given is None else json.dumps(given, sort_keys=True))


def _get(place: Any, name: str) -> Any:
    return place.get(name) if isinstance(place, dict) else None


def _dicts(value: Any) -> Iterator[dict[str, Any]]:
    return (each for each in value if isinstance(each, dict)) if isinstance(value, list) else iter(())


def _string(value: Any) -> Iterator[str]:
    if isinstance(value, str):
        yield value
