"""How long to wait before a trial that a provider refused is made again."""

from __future__ import annotations

import datetime as dt
import time
from collections.abc import Callable
from email.utils import parsedate_to_datetime
from typing import Any

FIRST = 0.5
"""Seconds before the second attempt where the provider names none; each further one waits twice as long."""
LONGEST = 30.0
"""Seconds at most, whatever the provider asks for: it may name the end of the day."""


TOGETHER = 120.0
"""Seconds without an answer after which nothing is waited for: the service is gone, and other trials will say so."""


class Pauses:
    """Waits between attempts.

    Args:
        sleep: waits so many seconds; `time.sleep` by default.
    """

    def __init__(self, sleep: Callable[[float], object] | None = None) -> None:
        self._sleep = sleep
        self._failed = 0
        self._waited = 0.0

    def answered(self) -> None:
        """An attempt was answered: the next refusal is a first one again."""
        self._failed, self._waited = 0, 0.0

    def refused(self, asked: float | None) -> None:
        """Wait as long as the provider asks, else longer each time in a row; see `LONGEST` and `TOGETHER`.

        Args:
            asked: seconds by the provider's own word, see `asked_for`.
        """
        growing = FIRST * 2.0 ** min(self._failed, 16)
        self._failed += 1
        seconds = min(growing if asked is None else asked, LONGEST, TOGETHER - self._waited)
        if seconds > 0:
            self._waited += seconds
            (self._sleep or time.sleep)(seconds)


def asked_for(error: BaseException, now: Callable[[], dt.datetime] = lambda: dt.datetime.now(dt.UTC)) -> float | None:
    """Seconds that an answer such as 429 or 503 asks to wait, as its error carries it; None where it says nothing.

    Read are `retry-after-ms`, and `retry-after` as seconds or as a date (RFC 9110, section 10.2.3), of the headers
    that requests, httpx, urllib, aiohttp and the clients built on them keep.

    Args:
        now: the time in UTC, for a date.
    """
    if isinstance(error, BaseExceptionGroup):
        found = [each for each in (asked_for(one, now) for one in error.exceptions) if each is not None]
        return max(found, default=None)
    for holder in (getattr(error, "response", None), error):
        headers = getattr(holder, "headers", None)
        if headers is None or not hasattr(headers, "get"):
            continue
        milliseconds = _number(_value(headers, "retry-after-ms"))
        if milliseconds is not None:
            return milliseconds / 1000
        text = _value(headers, "retry-after")
        seconds = _number(text)
        return seconds if seconds is not None else _until(text, now)
    return None


def _value(headers: Any, name: str) -> str:
    """A header; a plain dict is looked through for any spelling."""
    found = headers.get(name)
    if found is None and isinstance(headers, dict):
        found = next((value for key, value in headers.items() if str(key).lower() == name), None)
    return found if isinstance(found, str) else ""


def _number(text: str) -> float | None:
    """A number of at least 0 in ASCII digits."""
    plain = text.strip()
    return float(plain) if plain.isascii() and plain.replace(".", "", 1).isdigit() else None


def _until(text: str, now: Callable[[], dt.datetime]) -> float | None:
    try:
        date = parsedate_to_datetime(text)
    except (ValueError, TypeError):
        return None
    whole = date if date.tzinfo is not None else date.replace(tzinfo=dt.UTC)
    return max((whole - now()).total_seconds(), 0.0)
