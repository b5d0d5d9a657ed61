"""Pieces of a sentence that say whether they are ours or foreign, so that every renderer can escape them itself."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from enum import Enum, auto

from gate.render import escape


class Style(Enum):
    """What a piece is. Only `OWN`, `BOLD` and `COMMAND` hold our own words."""

    OWN = auto()
    BOLD = auto()
    COMMAND = auto()
    CODE = auto()
    """A foreign name: an id, a path, a label."""
    TEXT = auto()
    """A foreign sentence."""
    STRONG = auto()
    """A foreign sentence that matters most."""


@dataclass(frozen=True, slots=True)
class Span:
    """One piece of a line."""

    text: str
    style: Style = Style.OWN


Line = tuple[Span, ...]


def own(text: str) -> Span:
    return Span(text)


def bold(text: str) -> Span:
    return Span(text, Style.BOLD)


def command(text: str) -> Span:
    return Span(text, Style.COMMAND)


def code(text: str) -> Span:
    return Span(text, Style.CODE)


def text(words: str) -> Span:
    return Span(words, Style.TEXT)


def strong(words: str) -> Span:
    return Span(words, Style.STRONG)


def as_markdown(line: Line, limit: int) -> str:
    """A line as inline Markdown, safe in a table cell; `limit` characters for each foreign piece."""
    return "".join(_markdown(span, limit) for span in line)


def as_text(line: Line, limit: int) -> str:
    """A line for a terminal, unstyled."""
    return "".join(span.text if _ours(span) else escape.terminal(span.text, limit) for span in line)


def separated(parts: Iterable[Line], by: str) -> Line:
    """Lines joined into one, with words of ours between them."""
    joined: list[Span] = []
    for part in parts:
        if joined:
            joined.append(own(by))
        joined.extend(part)
    return tuple(joined)


def _ours(span: Span) -> bool:
    return span.style in (Style.OWN, Style.BOLD, Style.COMMAND)


def _markdown(span: Span, limit: int) -> str:
    if span.style is Style.OWN:
        return span.text
    if span.style is Style.BOLD:
        return f"**{span.text}**"
    if span.style is Style.COMMAND:
        return f"`{span.text}`"
    if span.style is Style.CODE:
        return escape.code(span.text, limit)
    shown = escape.markdown(span.text, limit)
    return f"**{shown}**" if span.style is Style.STRONG and shown else shown
