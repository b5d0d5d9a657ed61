"""Calls of models and what they cost: of the whole run, and of the tests that made most of them."""

from __future__ import annotations

from collections.abc import Sequence

from gate.render import escape
from gate.render.page_html import table
from gate.render.words import CENT, plural
from gate.schema.report import Calls, Case
from gate.schema.verdict import Verdict

MOST_ROWS = 20
_HEADS = ("calls replayed", "calls live", "tokens", "spent, USD", "saved, USD", "without a price", "without an answer")


def calls(verdict: Verdict, cases: Sequence[Case] = ()) -> str:
    """The section's body as HTML; empty where nothing was called and no trial has a price.

    Args:
        cases: what was measured, where that is at hand.
    """
    parts = []
    if verdict.calls != Calls():
        parts.append(table("Calls of the whole run", ("of", *_HEADS), [("whole run", *_row(verdict.calls))]))
    budget = verdict.budget
    if budget.cost >= CENT:
        parts.append(
            f"<p>{plural(budget.made, 'trial')}, about {budget.cost:,.2f} USD at the price in the settings.</p>"
        )
    found = [(case, case.calls) for case in cases if case.calls is not None and case.calls != Calls()]
    found.sort(key=lambda each: (-each[1].money, -each[1].live, -each[1].replayed, each[0].id))
    if found:
        rows = [(f"<code>{escape.html(case.id, 200)}</code>", *_row(each)) for case, each in found[:MOST_ROWS]]
        more = len(found) - MOST_ROWS
        hidden = f"<p>and {plural(more, 'more test')} with fewer</p>" if more > 0 else ""
        parts.append(table("Calls by test", ("test", *_HEADS), rows) + hidden)
    return "\n".join(parts)


def _row(found: Calls) -> tuple[str, ...]:
    return (
        f"{found.replayed:,}",
        f"{found.live:,}",
        f"{found.tokens:,}",
        f"{found.money:,.2f}",
        f"{found.saved:,.2f}",
        f"{found.unpriced:,}",
        f"{found.missing:,}",
    )
