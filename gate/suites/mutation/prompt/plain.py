"""Finds the blocks of a large prompt line by line; what it does not know goes to the Markdown parser, in parts.

The parser asks eight rules about every line, which takes seconds for a megabyte of short ones. What most lines are is
known from how they begin: text, items of lists at any depth, headings, quotations, fences. Where a line is of none of
these forms (a tab, an item in an item's line), the parser reads on from where the last block outside of lists began, up
to where the next one certainly begins. `tests/properties` hold both against each other.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Literal, NamedTuple, Protocol

from gate.suites.mutation.prompt.lines import is_plain
from gate.suites.mutation.prompt.model import Block, BlockKind, Span

span_of, block_of = Span._make, Block._make  # in half of the time that named fields take

FEWEST = 64
"""Lines; fewer are as soon read by the parser as a whole."""

_EOL = r"(?=[\r\n]|\Z)"
_TEXT = (  # the first character of a line that begins no block of another kind, whatever follows
    r"(?:[^\s\x00>#\-=*_+0-9`~]|(?=[#\-=*_+0-9`~])"
    rf"(?!\#{{1,6}}(?:[ \t]|{_EOL})|[-=*_+ \t]+{_EOL}|[*+-][ \t]|[0-9]{{1,9}}[.)](?:[ \t]|{_EOL})|```|~~~).)"
)
_LINE = re.compile(
    rf"""
    [ ]*+(?:
        (?P<text>{_TEXT})
      | (?P<blank>[ \t]*+{_EOL})
      | (?P<bullet>[*+-])[ ]{{1,4}}(?={_TEXT})
      | (?P<number>[0-9]{{1,9}}[.)])[ ]{{1,4}}(?={_TEXT})
    )
    | \#{{1,6}}[ \t]+(?P<heading>[^\s\#\x00][^\r\n\#]*)
    | >[ ]?(?P<quote>{_TEXT})
    | (?P<hollow>>[ \t]*){_EOL}
    | (?P<fence>`{{3,}}(?=[^`\r\n]*+{_EOL})|~{{3,}})
    | (?P<under>=+|-+)[ \t]*{_EOL}
    | (?P<break>\*{{3,}}|_{{3,}})[ \t]*{_EOL}
    """,
    re.VERBOSE,
)
_RESUMES = re.compile(rf"(?>\r\n?|\n)[ \t]*+(?>\r\n?|\n)(?={_TEXT}|\#{{1,6}}[ ])")
_CLOSES = re.compile(rf"[\r\n][ \t]*(`{{3,}}|~{{3,}})[ \t]*{_EOL}")
_SENTENCE_END = re.compile(r"[.!?:。！？：][\"'”’)*_]*\s*$")

Found = tuple[BlockKind | Literal["lost"], int, int, int, int, int]
"""(kind, first line, line after, offset of the text, depth, group) of a block, or of a line that the parser gave up."""


class Lines(Protocol):
    """Where the lines of a text start and end; `bounds` are the starts and the end of the text."""

    text: str
    starts: list[int]
    ends: list[int]
    bounds: list[int]

    def __len__(self) -> int: ...
    def at(self, line: int) -> str: ...
    def of(self, offset: int) -> int: ...


Parser = Callable[[int, int, int], tuple[list[Found], int, bool]]
"""(first line, line after, last group) -> what the Markdown parser finds there, the last group now, and whether a fence
is still open at the end."""


_Paragraph = tuple[BlockKind, int, int, int, int, bool]
"""What is open, with (kind, first line, offset of the text, depth, group, whether it is quoted): lines that follow
without a blank one go on with it."""


class _Item(NamedTuple):
    """An item that is open: what is indented by `inside` columns belongs to it."""

    inside: int
    group: int
    sign: str


class Scan:
    """One text, read once.

    Args:
        parser: reads lines that are not known; it may assume that they begin outside of everything.
    """

    def __init__(self, lines: Lines, parser: Parser) -> None:
        self._lines = lines
        self._text = lines.text
        self._parser = parser
        self._found: list[Found | Block] = []
        self._group = 0
        self._items: list[_Item] = []
        self._open: _Paragraph | None = None
        self._outermost = (0, 0, 0)  # line, blocks before it and last group where the outermost open thing began
        self._kinds: dict[str, Callable[[int, int, re.Match[str]], int]] = {
            "text": self._begin,
            "bullet": lambda line, at, found: self._item(line, found.start("bullet") - at, found, interrupts=True),
            "number": self._number,
            "heading": self._heading,
            "quote": self._quote,
            "hollow": self._hollow,
            "fence": self._fence,
            "under": self._under,
            "break": self._hollow,
        }

    def found(self) -> list[Found | Block]:
        """All blocks in order, those done that need no further look."""
        text, starts, match, kinds = self._text, self._lines.starts, _LINE.match, self._kinds
        line, last = 0, len(self._lines)
        while line < last:
            at = starts[line]
            seen = match(text, at)
            kind = seen and seen.lastgroup
            if kind == "blank":
                if self._open is not None:
                    self._close(line)
                line += 1
            elif kind == "text" and self._open is not None:
                line += 1  # it goes on, however it is indented
            elif kind:
                assert seen is not None  # noqa: S101
                line = kinds[kind](line, at, seen) or self._unknown(line)
            else:
                line = self._unknown(line)
        self._close(last)
        return self._found

    def _close(self, line: int) -> None:
        """End the paragraph that is open, if any, before a line."""
        if self._open is not None:
            kind, first, start, depth, group, _ = self._open
            text, lines = self._text, self._lines
            end = lines.ends[line - 1]
            if is_plain(text, start, lines.ends[first], end):
                span = span_of((start, start + len(text[start:end].rstrip())))
                outer = span_of((lines.bounds[first], lines.bounds[line]))
                self._found.append(block_of((kind, span, outer, depth, group)))
            else:
                self._found.append((kind, first, line, start, depth, group))
            self._open = None

    def _outside(self, line: int) -> None:
        """Begin something outside of every list."""
        self._close(line)
        self._items.clear()
        self._outermost = line, len(self._found), self._group

    def _begin(self, line: int, at: int, found: re.Match[str]) -> int:
        """A paragraph, after a blank line."""
        start = found.end() - 1
        items = self._items
        while items and items[-1].inside > start - at:
            items.pop()
        if items:
            self._open = "paragraph", line, start, len(items), items[-1].group, False
            return line + 1
        self._outermost = line, len(self._found), self._group
        self._group += 1
        self._open = "paragraph", line, start, 0, self._group, False
        return line + 1

    def _number(self, line: int, at: int, found: re.Match[str]) -> int:
        sign = found["number"]
        return self._item(line, found.start("number") - at, found, interrupts=int(sign[:-1]) == 1)

    def _item(self, line: int, indent: int, found: re.Match[str], *, interrupts: bool) -> int:
        """An item; it goes on with the list of the outermost item that it ends, if that has the same sign.

        Args:
            interrupts: it may begin a list right behind a line of text.
        """
        items, sign = self._items, text_before(self._text, found)
        kept = len(items)
        while kept and items[kept - 1].inside > indent:
            kept -= 1
        ended = items[kept] if kept < len(items) else None
        if indent - (items[kept - 1].inside if kept else 0) > 3:
            return 0  # with all items still open, since what they belong to is read again
        if self._open is not None:
            if ended is None and not interrupts:
                return 0
            self._close(line)
        del items[kept:]
        if ended is not None and ended.sign == sign:
            group = ended.group
        else:
            if not items:
                self._outermost = line, len(self._found), self._group
            group = self._group = self._group + 1
        start = found.end()
        items.append(_Item(start - self._lines.starts[line], group, sign))
        self._open = "item", line, start, len(items), group, False
        return line + 1

    def _heading(self, line: int, at: int, found: re.Match[str]) -> int:
        self._outside(line)
        self._group += 1
        start, lines = found.start("heading"), self._lines
        level = len(self._text[at:start].rstrip())
        title = self._text[start : lines.ends[line]].rstrip().rstrip("#").rstrip()
        span = span_of((start, start + len(title)))
        outer = span_of((lines.bounds[line], lines.bounds[line + 1]))
        self._found.append(block_of(("heading", span, outer, level, self._group)))
        return line + 1

    def _quote(self, line: int, at: int, found: re.Match[str]) -> int:
        if self._open is None or not self._open[-1]:
            self._outside(line)
            self._group += 1
            self._open = "paragraph", line, found.start("quote"), 0, self._group, True
        return line + 1

    def _hollow(self, line: int, at: int, found: re.Match[str]) -> int:
        """A quotation without text, or a line across: all before it ends."""
        self._outside(line)
        return line + 1

    def _fence(self, line: int, at: int, found: re.Match[str]) -> int:
        self._outside(line)
        self._group += 1
        fence, lines = found["fence"], self._lines
        rest = self._text[lines.starts[-1] :].strip(" \t")  # a last line of nothing else is none to the parser
        after = len(lines) - (not rest)  # one that is never closed holds all that follows
        for closing in _CLOSES.finditer(self._text, lines.ends[line]):
            if closing[1][0] == fence[0] and len(closing[1]) >= len(fence):
                after = lines.of(closing.end()) + 1
                break
        self._found.append(("code", line, after, 0, 0, self._group))
        return after

    def _under(self, line: int, at: int, found: re.Match[str]) -> int:
        """A line of `=` or `-`: it makes a heading of the line above it, or goes across, or is not known."""
        across = self._text[at] == "-" and len(found["under"]) >= 3
        if self._open is None or self._open[3]:
            return self._hollow(line, at, found) if across else 0
        _, first, start, _, group, quoted = self._open
        if quoted or start - self._lines.starts[first] > 3:
            return 0
        self._open = None
        if is_title(self._lines, first, line):
            self._found.append(("heading", first, line + 1, start, 1 if self._text[at] == "=" else 2, group))
        else:
            self._found.append(("paragraph", first, line, start, 0, group))
        return line + 1

    def _unknown(self, line: int) -> int:
        """Let the parser read a part, and say where it ends."""
        first = line
        if self._open is not None or self._items:
            first, kept, self._group = self._outermost
            del self._found[kept:]
            self._open = None
            self._items.clear()
        after = self._resumes(line + 1)
        found, group, goes_on = self._parser(first, after, self._group)
        while goes_on and after < len(self._lines):
            after = self._resumes(after + after - first)
            found, group, goes_on = self._parser(first, after, self._group)
        self._found += found
        self._group = group
        return after

    def _resumes(self, line: int) -> int:
        """The next line at which something begins that stands outside of every list and quotation."""
        lines = self._lines
        found = _RESUMES.search(self._text, lines.ends[line - 1]) if line < len(lines) else None
        return lines.of(found.end()) if found else len(lines)


def text_before(text: str, found: re.Match[str]) -> str:
    """The sign of a list: its bullet, or what stands behind its number."""
    return text[found.end(found.lastgroup or 0) - 1]


def is_title(lines: Lines, first: int, line: int) -> bool:
    """Whether a paragraph above `===` or `---` is a heading: a sentence above such a line is none."""
    return line - first == 1 and not _SENTENCE_END.search(lines.at(first))
