"""Long stretches of a prompt that need no Markdown parser: plain paragraphs and simple lists, found line by line.

The parser asks eight rules about every line, which takes seconds for a megabyte of short ones. Where all lines of a
stretch begin like text, or like an item of a list that is not indented, and a blank line stands before it, what the
parser would say is known. `tests/properties` hold both against each other.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Literal

FEWEST = 64
"""Lines; for less it is not worth to cut a text in pieces."""

_TEXT = r"[^\s#>*+\-_=~`0-9\x00][^\r\n]*"  # nothing that begins a block of another kind
_ITEM = rf"[*+-][ ]{_TEXT}"
_END = r"(?:\r\n?|\n)"
_STRETCH = re.compile(rf"(?<![^\r\n])(?!(?<=\r)\n)(?:(?:{_TEXT}|{_ITEM}|[ \t]*+){_END})++(?:{_TEXT}\Z|{_ITEM}\Z)?")
_LINE_END = re.compile(_END)
_PARAGRAPH = re.compile(rf"{_TEXT}(?:{_END}{_TEXT})*+")
_LINE = re.compile(rf"(?P<blank>[ \t]*+)(?P<mark>[*+-] )?(?P<text>{_TEXT})?(?P<end>{_END}|\Z)")


@dataclass(frozen=True, slots=True)
class Known:
    """One block of a stretch: its text begins at `start`, and its line end, if any, behind `end`.

    Attributes:
        opens: a list begins with it.
    """

    kind: Literal["paragraph", "item"]
    start: int
    end: int
    opens: bool = False


def stretches(text: str) -> Iterator[tuple[int, int, list[Known], bool]]:
    """(start, end, blocks, goes on) of every stretch in order.

    Start and end are where lines begin, or the end of the text; what follows goes on with the stretch's last list where
    an item of that is the first thing behind its end.
    """
    if "```" in text or "~~~" in text:  # a fence may reach over anything
        return
    for found in _STRETCH.finditer(text):
        if len(_LINE_END.findall(text, *found.span())) < FEWEST:
            continue
        first = _safe_start(text, *found.span())
        if first is not None:
            blocks, end, goes_on = _blocks(text, first, found.end())
            if blocks:
                yield first, end, blocks, goes_on


def _safe_start(text: str, start: int, end: int) -> int | None:
    """Where in a stretch a paragraph begins that ends every list before it; the start of the text is as good."""
    if start == 0:
        return 0
    blank = False
    while start < end:
        line = _LINE.match(text, start, end)
        if line is None or line.end() == start:
            return None
        if line["text"] is None:
            blank = True
        elif blank and line["mark"] is None:
            return start
        else:
            blank = False
        start = line.end()
    return None


def _blocks(text: str, start: int, end: int) -> tuple[list[Known], int, bool]:
    """The blocks from a safe start on, and where they end: before the last one, which may go on behind the stretch."""
    found: list[Known] = []
    kept, until = 0, start
    mark, blank = "", True
    at = start
    while at < end:
        line = _LINE.match(text, at, end)
        if line is None or line.end() == at:
            break
        if line["text"] is None:
            if line["mark"] is not None:
                break
            blank, at = True, line.end()
            continue
        sign = line["mark"] or ""
        if line["blank"] or (not sign and mark and not blank):
            break  # indented, or a line that goes on with the item before it
        kept, until = len(found), at
        if sign:
            found.append(Known("item", line.start("text"), line.end("text"), opens=sign != mark))
            at = line.end()
        else:
            paragraph = _PARAGRAPH.match(text, at, end)
            if paragraph is None:
                break
            found.append(Known("paragraph", at, paragraph.end()))
            at = paragraph.end()
            at += 2 if text.startswith("\r\n", at) else 1 if at < len(text) else 0
        mark, blank = sign, False
    if at >= len(text):
        return found, len(text), False
    goes_on = kept < len(found) and found[kept].kind == "item" and not found[kept].opens
    return found[:kept], until, goes_on
