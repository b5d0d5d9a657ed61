"""One comment of several suites: a section each, between hidden lines, so that one is changed without the others."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable
from dataclasses import dataclass

from gate.render.marker import Marker, parse_marker

FIRST = "<!-- robustness-gate-joined:1 -->"
_END = "<!-- robustness-gate:end -->"
_OURS = re.compile(r"<!--(\s*robustness-gate)", re.IGNORECASE)
_LINES = re.compile(r"\r?\n")
_APART = "\n\n---\n\n"


@dataclass(frozen=True, slots=True)
class Section:
    """What one suite says: its marker, and its text with that marker as the first line."""

    marker: Marker
    text: str


def section(body: str) -> Section | None:
    """A section of a suite's comment; None where that has no marker.

    The comment says for which suite it is. A line that looks like one of our hidden ones, such as a message of a test
    may have, can end no section.
    """
    marker = parse_marker(body)
    if marker is None:
        return None
    first, _, rest = body.partition("\n")
    shown = _OURS.sub(r"<!‐-\1", rest.rstrip())
    return Section(marker, f"{first.rstrip()}\n**Suite `{marker.suite}`**\n\n{shown}")


def compose(sections: Iterable[Section], limit: int, shorten: Callable[[str, int], str]) -> str:
    """The joined comment, in the order of the suites' names, at most so many characters long.

    Args:
        limit: characters; where they are more, each section longer than an equal share is cut.
        shorten: makes a text at most so many characters long, its first line kept.
    """
    ordered = sorted(sections, key=lambda each: each.marker.suite)
    texts = [each.text for each in ordered]
    room = limit - len(FIRST) - len(ordered) * (len(_END) + len(_APART) + 2)
    if sum(map(len, texts)) > room:
        share = room // len(texts)  # and not what others leave: a text that was cut once is cut alike again
        texts = [shorten(text, share) if len(text) > share else text for text in texts]
    return FIRST + "\n" + _APART.join(f"{text}\n{_END}" for text in texts) + "\n"


def sections_of(body: str) -> dict[str, Section] | None:
    """Sections of a joined comment by suite; None where the text is none. A part that can't be read is left out."""
    lines = _LINES.split(body)
    if lines[0] != FIRST:
        return None
    found: dict[str, Section] = {}
    opened: list[str] | None = None
    for line in lines[1:]:
        if opened is None and parse_marker(line) is not None:
            opened = [line]
        elif opened is not None and line == _END:
            text = "\n".join(opened)
            marker = parse_marker(text)
            if marker is not None:
                found[marker.suite] = Section(marker, text)
            opened = None
        elif opened is not None:
            opened.append(line)
    return found
