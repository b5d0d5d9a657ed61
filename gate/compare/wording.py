"""Numbers as the table shows them."""

from __future__ import annotations

from gate.schema.verdict import CaseDecision


def ratio(passes: int, trials: int) -> str:
    """`48/50`, or `–` without trials."""
    return f"{passes}/{trials}" if trials else "–"


def points(change: float) -> str:
    """`−5.2 points` of a change given as a fraction."""
    return f"{100 * change:+.1f} points".replace("-", "−")


def why_decided(decision: CaseDecision) -> str:
    """Which test decided, with its attained level where it has one, and the limit."""
    how = {
        "both arms": "fresh trials of both sides, ",
        "pooled": "with fresh trials of main, ",
        "floor": "absolute floor, ",
    }
    level = f"level {decision.level:.2g}, " if decision.level is not None else ""
    return f"{how.get(decision.how, '')}{level}limit {decision.limit:.2g}"


def percent(part: float, whole: float, digits: int = 1) -> str:
    """`97.0 %`, or `–` of nothing."""
    return f"{100 * part / whole:.{digits}f} %" if whole else "–"


def counted(count: int, one: str, many: str = "") -> str:
    """`1 flip`, `1,204 flips`."""
    return f"{count:,} {one if count == 1 else many or one + 's'}"
