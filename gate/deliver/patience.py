"""How long to wait before asking again, and when to stop: bounded in attempts and in seconds."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from email.utils import parsedate_to_datetime

ATTEMPTS = 5
TOTAL_SECONDS = 300.0
_MINUTE = 60.0


def is_limit(status: int, headers: Mapping[str, str], said: str) -> bool:
    """Whether an answer is about the rate rather than about permission.

    Args:
        headers: names in any case.
        said: GitHub's message.
    """
    if status == 429:
        return True
    if status != 403 or "not accessible" in said.lower():
        return False
    return "retry-after" in headers or headers.get("x-ratelimit-remaining") == "0" or "rate limit" in said.lower()


def limit_wait(headers: Mapping[str, str], attempt: int, now: float) -> float:
    """Seconds to wait: `retry-after`, else until `x-ratelimit-reset` when nothing remains, else a growing minute.

    Args:
        attempt: from 1.
        now: seconds since 1970.
    """
    asked = _retry_after(headers.get("retry-after", ""), now)
    if asked is None and headers.get("x-ratelimit-remaining") == "0":
        reset = headers.get("x-ratelimit-reset", "")
        asked = float(reset) - now + 1 if reset.isascii() and reset.isdigit() else None
    return max(1.0, asked) if asked is not None else _MINUTE * 2.0 ** (attempt - 1)


def illness_wait(attempt: int) -> float:
    """Seconds after a 5xx answer or a cut connection: 1, 2, 4, 8."""
    return 2.0 ** (attempt - 1)


def _retry_after(value: str, now: float) -> float | None:
    value = value.strip()
    if value.isascii() and value.isdigit():
        return float(value)
    try:
        return parsedate_to_datetime(value).timestamp() - now
    except (ValueError, TypeError, OverflowError):
        return None


class Patience:
    """The wait that is left for one client, over all its requests.

    Args:
        sleep, clock: as in `time`; the clock gives seconds since 1970.
        total: seconds for waiting and for slow answers together.
    """

    def __init__(
        self, sleep: Callable[[float], None], clock: Callable[[], float], total: float = TOTAL_SECONDS
    ) -> None:
        self._sleep = sleep
        self.clock = clock
        self.left = total

    def spend(self, since: float) -> None:
        """Count the time of an answer that began at `since`."""
        self.left -= max(0.0, self.clock() - since)

    def wait(self, seconds: float) -> bool:
        """Wait, unless that is more than is left; says whether it waited."""
        if seconds > self.left:
            return False
        self.left -= seconds
        self._sleep(seconds)
        return True
