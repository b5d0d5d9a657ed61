"""What the results depend on, before and after: a line of what came from outside, and the table of all."""

from __future__ import annotations

from gate.render import escape
from gate.render.provenance import HEADINGS, outside, short
from gate.render.spans import Line, bold, code, own, separated, text
from gate.render.words import plural
from gate.schema.verdict import Verdict


def outside_line(verdict: Verdict) -> Line:
    """`Changed outside: package numpy 1.26.4 → 2.1.0; processor …`; empty where nothing was found to blame it for.

    Machines of a continuous integration differ from run to run, which is no news where everything holds.
    """
    if not verdict.findings:
        return ()
    changed = [(name, pair) for name, pair in ordered(verdict) if outside(verdict, name)]
    if not changed:
        return ()
    parts: list[Line] = [
        (text(name), own(" "), code(short(before)), own(" → "), code(short(after)))
        for name, (before, after) in changed[:HEADINGS]
    ]
    more: Line = (own(f"; and {len(changed) - HEADINGS:,} more"),) if len(changed) > HEADINGS else ()
    return (bold("Changed outside:"), own(" "), *separated(parts, "; "), *more, own("."))


def ordered(verdict: Verdict) -> list[tuple[str, tuple[str, str]]]:
    """What changed, by name as (main, here); what this pull request can have set comes first."""
    return sorted(verdict.fingerprints_changed.items(), key=lambda each: (outside(verdict, each[0]), each[0]))


def section(verdict: Verdict, rows: int, words: int) -> tuple[str, str]:
    """Title and Markdown table of every fingerprint that differs, at most `rows` of them."""
    changed = ordered(verdict)
    lines = ["| what | whose | main | here |", "|---|---|---|---|"]
    for name, (before, after) in changed[:rows]:
        whose = "outside" if outside(verdict, name) else "here"
        sides = (escape.code(short(side), words) for side in (before, after))
        lines.append(f"| {' | '.join([escape.cell(name, words), whose, *sides])} |")
    more = len(changed) - rows
    table = "\n".join([*lines, *([f"\nand {more:,} more"] if more > 0 else [])])
    return f"What changed: {plural(len(changed), 'difference')}", table
