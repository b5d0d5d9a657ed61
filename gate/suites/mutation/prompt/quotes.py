"""A part of a prompt in which every line is quoted: what is quoted is read as a text of its own."""

from __future__ import annotations

import re

_PART = re.compile(r"((?:>(?:\S|[ ])*+(?:\r\n?|\n|\Z))++)[ \r\n]*")
_MARKS = re.compile(r"(?:(?<=\A)|(?<=\n)|(?<=\r)(?!\n))> ?")


def unquoted(part: str) -> str | None:
    """What a part quotes, or None where a line is not quoted; blank lines at its end may be.

    None as well with white space that is no plain one: how wide a tab is depends on what stands before it.
    """
    found = _PART.fullmatch(part)
    return _MARKS.sub("", found[1]) if found else None


def marks(part: str) -> list[int]:
    """How many characters `unquoted` takes away in each line."""
    return [len(mark) for mark in _MARKS.findall(part)]
