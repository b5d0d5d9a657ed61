"""Cuts a paragraph where prompts do and Markdown does not.

Boundaries are a tag alone on its line, a Jinja statement alone on its line, a row of a table, a bullet that Markdown
doesn't know (`•`, `・`, `①`, `2)` in the middle), a label that ends in a colon, and JSON that stands without a fence.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import NamedTuple, Protocol

from gate.suites.mutation.prompt.model import BlockKind

_SIGNS = "<{[|}]•・‣◦●○■□▪–—①②③④⑤⑥⑦⑧⑨⑩⑪⑫⑬⑭⑮⑯⑰⑱⑲⑳*+-"
BEGIN = rf"(?:[{re.escape(_SIGNS)}]|\(?[0-9A-Za-z]{{1,3}}[.)、．]|={{3}})"
"""What the first line of a text begins with that may be cut out of a paragraph."""
_BEGINS = re.compile(rf"[ \t>]*{BEGIN}")
_SPECIAL = re.compile(rf"[\r\n][ \t>]*{BEGIN}|[:：][*_ \t]*[\r\n]")
_LEAD = re.compile(r"[ \t>]*(?P<sign>[<|{\[=_~-])")
_TAGS = re.compile(r"[ \t>]*(?:</?[A-Za-z_][^<>]{0,200}>[ \t]*)+$")
_CONTROL = re.compile(r"[ \t>]*(?:\{[%#][^{}]{0,300}[%#]\}[ \t]*)+$")
_BULLET = re.compile(
    r"[ \t>]*(?:[•・‣◦●○■□▪①-⑳]|[*+–—-](?=[ \t])|\(?(?:\d{1,3}|[A-Za-z])[.)](?=[ \t])|\d{1,3}[、．])[ \t]*"
)
_OPENS_JSON = re.compile(r"[ \t>]*[{\[](?:[ \t]*$|[ \t]*[\"{\[])")
_CLOSES_JSON = re.compile(r"[ \t>]*[}\]]")
_CLOSING_LINE = re.compile(r"[\r\n][ \t>]*[}\]]")
_WHOLE_JSON = re.compile(r"[ \t>]*[{\[].*[}\]][ \t,]*$")
_LABEL = re.compile(r"[^.!?。！？]{1,80}[:：][*_ \t]*$")
_LABEL_ENDS = "：:*_ \t"
_BRACKET = re.compile(r"[{\[]")
_UNDERLINE = re.compile(r"[ \t]*[=_~-]{3,}[ \t]*$")


class _Lines(Protocol):
    """Where the lines of a text start and end."""

    starts: list[int]
    ends: list[int]
    text: str

    def at(self, line: int) -> str: ...


class Piece(NamedTuple):
    """Lines `first` up to `after` of a paragraph, with the text from `start` to `end`."""

    kind: BlockKind
    first: int
    after: int
    start: int
    end: int


def pieces(lines: _Lines, first: int, after: int, start: int, kind: BlockKind, *, json: bool = True) -> Iterator[Piece]:
    """The blocks that a paragraph consists of.

    Args:
        start: offset at which the paragraph's text begins in its first line.
        kind: what Markdown took the whole for; the first text has it.
        json: whether JSON without a fence is looked for.
    """
    if is_plain(lines.text, start, lines.ends[first], lines.ends[after - 1]):
        yield _piece(lines, kind, first, after, start)
        return
    text, ends = lines.text, lines.ends
    closing = _next_closing(lines, first, after) if json and _BRACKET.search(text, start, ends[after - 1]) else None
    line, opened, begin = first, first, start
    while line < after:
        at = start if line == first else lines.starts[line]
        special = _special(lines, line, at, closing)
        if special is not None:
            if line > opened:
                yield _piece(lines, kind, opened, line, begin)
            found, until = special
            yield found
            line = opened = until
            begin = lines.starts[line] if line < after else 0
            kind = "paragraph"
            continue
        marker = _BULLET.match(text, at, ends[line]) if line > first or kind == "paragraph" else None
        if marker and marker.end() < ends[line]:
            if line > opened:
                yield _piece(lines, kind, opened, line, begin)
            opened, begin, kind = line, marker.end(), "item"
        label = line + 1 < after and text[ends[line] - 1] in _LABEL_ENDS
        if label and _LABEL.match(text, begin if opened == line else at, ends[line]):
            yield _piece(lines, kind, opened, line + 1, begin)
            opened, begin, kind = line + 1, lines.starts[line + 1], "paragraph"
        line += 1
    if opened < after:
        yield _piece(lines, kind, opened, after, begin)


def is_plain(text: str, start: int, line_end: int, end: int) -> bool:
    """Whether a paragraph is one block.

    Args:
        line_end: where its first line ends.
    """
    if _BEGINS.match(text, start, line_end):
        return False
    return end == line_end or not _SPECIAL.search(text, start, end)


def _special(lines: _Lines, line: int, at: int, closing: dict[int, int] | None) -> tuple[Piece, int] | None:
    """A block that is no prose, and the line after it."""
    text, end = lines.text, lines.ends[line]
    lead = _LEAD.match(text, at, end)
    sign = lead["sign"] if lead else ""
    kind: BlockKind | None = None
    until = line + 1
    if sign == "<":
        kind = "tag" if _TAGS.match(text, at, end) else None
    elif sign == "|":
        kind = "row"
    elif sign in ("{", "["):
        if sign == "{" and _CONTROL.match(text, at, end):
            kind = "control"
        elif closing is not None and _OPENS_JSON.match(text, at, end):
            until = until if _WHOLE_JSON.match(text, at, end) else closing.get(line, -1) + 1
            kind = "code" if until else None
    elif sign:
        kind = "break" if _UNDERLINE.match(text, at, end) else None
    return None if kind is None else (_piece(lines, kind, line, until, at), until)


def _next_closing(lines: _Lines, first: int, after: int) -> dict[int, int]:
    """For each line that opens JSON, the line that closes it: the first closing bracket that is indented no deeper."""
    found: dict[int, int] = {}
    if not _CLOSING_LINE.search(lines.text, lines.starts[first], lines.ends[after - 1]):
        return found
    waiting: list[tuple[int, int]] = []
    for line in range(first, after):
        shown = lines.at(line)
        indent = len(shown) - len(shown.lstrip(" \t>"))
        if _CLOSES_JSON.match(shown):
            while waiting and waiting[-1][0] >= indent:
                found[waiting.pop()[1]] = line
        elif _OPENS_JSON.match(shown):
            waiting.append((indent, line))
    return found


def _piece(lines: _Lines, kind: BlockKind, first: int, after: int, start: int) -> Piece:
    text = lines.text
    end = start + len(text[start : lines.ends[after - 1]].rstrip())
    while start < end and (text[start].isspace() or (text[start] == ">" and kind == "paragraph")):
        start += 1
    return Piece._make((kind, first, after, start, end))
