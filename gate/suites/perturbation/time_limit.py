"""A limit of time, after which a sweep ends with what it has measured."""

from __future__ import annotations

import math
from collections.abc import Callable


class TimeUpError(Exception):
    """The time ended inside one measurement, whose text says how far it came: `40,000 of 300,000 rows`."""


class TimeLimit:
    """Seconds from now on.

    Args:
        seconds: infinite for no limit.
        clock: seconds of a clock that never goes back, such as `time.monotonic`.
    """

    def __init__(self, seconds: float = math.inf, clock: Callable[[], float] = lambda: 0.0) -> None:
        self.seconds = seconds
        self._clock = clock
        self._end = clock() + seconds

    @property
    def over(self) -> bool:
        """Whether the time has ended."""
        return self._clock() >= self._end


FOREVER = TimeLimit()
