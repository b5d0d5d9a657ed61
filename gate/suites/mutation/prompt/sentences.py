"""Cuts the text of a block into sentences, hard-wrapped ones included.

A line end inside a block ends a sentence unless the text was wrapped there: the next line goes on in lower case, or
its first word would not have fitted on the line before it.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator

from gate.suites.mutation.prompt.model import Span

_END = re.compile(
    r"""
    (?P<full>[。！？]+[」』”’）)"*_]*)
    | (?P<stop>(?<![.!?…])[.!?…]++)[\"'”’»)\]*_]*+(?=\s|$)
    | (?P<line>(?:\r\n?|\n)[ \t>]*)
    """,
    re.VERBOSE,
)
_ONE = re.compile(r"[^\s<>.!?…。！？\r\n](?:[^<>.!?…。！？\r\n]*[^\s<>.!?…。！？\r\n])?[.!?]?")
_ABBREVIATION = re.compile(
    r"""(?:^|[\s("“„«*_])(?:[^\W\d_]|[^\W\d_](?:\.[^\W\d_])+|e\.g|i\.e|vs|approx|incl|excl|max|min|nr|ca|ex|cf|art
    |bzw|ggf|evtl|inkl|bsp|mr|mrs|ms|dr|prof|sr|sra|sig|p\.ex|p\.\s?ej|z\.\s?b|d\.\s?h|u\.\s?a|fig|inc|ltd|dept)$""",
    re.VERBOSE | re.IGNORECASE,
)
_CLOSING = '」』”’）)"'
_NUMBERING = re.compile(r"(?:^|[\s(])\d{1,3}$")
_LEADING = re.compile(r"(?:</?[A-Za-z_][^<>\r\n]{0,300}>|[\s>])+")
_TRAILING = re.compile(r"</?[A-Za-z_][^<>\r\n]{0,300}>$")
_WORD = re.compile(r"[*_\"'“„«(\[]*([^\s>*_\"'“„«(\[]\S{0,60})")
_CJK = re.compile(r"[\u3040-\u30ff\u3400-\u9fff]")
_ROOM = 2  # characters that a line may be short of the longest and still count as full
_SHORTEST_FULL = 30  # characters: a shorter line was ended on purpose


def is_sentence(text: str, span: Span) -> bool:
    """Whether a block is one sentence as a whole, at a glance; a no may be wrong."""
    return _ONE.fullmatch(text, *span) is not None


def sentences(text: str, span: Span, *, starts_sentence: Callable[[str], bool]) -> Iterator[Span]:
    """Spans of the sentences of one block, without white space around them and without tags at their ends.

    Args:
        starts_sentence: whether a capitalised word begins a sentence rather than being a name inside one.
    """
    begin = line = span.start
    widest = -1
    for found in _END.finditer(text, span.start, span.end):
        if found.end() >= span.end:
            break
        if found.lastgroup == "line":
            if widest < 0:
                widest = max(len(line) for line in span.of(text).splitlines())
            width, line = found.start() - line, found.end()
            if not _ends_here(text, found.start(), span.end, width, widest, starts_sentence):
                continue
        elif found.lastgroup == "full":
            if found.group().rstrip("*_")[-1:] in _CLOSING and not text[found.end()].isspace():
                continue  # what is quoted ends there, the sentence around it goes on
        elif found.lastgroup == "stop" and not _is_stop(text, begin, found, span.end):
            continue
        yield from _trimmed(text, begin, found.end())
        begin = found.end()
    yield from _trimmed(text, begin, span.end)


def _is_stop(text: str, begin: int, found: re.Match[str], end: int) -> bool:
    """Whether a mark followed by white space ends a sentence."""
    after = found.end()
    while after < end and text[after].isspace():
        after += 1
    if after < end and (text[after].islower() or text[after] in ",;"):
        return False
    if found["stop"] != ".":
        return True
    before = text[max(begin, found.start() - 12) : found.start()]
    if _NUMBERING.search(before) and text[begin : found.start()].strip("*_ \t\r\n>").isdigit():
        return False  # "2." is the number of what follows
    return not _ABBREVIATION.search(before)


def _ends_here(text: str, at: int, end: int, width: int, widest: int, starts_sentence: Callable[[str], bool]) -> bool:
    """Whether the line end at an offset ends a sentence.

    Args:
        width: characters of the line before it; `widest`: of the longest line of the block.
    """
    word = _WORD.search(text, at, min(end, at + 80))
    first = word[1].rstrip(".,;:!?*_\"'”’»)]") if word else ""
    if first[:1].islower() or text[at - 1] in ",;，、；":
        return False
    if _CJK.match(first):
        return width < _SHORTEST_FULL or width < widest - _ROOM or starts_sentence(first)
    if starts_sentence(first):
        return True
    return width < _SHORTEST_FULL or width + 1 + len(first) <= widest


def _trimmed(text: str, start: int, end: int) -> Iterator[Span]:
    lead = _LEADING.match(text, start, end)
    if lead:
        start = lead.end()
    while end > start:
        if text[end - 1].isspace():
            end -= 1
            continue
        if text[end - 1] != ">":
            break
        opened = text.rfind("<", max(start, end - 300), end)
        if opened < 0 or not _TRAILING.match(text, opened, end):
            break
        end = opened
    if end > start:
        yield Span(start, end)
