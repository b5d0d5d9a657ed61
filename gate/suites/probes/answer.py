"""What an agent gave for one prompt."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import StrEnum


class Ended(StrEnum):
    """How the call of an agent ended."""

    ANSWERED = "answered"
    EMPTY = "empty"
    """It ended well and said nothing."""
    TIMED_OUT = "timed out"
    FLOODED = "flooded"
    """It wrote more than it may."""
    CRASHED = "crashed"
    NOT_STARTED = "not started"
    INFRASTRUCTURE = "infrastructure error"
    """Its provider could not be reached, was overloaded or refused for the rate; says nothing about the agent."""


@dataclass(frozen=True, slots=True)
class Answer:
    """One answer; every text in it is untrusted.

    Attributes:
        text: what it said; undecodable bytes are replaced.
        files: what it wrote into its working folder and was not there before, or differs, by relative path.
        ended: how the call ended; `message` says more where it did not end well.
        exit_code: of a command; None over HTTP or where it was stopped.
        seconds: how long it took; never compared.
        cost: USD, where the agent tells it.
        tokens: in and out together, where the agent tells them.
        round: from 1; a probe of error recovery asks up to three times.
        models: that answered, as they call themselves, where they are known.
    """

    text: str = ""
    files: Mapping[str, str] = field(default_factory=dict)
    ended: Ended = Ended.ANSWERED
    exit_code: int | None = None
    message: str = ""
    seconds: float = 0.0
    cost: float | None = None
    tokens: int | None = None
    round: int = 1
    models: tuple[str, ...] = ()
