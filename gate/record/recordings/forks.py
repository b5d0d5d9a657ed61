"""What must be whole when a process forks: locks that no thread holds, and state that both sides share from then on."""

from __future__ import annotations

import os
import threading
import weakref
from typing import Protocol


class Shared(Protocol):
    """Something with a lock. Threads take those of a lower rank first, so a fork does so too."""

    rank: int
    lock: threading.RLock

    def before_fork(self) -> None:
        """Called with the lock held."""


_shared: weakref.WeakSet[Shared] = weakref.WeakSet()
_held: list[Shared] = []


def protect(shared: Shared) -> None:
    """Hold the lock of `shared` while this process forks, for as long as the object lives."""
    _shared.add(shared)


def _before() -> None:
    for shared in sorted(_shared, key=lambda each: (each.rank, id(each))):
        shared.lock.acquire()
        _held.append(shared)
    for shared in _held:
        shared.before_fork()


def _after() -> None:
    while _held:
        _held.pop().lock.release()


if hasattr(os, "register_at_fork"):
    os.register_at_fork(before=_before, after_in_parent=_after, after_in_child=_after)
