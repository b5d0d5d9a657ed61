"""What goes wrong, on demand: each fault applies to the next requests that it matches, in the order of adding."""

from __future__ import annotations

import re
import threading
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Literal

from tests.support.github.state import State

Cut = Literal["", "before", "after", "midway"]


@dataclass
class Fault:
    """One deviation.

    Attributes:
        method, path: which requests; `path` is searched for as a regular expression in path and query.
        times: how many requests it applies to; -1 for all.
        status: answer this instead of acting; 0 acts.
        headers, message: of that answer.
        extra: headers added to the true answer.
        raw: a body that no GitHub sends, as from a proxy; it is not checked.
        cut: close the connection before acting, after acting without an answer, or midway in the answer.
        delay: seconds before acting.
        together: hold the answers until so many requests have acted, so that none has seen what another does next.
        text: which requests by what their body holds.
        after: wait for this before acting.
        first: called before acting, for what happens in between.
    """

    method: str = ""
    path: str = ""
    times: int = 1
    status: int = 0
    headers: Mapping[str, str] = field(default_factory=dict)
    message: str = "injected"
    extra: Mapping[str, str] = field(default_factory=dict)
    raw: bytes | None = None
    cut: Cut = ""
    delay: float = 0.0
    together: int = 0
    text: str = ""
    after: threading.Event | None = None
    first: Callable[[State], None] | None = None
    barrier: threading.Barrier | None = None

    def __post_init__(self) -> None:
        if self.together:
            self.barrier = threading.Barrier(self.together)
            self.times = self.together

    def matches(self, method: str, target: str, body: str) -> bool:
        if self.times == 0 or self.method not in ("", method) or self.text not in body:
            return False
        return re.search(self.path, target) is not None


class Faults:
    """The faults of one server."""

    def __init__(self) -> None:
        self._list: list[Fault] = []
        self._lock = threading.Lock()

    def add(self, fault: Fault) -> Fault:
        with self._lock:
            self._list.append(fault)
        return fault

    def clear(self) -> None:
        with self._lock:
            self._list.clear()

    def take(self, method: str, target: str, body: str) -> Fault | None:
        """The first fault that matches, counted down."""
        with self._lock:
            for fault in self._list:
                if fault.matches(method, target, body):
                    fault.times -= 1 if fault.times > 0 else 0
                    return fault
        return None


def rate_limit(seconds: int, status: int = 403, method: str = "", times: int = 1) -> Fault:
    """The secondary limit: an answer with `retry-after`."""
    message = "You have exceeded a secondary rate limit. Please wait a few minutes before you try again."
    return Fault(method, times=times, status=status, headers={"retry-after": str(seconds)}, message=message)


def exhausted(reset: int, status: int = 403, method: str = "", times: int = 1) -> Fault:
    """The primary limit: nothing remains until a moment in seconds since 1970."""
    headers = {"x-ratelimit-remaining": "0", "x-ratelimit-reset": str(reset)}
    message = "API rate limit exceeded for installation."
    return Fault(method, times=times, status=status, headers=headers, message=message)
