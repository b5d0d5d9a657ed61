"""Numbers as the table shows them."""

from __future__ import annotations


def ratio(passes: int, trials: int) -> str:
    """`48/50`, or `–` without trials."""
    return f"{passes}/{trials}" if trials else "–"


def percent(part: float, whole: float, digits: int = 1) -> str:
    """`97.0 %`, or `–` of nothing."""
    return f"{100 * part / whole:.{digits}f} %" if whole else "–"


def counted(count: int, one: str, many: str = "") -> str:
    """`1 flip`, `1,204 flips`."""
    return f"{count:,} {one if count == 1 else many or one + 's'}"
