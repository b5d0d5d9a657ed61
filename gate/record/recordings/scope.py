"""Which case and trial this process is in. One at a time, so that every thread and event loop of it agrees."""

from __future__ import annotations

import contextlib
from collections.abc import Iterator

from gate.record.recordings.exchange import Scope

_OUTSIDE = Scope()
_current = [_OUTSIDE]


def current() -> Scope:
    """The scope of a call that is made now; the empty one outside of a test."""
    return _current[0]


@contextlib.contextmanager
def entered(scope: Scope) -> Iterator[None]:
    """Make calls belong to a case and a trial until the end of the block."""
    before = _current[0]
    _current[0] = scope
    try:
        yield
    finally:
        _current[0] = before
