"""Processes that a suite leaves behind, also those that left its process group; on Linux only."""

from __future__ import annotations

import contextlib
import ctypes
import os
import signal
import sys
from collections.abc import Iterator
from pathlib import Path

_PR_SET_CHILD_SUBREAPER = 36
_ROUNDS = 20


@contextlib.contextmanager
def ended_afterwards() -> Iterator[None]:
    """While it is open, orphans of this process's children become its own children; at the end they are killed.

    A daemon that called `setsid` leaves every group, but not this line of descent. Elsewhere than on Linux nothing
    happens: the process group must do.
    """
    if not _adopt_orphans(True):
        yield
        return
    known = set(_children())
    try:
        yield
    finally:
        _end_others(known)
        _adopt_orphans(False)


def _adopt_orphans(wanted: bool) -> bool:
    if not sys.platform.startswith("linux"):
        return False
    try:
        return bool(ctypes.CDLL(None).prctl(_PR_SET_CHILD_SUBREAPER, int(wanted), 0, 0, 0) == 0)
    except (OSError, AttributeError):
        return False


def _end_others(known: set[int]) -> None:
    """Kill and reap the children that were not there before, and again those whom they leave."""
    for _ in range(_ROUNDS):
        others = [child for child in _children() if child not in known]
        if not others:
            return
        for child in others:
            with contextlib.suppress(OSError):
                os.kill(child, signal.SIGKILL)
            with contextlib.suppress(OSError):
                os.waitpid(child, 0)


def _children() -> list[int]:
    """This process's own children, each thread's."""
    found: list[int] = []
    with contextlib.suppress(OSError):
        for thread in Path("/proc/self/task").iterdir():
            with contextlib.suppress(OSError):
                found += [int(child) for child in (thread / "children").read_text().split()]
    return found
