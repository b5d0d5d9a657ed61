"""Reads a line that begins with several markers of lists, with tabs, or with a marker and nothing behind it.

Columns are counted as CommonMark 0.31 does (section 2.2): a tab goes on to the next multiple of four.
"""

from __future__ import annotations

import functools
import re
from typing import Literal, NamedTuple

_EOL = r"(?=[\r\n]|\Z)"
_HEAD = re.compile(r"[ \t*+\-_0-9.)#]*+.?", re.DOTALL)
_MARKER = re.compile(rf"(?:[*+-]|([0-9]{{1,9}})[.)])(?:[ \t]+|{_EOL})")
_ACROSS = re.compile(rf"([-*_])[ \t]*(?:\1[ \t]*){{2,}}{_EOL}")
_HEADING = re.compile(rf"#{{1,6}}[ \t]+(?=[^\s#\x00])|(?=#{{1,6}}[ \t]*{_EOL})")
_TAB = 4
_WIDEST = 4  # columns behind a marker; where more are, the text of the item is indented


class Marker(NamedTuple):
    """A marker of a list.

    Attributes:
        indent: column that it stands in.
        inside: column from which on text belongs to its item.
        sign: its bullet, or what stands behind its number.
        interrupts: it may begin a list right behind a line of text.
    """

    indent: int
    inside: int
    sign: str
    interrupts: bool


class Marked(NamedTuple):
    """What a line begins with.

    Attributes:
        start: how many characters stand before what follows the markers.
        column: in which that stands.
        kind: what that is; anything else than a heading or nothing may be text.
        level: of the heading.
    """

    markers: tuple[Marker, ...]
    start: int
    column: int
    kind: Literal["text", "heading", "nothing", "across"]
    level: int = 0


def marked(text: str, at: int) -> Marked:
    """The markers with which the line at an offset begins."""
    found = _HEAD.match(text, at)
    return _marked(found.group() if found else "")


@functools.lru_cache(maxsize=256)
def _marked(head: str) -> Marked:
    """What the head of a line tells: all of it that may belong to markers, and the character behind."""
    start = len(head) - len(head.lstrip(" \t"))
    column = _width(head, 0, start, 0)
    markers: list[Marker] = []
    while not (across := _ACROSS.match(head, start)) and (found := _MARKER.match(head, start)):
        behind = found.end(1) + 1 if found[1] else start + 1
        end = column + behind - start
        following = end + _width(head, behind, found.end(), end)
        empty = found.end() == len(head) or head[found.end()] in "\r\n"
        inside = end + 1 if empty or following - end > _WIDEST else following
        interrupts = not empty and (not found[1] or int(found[1]) == 1)
        markers.append(Marker(column, inside, head[behind - 1], interrupts))
        start, column = found.end(), following
        if empty:
            return Marked(tuple(markers), start, column, "nothing")
        if inside < following:
            return Marked(tuple(markers), start, column, "text")
    if across:
        return Marked(tuple(markers), start, column, "across")
    heading = _HEADING.match(head, start) if markers else None
    if heading and heading.end() == heading.start():
        return Marked(tuple(markers), start, column, "nothing")
    if heading:
        level = len(heading.group().rstrip())
        return Marked(tuple(markers), heading.end(), column, "heading", level)
    return Marked(tuple(markers), start, column, "text")


def _width(text: str, start: int, end: int, column: int) -> int:
    """Columns that white space takes, the first of which is `column`."""
    if text.find("\t", start, end) < 0:
        return end - start
    at = column
    for sign in text[start:end]:
        at += _TAB - at % _TAB if sign == "\t" else 1
    return at - column
