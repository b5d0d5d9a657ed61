"""One figure of a sweep that must hold, as a line of JSON."""

from __future__ import annotations

import json
from dataclasses import dataclass
from typing import Any

from benchmarks.stats.line import rounded


@dataclass(frozen=True, slots=True)
class Line:
    """One line.

    Attributes:
        item: number of what it must show; 0 for none of its own.
        what: the figure, in words.
        found: figures by what they are of.
        limit: what they must reach or not exceed, as `what` says.
        holds: whether they do; None where the line only tells.
    """

    item: int
    what: str
    found: Any
    limit: Any = None
    holds: bool | None = None

    @staticmethod
    def of(printed: dict[str, Any]) -> Line:
        """A line that another process printed, in this form or in one of its own."""
        if {"item", "what", "found"} <= set(printed):
            return Line(printed["item"], printed["what"], printed["found"], printed["limit"], printed["holds"])
        what = next((key for key in ("closed form", "share of known flips") if key in printed), "known flips found")
        item = 4 if what == "closed form" else 3
        return Line(item, what, printed, holds=printed.get("holds"))

    def __str__(self) -> str:
        told = {key: getattr(self, key) for key in ("item", "what", "found", "limit", "holds")}
        return json.dumps(rounded(told), ensure_ascii=False)
