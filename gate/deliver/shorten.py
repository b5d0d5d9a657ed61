"""Cuts a comment that GitHub finds too long, at a line, so that its marker and its Markdown stay whole."""

from __future__ import annotations

import re

LIMITS = (60_000, 30_000, 8_000)
"""Lengths in characters to try, one after the other."""
NOTE = "*Cut here, since GitHub refused the length. The step summary holds the whole text.*"
_FENCE = re.compile(r"^ {0,3}(`{3,}|~{3,})")


def cut(text: str, limit: int) -> str:
    """The first lines of a text, at most `limit` characters long, with open fences and details closed and a note.

    The first line, which holds the marker, is always kept. A text within the limit is returned as it is.
    """
    if len(text) <= limit:
        return text
    kept: list[str] = []
    room = limit - len(NOTE) - 100
    for line in text.split("\n"):
        room -= len(line) + 1
        if kept and room < 0:
            break
        kept.append(line)
    while True:
        made = "\n".join([*kept, *_closing(kept), "", NOTE])
        if len(made) <= limit or len(kept) == 1:
            return made
        kept.pop()


def _closing(lines: list[str]) -> list[str]:
    fence, depth = "", 0
    for line in lines:
        found = _FENCE.match(line)
        if found and not fence:
            fence = found[1]
        elif found and found[1].startswith(fence) and not line.strip().strip(fence[0]):
            fence = ""
        elif not fence:
            depth += line.count("<details") - line.count("</details>")
    return ([fence] if fence else []) + ["", "</details>"] * max(0, depth)
