"""Which case and trial a call belongs to.

This process is in one at a time, so that every thread and event loop of it agrees. The exception is work that a test
has started and that may outlive it, see `threads`: that asks in the name of the test for as long as it lasts.
"""

from __future__ import annotations

import contextlib
import sys
import threading
from collections.abc import Iterator
from contextvars import ContextVar
from functools import lru_cache
from typing import NamedTuple

from gate.errors import RecordingError
from gate.record.recordings import redact
from gate.record.recordings.exchange import Scope


class Place(NamedTuple):
    """Where this process is.

    Attributes:
        scope: the case and the trial.
        shared: whether what is started here works for others too: outside of a test, and in a fixture of wider scope.
    """

    scope: Scope
    shared: bool = True


_OUTSIDE = Place(Scope())
_current = [_OUTSIDE]
_task: ContextVar[Place] = ContextVar("gate_scope", default=_OUTSIDE)
_judge: ContextVar[str] = ContextVar("gate_judge", default="")
_judges: list[str] = []
_strays: set[Scope] = set()


class _Bound(threading.local):
    """The scope of what a thread does now, None where it works for whoever is in a test; and for which judge."""

    scope: Scope | None = None
    judge: str = ""


_bound = _Bound()


def current() -> Scope:
    """The scope of a call that is made now; the empty one outside of a test."""
    mine, now = _bound.scope, _current[0].scope
    if mine is None:
        return now
    if _in_event_loop():  # which others may have given this task to
        place = _task.get()
        mine = mine if place is _OUTSIDE else now if place.shared else place.scope
    if mine.case != now.case:
        _strays.add(mine)
    return mine


def starting() -> Scope | None:
    """The scope that work which is started now is bound to; None where it works for others too."""
    if _bound.scope is not None:
        return current()
    place = _current[0]
    return None if place.shared else place.scope


@contextlib.contextmanager
def bound(scope: Scope, judge: str = "") -> Iterator[None]:
    """Make calls of this thread belong to a case and a trial until the end of the block, whichever test runs.

    Args:
        judge: for which it asks; empty for none.
    """
    before = _bound.scope, _bound.judge
    _bound.scope, _bound.judge = scope, judge
    try:
        yield
    finally:
        _bound.scope, _bound.judge = before


def judging() -> str:
    """The judge for which a call is made now; empty for none.

    A thread or task of a test knows by itself. Whoever works for others, such as the proxy, asks for the judge that any
    of them is within.
    """
    mine = _judge.get()
    if mine or _task.get() is not _OUTSIDE:
        return mine
    if _bound.scope is not None:
        return _bound.judge
    return _judges[-1] if _judges else ""


@contextlib.contextmanager
def judged_by(judge: str) -> Iterator[None]:
    """Make calls be those of a judge until the end of the block, in whatever it starts too."""
    token = _judge.set(judge)
    _judges.append(judge)
    try:
        yield
    finally:
        _judges.remove(judge)
        _judge.reset(token)


def strays() -> list[Scope]:
    """Scopes in which something was asked while this process was in another case, sorted."""
    return sorted(_strays.copy(), key=lambda scope: (scope.case, scope.trial))


def forget_strays() -> None:
    """A run begins."""
    _strays.clear()


def _in_event_loop() -> bool:
    events = sys.modules.get("asyncio.events")
    return events is not None and events._get_running_loop() is not None


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
    """Make calls belong to a case and a trial until the end of the block; a class, since every trial has one.

    Args:
        shared: whether what is started within works for others too, such as a server that a fixture starts.
    """

    __slots__ = ("_before", "_outer", "_within")

    def __init__(self, scope: Scope, *, shared: bool = False) -> None:
        self._within = Place(scope, shared)

    def __enter__(self) -> None:
        self._before, self._outer = _current[0], _task.get()
        _current[0] = self._within
        _task.set(self._within)

    def __exit__(self, *error: object) -> None:
        _current[0] = self._before
        _task.set(self._outer)
