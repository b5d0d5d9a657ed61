"""Findings whole, as an answer on GitHub."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from gate.render import escape
from gate.render.show import show
from gate.schema.verdict import Verdict

MOST = 3
_LONGEST = 12_000


def explain(verdict: Verdict, ids: Sequence[str], documentation: Callable[[str], str]) -> str:
    """The first three of some findings with what their rules find, in Markdown.

    Args:
        documentation: what a rule finds, by its name; our own words.
    """
    findings = {each.id: each for each in verdict.findings}
    parts: list[str] = []
    for name in ids[:MOST]:
        rule = findings[name].rule.value
        parts += [escape.fenced(show(verdict, name), "text", _LONGEST)]
        parts += [f"`{rule}`: {documentation(rule)}"]
    if len(ids) > MOST:
        parts.append(f"{len(ids) - MOST:,} more: ask in another comment.")
    return "\n\n".join(parts)
