"""How often something happens, as people write it: `1 a month`, `40 per week`."""

from __future__ import annotations

import re
from dataclasses import dataclass

_DAYS = {"day": 1.0, "week": 7.0, "month": 365.25 / 12, "quarter": 365.25 / 4, "year": 365.25}
_SHAPE = re.compile(r"\s*(\d+(?:\.\d+)?)\s*(?:a|an|per|/)\s*(day|week|month|quarter|year)s?\s*", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class Frequency:
    """Events a day."""

    a_day: float


def parse_frequency(text: str) -> Frequency:
    """Read `N a day|week|month|quarter|year`; a month is a twelfth of 365.25 days.

    Raises:
        ValueError: another shape, or a count of zero.
    """
    found = _SHAPE.fullmatch(text)
    if found is None or not float(found[1]):
        raise ValueError("write it as `1 a month`: a number above 0, then a day, week, month, quarter or year")
    return Frequency(float(found[1]) / _DAYS[found[2].lower()])
