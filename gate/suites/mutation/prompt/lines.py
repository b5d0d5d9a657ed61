"""Cuts a paragraph where prompts do and Markdown does not.

Boundaries are a tag alone on its line, a Jinja statement alone on its line, a row of a table, a bullet that Markdown
doesn't know (`•`, `・`, `①`, `2)` in the middle), a label that ends in a colon, and JSON that stands without a fence.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Protocol

from gate.suites.mutation.prompt.model import BlockKind

_SIGNS = "<{[|}]•・‣◦●○■□▪–—①②③④⑤⑥⑦⑧⑨⑩⑪⑫⑬⑭⑮⑯⑰⑱⑲⑳*+-"
_BEGIN = rf"[ \t>]*(?:[{re.escape(_SIGNS)}]|\(?[0-9A-Za-z]{{1,3}}[.)、．]|={{3}})"
_BEGINS = re.compile(_BEGIN)
_SPECIAL = re.compile(rf"[\r\n]{_BEGIN}|[:：][*_ \t]*[\r\n]")
CUT_OUT = rf"(?:[{re.escape(_SIGNS)}]|\(?(?:\d{{1,3}}|[A-Za-z])[.)][ \t]|\d{{1,3}}[、．]|={{3}})"
"""What a line begins with that may be something else than a paragraph though it stands alone."""
_BRACKETED = r"(?P<code>[{\[])"
_LEAD = re.compile(
    rf"[ \t>]*(?:(?P<row>\|)|(?P<tag><)|{_BRACKETED}|(?P<rule>[=_~-])"
    r"|(?P<bullet>[•・‣◦●○■□▪①-⑳*+–—]|\(?(?:\d{1,3}|[A-Za-z])[.)、．]))"
)
_LEAD_WITHOUT_CODE = re.compile(_LEAD.pattern.replace(f"|{_BRACKETED}", ""))
_TAGS = re.compile(r"[ \t>]*(?:</?[A-Za-z_][^<>]{0,200}>[ \t]*)+$")
_CONTROL = re.compile(r"[ \t>]*(?:\{[%#][^{}]{0,300}[%#]\}[ \t]*)+$")
_BULLET = re.compile(
    r"[ \t>]*(?:[•・‣◦●○■□▪①-⑳]|[*+–—-](?=[ \t])|\(?(?:\d{1,3}|[A-Za-z])[.)](?=[ \t])|\d{1,3}[、．])[ \t]*"
)
_OPENS_JSON = re.compile(r"[ \t>]*[{\[](?:[ \t]*$|[ \t]*[\"{\[])")
_CLOSES_JSON = re.compile(r"[ \t>]*[}\]]")
_CLOSING_LINE = re.compile(r"[\r\n][ \t>]*[}\]]")
_BEHIND_LETTER = ("", ".", ")", "、", "．")
_JSON_ENDS = "}] \t,"
_WHOLE_JSON = re.compile(r"[ \t>]*[{\[].*[}\]][ \t,]*$")
_LABEL = re.compile(r"[^.!?。！？]{1,80}[:：][*_ \t]*$")
_LABEL_ENDS = "：:*_ \t"
_UNDERLINE = re.compile(r"[ \t]*[=_~-]{3,}[ \t]*$")


class _Lines(Protocol):
    """Where the lines of a text start and end."""

    starts: list[int]
    ends: list[int]
    text: str

    def at(self, line: int) -> str: ...


Piece = tuple[BlockKind, int, int, int, int]
"""(kind, first line, line after, offset of the text, offset of its end) of a part of a paragraph."""


def pieces(lines: _Lines, first: int, after: int, start: int, kind: BlockKind, *, json: bool = True) -> Iterator[Piece]:
    """The blocks that a paragraph consists of.

    Args:
        start: offset at which the paragraph's text begins in its first line.
        kind: what Markdown took the whole for; the first text has it.
        json: whether JSON without a fence is looked for.
    """
    text, starts, ends = lines.text, lines.starts, lines.ends
    if is_plain(text, start, ends[first], ends[after - 1]):
        yield _piece(lines, kind, first, after, start)
        return
    closes = text.find("}", start, ends[after - 1]) >= 0 or text.find("]", start, ends[after - 1]) >= 0
    lead_of = _LEAD.match if closes else _LEAD_WITHOUT_CODE.match
    closing = _next_closing(lines, first, after) if json and closes else None
    opened, begin, line = first, start, first
    while line < after:
        at = start if line == first else starts[line]
        end = ends[line]
        lead = (
            None
            if text[at : at + 1].isalpha() and text[at + 1 : at + 2] not in _BEHIND_LETTER
            else lead_of(text, at, end)
        )
        if lead is not None:
            until, special = _special(lines, line, at, lead, closing)
            if special is not None:
                if line > opened:
                    yield _piece(lines, kind, opened, line, begin)
                yield _piece(lines, special, line, until, at)
                line = opened = until
                begin = starts[line] if line < after else 0
                kind = "paragraph"
                continue
            listed = lead.lastgroup in ("bullet", "rule") and (line > first or kind == "paragraph")
            marker = _BULLET.match(text, at, end) if listed else None
            if marker and marker.end() < end:
                if line > opened:
                    yield _piece(lines, kind, opened, line, begin)
                opened, begin, kind = line, marker.end(), "item"
        line += 1
        if (
            text[end - 1] in _LABEL_ENDS
            and line < after
            and _LABEL.match(text, begin if opened == line - 1 else at, end)
        ):
            yield _piece(lines, kind, opened, line, begin)
            opened, begin, kind = line, starts[line], "paragraph"
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


def _special(
    lines: _Lines, line: int, at: int, lead: re.Match[str], closing: dict[int, int] | None
) -> tuple[int, BlockKind | None]:
    """What a line is that is no prose, and the line behind it."""
    text, end, until = lines.text, lines.ends[line], line + 1
    sign = lead.lastgroup
    if sign == "row":
        return until, "row"
    if sign == "tag":
        return until, "tag" if _TAGS.match(text, at, end) else None
    if sign == "rule":
        return until, "break" if _UNDERLINE.match(text, at, end) else None
    if sign == "code":
        after = lead.end()
        if text[after : after + 1] in ("%", "#") and text[after - 1] == "{" and _CONTROL.match(text, at, end):
            return until, "control"
        whole = closing is not None and text[end - 1] in _JSON_ENDS and _WHOLE_JSON.match(text, at, end)
        until = until if whole else (closing or {}).get(line, -1) + 1
        return until, "code" if until and _OPENS_JSON.match(text, at, end) else None
    return until, None


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
    text, end = lines.text, lines.ends[after - 1]
    if end > start and text[end - 1].isspace():
        end = start + len(text[start:end].rstrip())
    while start < end and (text[start].isspace() or (text[start] == ">" and kind == "paragraph")):
        start += 1
    return kind, first, after, start, end
