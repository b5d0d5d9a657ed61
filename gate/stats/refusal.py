"""What a function returns when the data are too few to answer."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class TooLittle:
    """A refusal. It is false, so that `if answer:` never takes it for one.

    Attributes:
        reason: one sentence that says what is missing.
    """

    reason: str

    def __bool__(self) -> bool:
        return False
