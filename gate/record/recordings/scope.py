"""Which case and trial this process is in. One at a time, so that every thread and event loop of it agrees."""

from __future__ import annotations

from functools import lru_cache

from gate.errors import RecordingError
from gate.record.recordings import redact
from gate.record.recordings.exchange import Scope

_OUTSIDE = Scope()
_current = [_OUTSIDE]


def current() -> Scope:
    """The scope of a call that is made now; the empty one outside of a test."""
    return _current[0]


@lru_cache(maxsize=4096)
def refuse_secret(case: str) -> None:
    """Let no case be stored or reported whose id holds what is known as a secret, such as a key that is a parameter.

    Raises:
        RecordingError: it does; the id is told without it.
    """
    plain = redact.text(case, random=False)
    if plain != case:
        raise RecordingError(
            "the id of a test holds what looks like a secret, and would be stored with its answers",
            where=plain,
            remedy='give the parameter an id of its own, `pytest.param(key, id="key")`, or read the key in the test',
        )


class entered:  # noqa: N801  reads like the context manager that it is
    """Make calls belong to a case and a trial until the end of the block; a class, since every trial has one."""

    __slots__ = ("_before", "_scope")

    def __init__(self, scope: Scope) -> None:
        self._scope = scope

    def __enter__(self) -> None:
        self._before = _current[0]
        _current[0] = self._scope

    def __exit__(self, *error: object) -> None:
        _current[0] = self._before
