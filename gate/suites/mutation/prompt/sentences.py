"""Cuts the text of a block into sentences, hard-wrapped ones included.

A line end inside a block ends a sentence unless the text was wrapped there: the next line goes on in lower case, or
its first word would not have fitted on the line before it.
"""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Iterator

from gate.suites.mutation.prompt.model import Span, span_of

_END = re.compile(  # begins with the character that it ends at, so that the search skips to the next one
    r"""
    [。！？.!?…\r\n]
    (?: (?<=[。！？])(?P<full>[。！？]*[」』”’）)"*_]*)
      | (?<=[.!?…])(?<![.!?…][.!?…])(?P<stop>[.!?…]*+)[\"'”’»)\]*_]*+(?=\s|$)
      | (?:(?<=\r)\n?|(?<=\n))(?P<line>[ \t>]*)
    )
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
_WORD = re.compile(r"[^\s>*_\"'“„«(\[]\S{0,60}")
_CJK = re.compile(r"[\u3040-\u30ff\u3400-\u9fff]")
_LOOSE = frozenset(sign for sign in map(chr, range(0x3001)) if sign.isspace()) | {"<", ">"}
"""What may have to be taken away at the ends of a sentence: all white space there is, and what tags consist of."""
_ROOM = 2  # characters that a line may be short of the longest and still count as full
_SHORTEST_FULL = 30  # characters: a shorter line was ended on purpose


is_sentence = _ONE.fullmatch
"""(text, start, end) -> whether a block is one sentence as a whole, at a glance; a no may be wrong."""


class Cutter:
    """Cuts the blocks of one text.

    Args:
        starts_sentence: whether a capitalised word begins a sentence rather than being a name inside one.
    """

    def __init__(self, text: str, starts_sentence: Callable[[str], bool]) -> None:
        self._text = text
        self._starts_sentence = starts_sentence
        self._rooms: dict[str, float | None] = {}

    def sentences(self, start: int, end: int) -> list[Span]:
        """Spans of the sentences of one block, without white space around them and without tags at their ends."""
        text, rooms, first_word, found = self._text, self._rooms, _WORD.search, list[Span]()
        begin = line = start
        widest = -1
        for mark in _END.finditer(text, start, end):
            at, after = mark.span()
            if after >= end:
                break
            if mark.lastgroup == "line":
                if widest < 0:
                    widest = max(map(len, text[start:end].splitlines()))
                width, line = at - line, after
                word = first_word(text, after, min(end, at + 80))
                shown = word.group() if word else ""
                room = rooms[shown] if shown in rooms else self._room(shown)
                if room is None or text[at - 1] in ",;，、；":
                    continue
                if width >= _SHORTEST_FULL and width >= widest - room:
                    continue
                if text[after - 1] in "\r\n" and text[begin] not in _LOOSE and text[at - 1] not in _LOOSE:
                    found.append(span_of((begin, at)))
                    begin = after
                    continue
            elif not _ends_with(text, begin, mark, end):
                continue
            found += _trimmed(text, begin, after)
            begin = after
        found += _trimmed(text, begin, end)
        return found

    def _room(self, word: str) -> float | None:
        """By how much less than the longest line of its block the line before a word was wide, if it was ended there.

        None if the word goes on with the sentence of that line, and much below zero if it begins one.
        """
        first = word.rstrip(".,;:!?*_\"'”’»)]")
        room: float | None
        if first[:1].islower():
            room = None
        elif self._starts_sentence(first):
            room = -math.inf
        else:
            room = _ROOM if _CJK.match(first) else len(first)
        self._rooms[word] = room
        return room


def _ends_with(text: str, begin: int, mark: re.Match[str], end: int) -> bool:
    """Whether a mark ends a sentence."""
    if mark.lastgroup == "stop":
        return _is_stop(text, begin, mark, end)
    quoted = mark.group().rstrip("*_")[-1:] in _CLOSING and not text[mark.end()].isspace()
    return not quoted  # what is quoted ends there, the sentence around it goes on


def _is_stop(text: str, begin: int, found: re.Match[str], end: int) -> bool:
    """Whether a mark followed by white space ends a sentence."""
    after = found.end()
    while after < end and text[after].isspace():
        after += 1
    if after < end and (text[after].islower() or text[after] in ",;"):
        return False
    if found["stop"] or text[found.start()] != ".":
        return True
    before = text[max(begin, found.start() - 12) : found.start()]
    if _NUMBERING.search(before) and text[begin : found.start()].strip("*_ \t\r\n>").isdigit():
        return False  # "2." is the number of what follows
    return not _ABBREVIATION.search(before)


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
        yield span_of((start, end))
