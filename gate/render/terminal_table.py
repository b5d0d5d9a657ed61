"""The view in a terminal: a table that stays aligned, with colour only where the caller says so."""

from __future__ import annotations

from collections.abc import Sequence

from gate.render import agent_section, escape
from gate.render.curve import as_lines, curve_of
from gate.render.escape import no_command
from gate.render.grouping import Row
from gate.render.provenance import links
from gate.render.spans import Line, as_text, text
from gate.render.terminal_diff import diffs
from gate.render.view import Status, View, build_view, undecided_line
from gate.render.width import pad, width, wrap
from gate.render.words import ids, plural
from gate.schema.evidence import Block
from gate.schema.verdict import Level, Verdict

NARROWEST = 40
WIDEST = 200
MOST_ROWS = 60
MOST_CURVES = 5
WORDS = 400
LONGEST_WORD = 16
"""Columns that a word may claim in each cell."""
RED, GREEN, YELLOW, CYAN, BOLD, DIM = "31", "32", "33", "36", "1", "2"
_COLOURS = {
    Status.WORSE: RED,
    Status.SAME: GREEN,
    Status.UNDECIDED: YELLOW,
    Status.WELCOME: CYAN,
    Status.UNJUDGED: RED,
}


def terminal(verdict: Verdict, colour: bool = False, width: int = 100) -> str:
    """A verdict for a terminal of `width` columns (40 to 200 are used), without a trailing newline."""
    columns = min(max(width, NARROWEST), WIDEST)
    view = build_view(verdict)
    lines = [styled(line, f"{BOLD};{_COLOURS[view.status]}", colour) for line in _headline(view, columns)]
    lines += _sentences(view.lead, columns)
    lines += _table(view, columns, colour)
    lines += diffs(verdict.failing, columns)
    lines += _curves(view, columns, colour)
    lines += _scores(view, columns, colour)
    if view.undecided:
        lines += ["", *_sentences([undecided_line(view.undecided)], columns)]
    if view.notices:
        lines += ["", *_sentences([(text(f"Note: {notice}"),) for notice in view.notices], columns)]
    if view.outcome:
        lines += ["", *_sentences(view.outcome, columns)]
    foot = " · ".join(as_text(piece, 80) for piece in view.foot)
    lines += ["", *(styled(line, DIM, colour) for line in wrapped(foot, columns))]
    lines += [styled(f"{label}: {url}", DIM, colour) for label, url in links(verdict)]
    return "\n".join(lines)


def _scores(view: View, columns: int, colour: bool) -> list[str]:
    """A coding agent's dimensions on both sides."""
    scores = view.verdict.scores
    if not scores:
        return []
    rows = [(name, f"{main} → {here}", change) for name, main, here, change, *_ in agent_section.rows(scores)]
    first = max(width(name) for name, *_ in rows)
    lines = [f"  {pad(name, first)}  {sides}, {change}" for name, sides, change in rows]
    told = [part for line in lines for part in wrapped(escape.line(line, WORDS), columns)]
    return ["", styled(agent_section.headline(view.verdict), BOLD, colour), *told]


def styled(line: str, style: str, colour: bool) -> str:
    """A line that no runner obeys, in a colour."""
    safe = no_command(line).rstrip()
    return f"\x1b[{style}m{safe}\x1b[0m" if colour and safe else safe


def wrapped(words: str, columns: int, most: int = 20) -> list[str]:
    """Lines that no runner obeys."""
    return [no_command(line).rstrip() for line in wrap(words, columns, most)]


def _headline(view: View, columns: int) -> list[str]:
    return wrap(f"{view.status.plain} {as_text(view.title, WORDS)}", columns)


def _sentences(lines: Sequence[Line], columns: int) -> list[str]:
    return [part for line in lines for part in wrapped(as_text(line, WORDS), columns)]


def _table(view: View, columns: int, colour: bool) -> list[str]:
    rows = [*view.table, *view.notes]
    if not rows:
        return []
    shown = rows[:MOST_ROWS]
    cells = [_cells(row) for row in shown]
    what, why = view.headings
    header = ["", what, "main", "here", why]
    widths = _widths([header, *cells], columns)
    lines = ["", *(styled(line, BOLD, colour) for line in _laid_out(header, widths))]
    for row, texts in zip(shown, cells, strict=True):
        style = RED if row.fails else YELLOW if row.level is not Level.NOTE else DIM
        lines += _coloured(_laid_out(texts, widths), widths[0], style, colour)
    if len(rows) > len(shown):
        more = sum(len(row.findings) for row in rows[MOST_ROWS:])
        lines += wrapped(f"and {plural(more, 'more finding')}: gate show ID, gate report --format json", columns)
    return lines


def _curves(view: View, columns: int, colour: bool) -> list[str]:
    """Each curve once, with the findings that are points of it; `gate show` has those beyond a few."""
    found: dict[Block, list[str]] = {}
    for finding in view.with_evidence:
        for block in finding.evidence:
            if curve_of(block) is not None:
                found.setdefault(block, []).append(finding.id)
    lines: list[str] = []
    for block, members in list(found.items())[:MOST_CURVES]:
        curve = curve_of(block)
        title = f"{ids(members)}: {escape.terminal(block.title, WORDS)}"
        lines += ["", *(styled(line, BOLD, colour) for line in wrapped(title, columns))]
        lines += as_lines(curve) if curve is not None else []
    return lines


def _coloured(lines: list[str], first: int, style: str, colour: bool) -> list[str]:
    """Only the id is coloured: the rest stays readable on any background."""
    safe = [no_command(line).rstrip() for line in lines]
    if not colour or not safe:
        return safe
    return [f"\x1b[{style}m{safe[0][:first]}\x1b[0m{safe[0][first:]}", *safe[1:]]


def _cells(row: Row) -> list[str]:
    label = ids(row.ids) if row.fails else f"{ids(row.ids)} {_mark(row)}"
    return [label, *(as_text(each, WORDS) for each in (row.what, row.before, row.after, row.why))]


def _mark(row: Row) -> str:
    if row.accepted:
        return "accepted"
    return "main's" if row.known_on_base else row.level.value


def _widths(rows: Sequence[Sequence[str]], columns: int) -> list[int]:
    """Columns of each cell: what it needs, the long ones sharing what is left; a word is kept whole where it can be."""
    needs = [max(width(row[place]) for row in rows) for place in range(5)]
    words = [min(max(_longest_word(row[place]) for row in rows), LONGEST_WORD) for place in range(5)]
    room = columns - 2 * 4
    caps = [16, *(max(room * share // 100, 4) for share in (34, 13, 15, 22))]
    taken = [max(min(need, cap), word) for need, cap, word in zip(needs, caps, words, strict=True)]
    for place in (1, 4, 3, 2):
        spare = room - sum(taken)
        taken[place] += max(min(needs[place] - taken[place], spare), 0)
    while sum(taken) > room:
        above = [place for place in range(5) if taken[place] > words[place]] or list(range(5))
        widest = max(above, key=lambda place: taken[place])
        taken[widest] -= 1
    return taken


def _longest_word(text: str) -> int:
    return max((width(word) for word in text.split(" ")), default=0)


def _laid_out(texts: Sequence[str], widths: Sequence[int]) -> list[str]:
    wrapped_cells = [wrap(words, max(columns, 2)) for words, columns in zip(texts, widths, strict=True)]
    height = max(len(lines) for lines in wrapped_cells)
    laid = []
    for place in range(height):
        parts = [
            pad(lines[place] if place < len(lines) else "", columns)
            for lines, columns in zip(wrapped_cells, widths, strict=True)
        ]
        laid.append("  ".join(parts))
    return laid
