"""Numbers as the table shows them."""

from __future__ import annotations


def ratio(passes: int, trials: int) -> str:
    """`48/50`, or `–` without trials."""
    return f"{passes}/{trials}" if trials else "–"
