"""The comment and the step summary: the one document, shed until it fits."""

from __future__ import annotations

from collections.abc import Callable

from gate.render.budget import COMMENT, SUMMARY, Budget, shedding
from gate.render.form import Form
from gate.render.marker import marker
from gate.render.record import record
from gate.render.sheet import document, shortest
from gate.render.view import View, build_view
from gate.schema.verdict import Verdict

COMMENT_LIMIT = 60_000
"""Characters; GitHub refuses a comment past 65,536."""
SUMMARY_LIMIT = 1_000_000
"""Bytes of UTF-8; a runner drops a step summary past 1 MiB whole."""
SMALLEST = 400
Measure = Callable[[str], int]


def comment(verdict: Verdict, limit: int = COMMENT_LIMIT, *, order: int = 0) -> str:
    """The comment with its marker as the first line, and behind that what its numbers mean.

    Args:
        limit: most characters, `SMALLEST` or more.
        order: number of the run, by which a later run is known.

    Raises:
        ValueError: a limit below `SMALLEST`, which not even marker and headline would keep.
    """
    if limit < SMALLEST:
        raise ValueError(f"a comment needs room for {SMALLEST} characters")
    origin = verdict.provenance
    head = marker(origin.suite, origin.head, origin.attempt, order)
    bound = record(verdict)
    if bound and len(head) + len(bound) + SMALLEST <= limit:
        head = f"{head} {bound}"
    return f"{head}\n{_fitted(build_view(verdict), COMMENT, limit - len(head) - 2)}\n"


def summary(verdict: Verdict) -> str:
    """The step summary: the same document with more rows, below 1 MiB of UTF-8."""
    return _fitted(build_view(verdict), SUMMARY, SUMMARY_LIMIT - 1, measure=_bytes) + "\n"


def _bytes(text: str) -> int:
    return len(text.encode("utf-8"))


def _fitted(view: View, first: Budget, limit: int, measure: Measure = len) -> str:
    form = Form()
    for budget in shedding(first):
        text = document(view, budget, form)
        if measure(text) <= limit:
            return text
    return shortest(view, form)
