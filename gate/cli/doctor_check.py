"""What `gate doctor` says of one thing that it looked at."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

State = Literal["fine", "warning", "problem", "skipped"]


@dataclass(frozen=True, slots=True)
class Check:
    """One thing that was looked at. Texts may come from files of the repository.

    Attributes:
        name: in kebab-case, the same on every machine.
        state: `problem` keeps the gate from working or makes it unsafe; `skipped` could not be looked at here.
        what: what was found, one sentence without a full stop.
        fix: what to do, a command or a line to write; empty where there is nothing to do.
        where: a file; empty where there is no such place.
    """

    name: str
    state: State
    what: str
    fix: str = ""
    where: str = ""
