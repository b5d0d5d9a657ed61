"""Findings whole, as an answer on GitHub."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from gate.render import escape
from gate.render.show import show
from gate.schema.verdict import Verdict

MOST = 3
_LONGEST = 12_000


def explain(verdict: Verdict, ids: Sequence[str], documentation: Callable[[str], str]) -> str:
    """The first three of some findings, each rule's documentation behind its first, in Markdown.

    Args:
        documentation: of a rule, by its name; our own Markdown.
    """
    findings = {each.id: each for each in verdict.findings}
    parts: list[str] = []
    told: set[str] = set()
    for name in ids[:MOST]:
        rule = findings[name].rule.value
        parts += [escape.fenced(show(verdict, name), "text", _LONGEST)]
        if rule not in told:
            told.add(rule)
            parts += [f"**What `{rule}` means**", documentation(rule)]
    if len(ids) > MOST:
        parts.append(f"{len(ids) - MOST:,} more: ask in another comment.")
    return "\n\n".join(parts)
