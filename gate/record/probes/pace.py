"""When the next call may leave, when a failed one is tried again, and how long all of it will take."""

from __future__ import annotations

import threading
from collections.abc import Callable

from gate.errors import UsageError

RETRIES = 4
_FIRST_PAUSE = 2.0
_LONGEST_PAUSE = 60.0


class Rate:
    """Spreads calls evenly, from any thread.

    Args:
        a_minute: most calls a minute; 0 for no limit.
        clock: gives seconds; sleep: waits for some.

    Raises:
        UsageError: the rate is negative or no number.
    """

    def __init__(self, a_minute: float, *, clock: Callable[[], float], sleep: Callable[[float], object]) -> None:
        if not 0 <= a_minute < float("inf"):
            raise UsageError(f"can't be {a_minute}", where="rate", remedy="give calls a minute, 0 for no limit")
        self._pause = 60.0 / a_minute if a_minute else 0.0
        self._clock = clock
        self._sleep = sleep
        self._next = 0.0
        self._turn = threading.Lock()

    def wait(self) -> None:
        """Come back when the next call may leave."""
        if not self._pause:
            return
        with self._turn:
            now = self._clock()
            at = max(self._next, now)
            self._next = at + self._pause
        if at > now:
            self._sleep(at - now)


def pause_before(attempt: int) -> float:
    """Seconds before a call is tried again: 2, 4, 8, 16.

    Args:
        attempt: from 1, of the one that failed.
    """
    return float(min(_FIRST_PAUSE * 2 ** (attempt - 1), _LONGEST_PAUSE))


class Progress:
    """Says how many of how many are done, at most so often.

    Args:
        total: how many there are.
        say: told a line.
        clock: gives seconds.
        every: seconds between two lines.
    """

    def __init__(
        self, total: int, *, say: Callable[[str], object], clock: Callable[[], float], every: float = 10.0
    ) -> None:
        self._total = total
        self._say = say
        self._clock = clock
        self._every = every
        self._began = self._told = clock()
        self._asked = 0
        self.done = 0

    def step(self, *, asked: bool) -> None:
        """One more is done.

        Args:
            asked: whether the agent was; what is on the record takes no time, and says nothing of what is to come.
        """
        self.done += 1
        self._asked += asked
        now = self._clock()
        if now - self._told >= self._every or self.done == self._total:
            self._told = now
            self._say(self.line())

    def line(self) -> str:
        """`37 of 200, 12.3 a minute, 13 min left`."""
        line = f"{self.done:,} of {self._total:,} probes"
        seconds = self._clock() - self._began
        if not self._asked or seconds <= 0:
            return line
        rate = self._asked / seconds
        line += f", {60 * rate:.1f} a minute"
        left = self._total - self.done
        return f"{line}, {_duration(left / rate)} left" if left else line


def _duration(seconds: float) -> str:
    if seconds < 90:
        return f"{max(seconds, 1):.0f} s"
    return f"{seconds / 60:.0f} min" if seconds < 5400 else f"{seconds / 3600:.1f} h"
