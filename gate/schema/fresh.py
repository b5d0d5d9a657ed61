"""Fresh trials of the base commit and the head, made in one session to confirm suspects and the suite as a whole."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field


@dataclass(frozen=True, slots=True)
class Suspect:
    """A case to confirm: its id on the base and here, which differ where a file was renamed."""

    base: str
    head: str


@dataclass(frozen=True, slots=True)
class Fresh:
    """Fresh trials of both arms.

    Attributes:
        trials: by the head's id, (base, head), one character a trial in order.
        void: why they confirm no suspect, one sentence; else empty.
        calls: trials that were made, also where they are void.
        suite: the same as `trials`, of the cases that confirm a fall of all stochastic tests together: equally many
            of each, made for that alone. Empty where that was not to be confirmed, or could not be.
    """

    trials: Mapping[str, tuple[str, str]] = field(default_factory=dict)
    void: str = ""
    calls: int = 0
    suite: Mapping[str, tuple[str, str]] = field(default_factory=dict)
