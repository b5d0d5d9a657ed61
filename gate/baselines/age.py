"""How old something is, in words."""

from __future__ import annotations

_UNITS = (("year", 365 * 86_400), ("month", 30 * 86_400), ("day", 86_400), ("hour", 3600), ("minute", 60))


def in_words(then: int | None, now: float) -> str:
    """`2 days old` from two Unix times in seconds; `just made` below a minute or in the future; empty when unknown."""
    if then is None:
        return ""
    seconds = now - then
    for name, length in _UNITS:
        count = int(seconds // length)
        if count >= 1:
            return f"{count:,} {name}{'s' if count > 1 else ''} old"
    return "just made"
