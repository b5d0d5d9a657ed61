"""Answers as lines of JSON."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from gate.suites.probes.answer import Answer, Ended

VERSION = 1
HEADER = {"gate-probe-answers": VERSION}


@dataclass(frozen=True, slots=True, order=True)
class Key:
    """Which answer: of which probe in which version, by which agent, in which sample and round.

    Attributes:
        digest: of the probe's content.
        agent: digest of the agent's identity.
    """

    probe: str
    digest: str
    agent: str
    sample: int
    round: int


@dataclass(frozen=True, slots=True)
class Kept:
    """An answer with its key.

    Attributes:
        by_hand: who brought it; empty where the agent was asked.
    """

    key: Key
    answer: Answer
    by_hand: str = ""


class DamagedError(ValueError):
    """A line is no line of a journal."""


def encode(kept: Kept) -> bytes:
    """One line, ASCII, with its end; what is as by default is left out."""
    key, answer = kept.key, kept.answer
    fields: dict[str, Any] = {
        "probe": key.probe,
        "digest": key.digest,
        "agent": key.agent,
        "sample": key.sample,
        "round": key.round,
        "ended": answer.ended.value,
        "text": answer.text,
    }
    optional = {
        "files": dict(answer.files),
        "exit": answer.exit_code,
        "message": answer.message,
        "seconds": answer.seconds,
        "cost": answer.cost,
        "tokens": answer.tokens,
        "models": list(answer.models),
        "by": kept.by_hand,
    }
    fields |= {name: value for name, value in optional.items() if value not in (None, "", [], {})}
    return _line(fields)


def encode_agent(digest: str, name: str, identity: Mapping[str, str]) -> bytes:
    """A line that says who a digest is."""
    return _line({"identity": digest, "name": name, **identity})


def encode_whole(agent: str) -> bytes:
    """A line that says that a run came to its end, so that the next one asks anew."""
    return _line({"whole": agent})


def header() -> bytes:
    """The first line of a file."""
    return _line(HEADER)


def decode(line: bytes) -> dict[str, Any]:
    """The fields of a line.

    Raises:
        DamagedError: it is no object of JSON.
    """
    try:
        fields = json.loads(line)
    except (ValueError, RecursionError):
        raise DamagedError("is no JSON") from None
    if not isinstance(fields, dict):
        raise DamagedError("is no object")
    return fields


def kept_of(fields: Mapping[str, Any]) -> Kept:
    """The answer of a line's fields.

    Raises:
        DamagedError: a field is missing, or of another kind.
    """
    try:
        answer = Answer(
            text=_of(fields["text"], str),
            files={_of(path, str): _of(text, str) for path, text in fields.get("files", {}).items()},
            ended=Ended(fields["ended"]),
            exit_code=_or_none(fields.get("exit"), int),
            message=_of(fields.get("message", ""), str),
            seconds=float(_of(fields.get("seconds", 0.0), int | float)),
            cost=_or_none(fields.get("cost"), int | float),
            tokens=_or_none(fields.get("tokens"), int),
            round=_of(fields["round"], int),
            models=tuple(_of(model, str) for model in fields.get("models", [])),
        )
        names = [_of(fields[name], str) for name in ("probe", "digest", "agent")]
        key = Key(names[0], names[1], names[2], _of(fields["sample"], int), answer.round)
        return Kept(key, answer, _of(fields.get("by", ""), str))
    except (KeyError, ValueError, TypeError, AttributeError) as error:
        raise DamagedError(f"is no answer: {type(error).__name__}") from None


def _line(fields: Mapping[str, Any]) -> bytes:
    return json.dumps(fields, ensure_ascii=True, allow_nan=False, separators=(",", ":")).encode("ascii") + b"\n"


def _of(value: Any, kind: Any) -> Any:
    if not isinstance(value, kind) or isinstance(value, bool):
        raise TypeError
    return value


def _or_none(value: Any, kind: Any) -> Any:
    return None if value is None else _of(value, kind)
