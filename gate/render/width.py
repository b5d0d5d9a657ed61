"""Columns of a terminal: how wide text is, cut and padded by what is seen instead of by characters."""

from __future__ import annotations

import unicodedata


def width(text: str) -> int:
    """Columns that a line takes: two for wide East Asian characters and emoji, none for combining marks."""
    if text.isascii():
        return len(text)
    return sum(_columns(character) for character in text)


def _columns(character: str) -> int:
    if unicodedata.combining(character) or unicodedata.category(character) in ("Mn", "Me", "Cf"):
        return 0
    return 2 if unicodedata.east_asian_width(character) in ("W", "F") else 1


def pad(text: str, columns: int) -> str:
    return text + " " * max(columns - width(text), 0)


def wrap(text: str, columns: int, most: int = 4) -> list[str]:
    """At most `most` lines of at most `columns` (4 or more) columns, broken at spaces, else within a path or an id."""
    lines: list[str] = []
    rest = text
    while rest:
        head = _head(rest, columns)
        if len(head) < len(rest) and rest[len(head)] != " ":
            head = head[: _break(head, rest, columns)]
        lines.append(head)
        rest = rest[len(head) :].lstrip(" ")
        if rest and len(lines) == most:
            lines[-1] = _head(lines[-1], columns - 1) + "…"
            break
    return lines or [""]


def _break(head: str, rest: str, columns: int) -> int:
    """Where to end a line: before a word that fits on the next one, after its last separator, else at its end."""
    space = head.rfind(" ")
    if space > len(head) // 2 or (space > 0 and width(rest[space + 1 :].partition(" ")[0]) <= columns):
        return space
    separator = max(head.rfind(character) for character in "/:_[") + 1
    return separator if separator > len(head) // 2 else len(head)


def _head(text: str, columns: int) -> str:
    if text[: columns + 1].isascii():
        return text[:columns]
    taken = used = 0
    for character in text:
        used += _columns(character)
        if used > columns:
            break
        taken += 1
    return text[: max(taken, 1)]
