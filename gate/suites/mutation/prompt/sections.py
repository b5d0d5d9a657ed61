"""Sections: a heading, a label such as `Rules:` or an opening tag, with all that it governs."""

from __future__ import annotations

import functools
import re
from collections.abc import Iterator, Mapping, Sequence

from gate.suites.mutation.prompt.model import Block, Section, Span, span_of

_LABEL_LEVEL = 7  # below every heading
_TAG = re.compile(r"<(/?)([A-Za-z_][\w.:-]*)([^<>]{0,200}?)(/?)>")
_BOLD_LABEL = re.compile(r"(?:\*\*|__)[^*_\r\n]{0,80}[^*_\r\n.!?。！？](?:\*\*|__)[:：]?$")
_BRACKETED = re.compile(r"(?:\[[^\]\r\n{}]{1,60}\]|【[^】\r\n]{1,60}】|={2,}[^=\r\n]{1,60}={2,})[:：]?$")
_LONGEST_LABEL = 80
_LABELS = ("paragraph", "item")
_LABEL_ENDS = (*":：*_]】= ", "")  # most blocks end with none of them, and need no further look


def sections_of(text: str, blocks: Sequence[Block], labels: Mapping[int, str]) -> list[Section]:
    """Sections in the order in which they begin.

    Args:
        labels: as `labels_of` finds them.
    """
    found, tags = _by_headings(text, blocks, labels), list(_by_tags(text, blocks))
    return sorted([*found, *tags], key=lambda one: (one.span.start, -one.span.end)) if tags else found


def labels_of(text: str, blocks: Sequence[Block]) -> dict[int, str]:
    """By its place, the title that a block is: a short line that ends in a colon, is bold or stands in brackets."""
    found = {}
    for place, (kind, start, end, _, _, _, _) in enumerate(blocks):
        if text[end - 1 : end] in _LABEL_ENDS and end - start <= _LONGEST_LABEL and kind in _LABELS:
            title = _label(text[start:end])
            if title:
                found[place] = title
    return found


@functools.lru_cache(maxsize=1024)
def _label(shown: str) -> str:
    if "\n" in shown or "\r" in shown:
        return ""
    if shown.rstrip("*_ ").endswith((":", "：")) or _BOLD_LABEL.match(shown) or _BRACKETED.match(shown):
        return shown.strip("*_#[]【】=:： ")
    return ""


def _by_headings(text: str, blocks: Sequence[Block], labels: Mapping[int, str]) -> list[Section]:
    """Headings govern until the next of their level; a label until the next heading, label or end of its depth."""
    end = blocks[-1].outer_end if blocks else 0
    begun: list[tuple[str, int, int]] = []
    ends: list[int] = []
    opened: list[tuple[int, int]] = []  # level, and place in the two above
    for place, (kind, begin, finish, start, _, depth, _) in enumerate(blocks):
        if kind == "paragraph":
            if depth or place not in labels:
                continue
            level, title = _LABEL_LEVEL, labels[place]
        elif kind == "heading":
            level, title = depth, text[begin:finish]
            title = title if any(map(str.isalnum, title)) else ""
        elif kind == "tag":
            level, title = _LABEL_LEVEL, ""  # a label does not reach over a tag
        else:
            continue
        while opened and opened[-1][0] >= level:
            ends[opened.pop()[1]] = start
        if title:
            opened.append((level, len(ends)))
            begun.append((title, start, level))
            ends.append(end)
    return [
        Section(title, span_of((start, until)), level, "label" if level == _LABEL_LEVEL else "heading")
        for (title, start, level), until in zip(begun, ends, strict=True)
    ]


def _by_tags(text: str, blocks: Sequence[Block]) -> Iterator[Section]:
    """A closing tag ends the last one of its name that is open; one that is never closed begins no section."""
    opened: dict[str, list[tuple[int, int]]] = {}
    depth = 0
    for block in blocks:
        if block.kind != "tag":
            continue
        for tag in _TAG.finditer(text, block.start, block.end):
            closing, name, itself = tag[1], tag[2].lower(), tag[4]
            if itself:
                continue
            if not closing:
                depth += 1
                opened.setdefault(name, []).append((block.outer_start, depth))
            elif opened.get(name):
                start, depth = opened[name].pop()
                yield Section(tag[2], Span(start, block.outer_end), depth, "tag")
                depth -= 1
