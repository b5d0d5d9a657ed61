"""What a replacement tells at its end."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from gate.errors import UsageError


@dataclass(slots=True)
class Replacement:
    """`disturbed` after the block: the test itself had put something else in the place meanwhile."""

    disturbed: bool = False


def changed_text(change: str | Callable[[str], str], text: str, where: str) -> str:
    """The other prompt.

    Raises:
        UsageError: it is no text.
    """
    new = change if isinstance(change, str) else change(text)
    if not isinstance(new, str):
        raise UsageError(f"the replacement is {type(new).__name__}, not a text", where=where, remedy="give a text")
    return new
