"""Which parts of a text no operator may tear: placeholders, templates, code, tags, addresses."""

from __future__ import annotations

import re

Span = tuple[int, int]

_SIMPLE = re.compile(
    r"\$[A-Za-z_]\w*"  # $name
    r"|%(?:\(\w+\))?[#0\-+]*\d*(?:\.\d+)?[hlL]?[diouxXeEfFgGcrsa]"  # %s, %(name)s, %5.2f
    r"|%%"
    r"|<\|[^<>|]*\|>"  # a chat template's special token
    r"|</?[A-Za-z!][^<>]*>"  # a tag
    r"|(?:https?|ftp|file)://[^\s<>\"]+|\bwww\.[^\s<>\"]+"
    r"|(?<![\w.+-])[\w.+-]{1,64}@[\w-]{1,64}(?:\.[\w-]{1,64})+"
)
_FIELD = re.compile(r"[{}]|\$(?=[A-Za-z_])|%(?=[(diouxXeEfFgGcrsa%])")
_TICKS = re.compile(r"`+|~{3,}")
_FENCE = 3


def protected(text: str) -> list[Span]:
    """The spans (start, end), in order and apart, in time linear in the text.

    A pair of braces protects all that is between them: `{x}`, `{{ x }}`, `{% if %}`, `${x}`, and JSON. Backticks
    protect as in Markdown: from a run to the next one of the same length, an open fence to the end of the text.
    """
    found = [match.span() for match in _SIMPLE.finditer(text)]
    found += _braces(text)
    found += _code(text)
    return _merged(found)


def fields(text: str) -> int:
    """How many braces and beginnings of `$name` and `%s` there are; more or fewer of them would break a template."""
    return len(_FIELD.findall(text))


def _braces(text: str) -> list[Span]:
    """Balanced pairs; one that is left open or closed without need protects nothing."""
    found, opened = [], []
    for match in re.finditer(r"[{}]", text):
        if match[0] == "{":
            opened.append(match.start())
        elif opened:
            start = opened.pop()
            found.append((start - 1 if start and text[start - 1] == "$" else start, match.end()))
    return found


def _code(text: str) -> list[Span]:
    runs = [match.span() for match in _TICKS.finditer(text)]
    following: dict[str, int] = {}
    closing = [-1] * len(runs)
    for place in range(len(runs) - 1, -1, -1):
        start, end = runs[place]
        closing[place] = following.get(text[start:end], -1)
        following[text[start:end]] = place
    found, place = [], 0
    while place < len(runs):
        start, end = runs[place]
        if closing[place] >= 0:
            found.append((start, runs[closing[place]][1]))
            place = closing[place]
        elif end - start >= _FENCE:
            found.append((start, len(text)))
            break
        place += 1
    return found


def _merged(spans: list[Span]) -> list[Span]:
    merged: list[Span] = []
    for start, end in sorted(spans):
        if merged and start <= merged[-1][1]:
            merged[-1] = (merged[-1][0], max(end, merged[-1][1]))
        else:
            merged.append((start, end))
    return merged
