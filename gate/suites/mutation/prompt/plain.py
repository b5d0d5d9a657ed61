"""Finds the blocks of a large prompt line by line; what it does not know goes to the Markdown parser, in parts.

The parser asks eight rules about every line, which takes seconds for a megabyte of short ones. What most lines are is
known from how they begin: text, items of lists at any depth, headings, quotations, fences. Where a line is of none of
these forms (a quotation in an item, a fence in it), the parser reads from where the last block outside of lists, or the
last item of the outermost list, began, up to where the next one certainly begins. `tests/properties` hold both against
each other.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Protocol

from gate.suites.mutation.prompt.forms import BEGINS_TEXT, CLOSES, LINE, NEXT_MARKER, RESUMES, RESUMES_FAR
from gate.suites.mutation.prompt.lines import is_plain
from gate.suites.mutation.prompt.markers import marked
from gate.suites.mutation.prompt.model import Block, BlockKind, block_of
from gate.suites.mutation.prompt.parts import NO_LIST, Found, Parser, joined

FEWEST = 64
"""Lines; fewer are as soon read by the parser as a whole."""

_DEEPEST = 25  # lists within lists; the parser gives up what is nested a little deeper
_DEEPEST_QUOTE = 50
_NEAR = 8  # lines; a part of the parser is at least as long, where nothing else ends it
_WIDEST = 1 << 30  # more columns than any line has
_SENTENCE_END = re.compile(r"[.!?:。！？：][\"'”’)*_]*\s*$")


class Lines(Protocol):
    """Where the lines of a text start and end; `bounds` are the starts and the end of the text."""

    text: str
    starts: list[int]
    ends: list[int]
    bounds: list[int]

    def __len__(self) -> int: ...
    def at(self, line: int) -> str: ...
    def of(self, offset: int) -> int: ...


_Paragraph = tuple[BlockKind, int, int, int, int, int]
"""What is open, with (kind, first line, offset of the text, depth, group, quotations that it stands in): lines that
follow without a blank one go on with it."""


_Item = tuple[int, int, str]
"""An item that is open: what is indented by so many columns belongs to it; its group; its sign."""


class Scan:
    """One text, read once.

    Args:
        parser: reads lines that are not known; it may assume that they begin outside of everything.

    Attributes:
        group: number of the last group.
    """

    def __init__(self, lines: Lines, parser: Parser) -> None:
        self._lines = lines
        self._text = lines.text
        self._parser = parser
        self._found: list[Found | Block] = []
        self.group = 0
        self._items: list[_Item] = []
        self._open: _Paragraph | None = None
        self._behind = -1  # the line behind the last item that was read as a whole
        # line, blocks before it and last group where the outermost open thing began, and the list before it
        self._outermost: tuple[int, int, int, tuple[int, str]] = (0, 0, 0, NO_LIST)
        self._kinds: dict[str, Callable[[int, int, re.Match[str]], int]] = {
            "lone": self._lone,
            "text": self._begin,
            "entry": self._entry,
            "item": self._item,
            "title": self._title,
            "heading": self._heading,
            "said": self._said,
            "quote": self._quote,
            "hollow": self._hollow,
            "empty": self._hollow,
            "fence": self._fence,
            "under": self._under,
            "break": self._hollow,
        }

    def found(self) -> list[Found | Block]:
        """All blocks in order, those done that need no further look."""
        text, starts, match, kinds = self._text, self._lines.starts, LINE.match, self._kinds
        line, last = 0, len(self._lines)
        while line < last:
            at = starts[line]
            seen = match(text, at)
            kind = seen and seen.lastgroup
            if kind == "blank":
                if self._open is not None:
                    self._close(line)
                line += 1
            elif self._open is not None and kind in ("text", "lone"):
                line += 1  # it goes on, however it is indented
            elif kind:
                assert seen is not None  # noqa: S101
                line = kinds[kind](line, at, seen) or self._marked(line, at) or self._unknown(line)
            else:
                line = self._marked(line, at) or self._unknown(line)
        self._close(last)
        return self._found

    def _close(self, line: int) -> None:
        """End the paragraph that is open, if any, before a line."""
        if self._open is not None:
            kind, first, start, depth, group, _ = self._open
            text, lines = self._text, self._lines
            end = lines.ends[line - 1]
            if is_plain(text, start, lines.ends[first], end):
                end = start + len(text[start:end].rstrip())
                self._found.append(block_of((kind, start, end, lines.starts[first], lines.bounds[line], depth, group)))
            else:
                self._found.append((kind, first, line, start, depth, group))
            self._open = None

    def _outside(self, line: int) -> None:
        """Begin something outside of every list."""
        self._close(line)
        self._items.clear()
        self._outermost = line, len(self._found), self.group, NO_LIST

    def _place(self, line: int, indent: int) -> tuple[int, int]:
        """Depth and group of a paragraph that begins after a blank line."""
        items = self._items
        while items and items[-1][0] > indent:
            items.pop()
        if items:
            return len(items), items[-1][1]
        self._outermost = line, len(self._found), self.group, NO_LIST
        self.group += 1
        return 0, self.group

    def _begin(self, line: int, at: int, found: re.Match[str]) -> int:
        start = found.end() - 1
        self._open = "paragraph", line, start, *self._place(line, start - at), 0
        return line + 1

    def _lone(self, line: int, at: int, found: re.Match[str]) -> int:
        """A line of text between two blank ones."""
        start, end = found.span("lone")
        depth, group = self._place(line, start - at)
        self._found.append(block_of(("paragraph", start, end, at, self._lines.bounds[line + 1], depth, group)))
        return line + 2

    def _list(self, line: int, indent: int, inside: int, sign: str, *, interrupts: bool) -> int:
        """The group of an item; it goes on with the list of the outermost item that it ends, if that has the same sign.

        0 is not known, with all items still open, since what they belong to is read again.

        Args:
            interrupts: it may begin a list right behind a line of text.
        """
        items = self._items
        kept = len(items)
        while kept and items[kept - 1][0] > indent:
            kept -= 1
        ended = items[kept] if kept < len(items) else None
        if indent - (items[kept - 1][0] if kept else 0) > 3:
            return 0
        if ended is None and not interrupts and (self._open is not None or self._behind == line):
            return 0
        if self._open is not None:
            self._close(line)
        del items[kept:]
        goes_on = ended[1] if ended is not None and ended[2] == sign else 0
        if not kept:
            self._outermost = line, len(self._found), self.group, (goes_on, sign)
        if not goes_on:
            self.group += 1
        group = goes_on or self.group
        items.append((inside, group, sign))
        return group

    def _signed(self, line: int, at: int, found: re.Match[str], start: int) -> int:
        """The group of an item whose text begins right behind its sign."""
        begin, end = found.span("sign")
        interrupts = end - begin == 1 or int(self._text[begin : end - 1]) == 1
        return self._list(line, begin - at, start - at, self._text[end - 1], interrupts=interrupts)

    def _item(self, line: int, at: int, found: re.Match[str]) -> int:
        start = found.end()
        group = self._signed(line, at, found, start)
        if group:
            self._open = "item", line, start, len(self._items), group, 0
        return group and line + 1

    def _entry(self, line: int, at: int, found: re.Match[str]) -> int:
        """An item of one line, which no text follows."""
        start, end = found.span("entry")
        group = self._signed(line, at, found, start)
        if group:
            self._behind = line + 1
            outer_end = self._lines.bounds[line + 1]
            self._found.append(block_of(("item", start, end, at, outer_end, len(self._items), group)))
        return group and line + 1

    def _marked(self, line: int, at: int) -> int:
        """A line with several signs of lists, with tabs, or with a sign and nothing else."""
        text = self._text
        (*markers,), start, column, kind, level = marked(text, at)
        start += at
        if kind == "across" or (kind == "text" and not BEGINS_TEXT.match(text, start)):
            return 0
        if not markers:
            if self._open is None:
                self._open = "paragraph", line, start, *self._place(line, column), 0
            return line + 1
        if len(markers) + len(self._items) >= _DEEPEST or (kind == "nothing" and not NEXT_MARKER.match(text, start)):
            return 0
        first = markers.pop(0)
        group = self._list(line, first.indent, first.inside, first.sign, interrupts=first.interrupts)
        if not group:
            return 0
        for marker in markers:
            group = self.group = self.group + 1
            self._items.append((marker.inside, group, marker.sign))
        if kind == "text":
            self._open = "item", line, start, len(self._items), group, 0
        elif kind == "heading":
            self._found.append((kind, line, line + 1, start, level, self.group))
        return line + 1

    def _title(self, line: int, at: int, found: re.Match[str]) -> int:
        """A heading."""
        return self._headed(line, at, found, *found.span("title"))

    def _heading(self, line: int, at: int, found: re.Match[str]) -> int:
        """A heading that holds more `#`."""
        start = found.start("heading")
        title = self._text[start : self._lines.ends[line]].rstrip().rstrip("#").rstrip()
        return self._headed(line, at, found, start, start + len(title))

    def _headed(self, line: int, at: int, found: re.Match[str], start: int, end: int) -> int:
        self._outside(line)
        self.group += 1
        level = found.end("level") - at
        self._found.append(block_of(("heading", start, end, at, self._lines.bounds[line + 1], level, self.group)))
        return line + 1

    def _said(self, line: int, at: int, found: re.Match[str]) -> int:
        """A quotation of one line."""
        start, end = found.span("said")
        level = self._text.count(">", at, start)
        if level > _DEEPEST_QUOTE:
            return 0
        if self._open is not None and self._open[-1] >= level:
            return line + 1
        self._outside(line)
        self.group += 1
        self._found.append(block_of(("paragraph", start, end, at, self._lines.bounds[line + 1], 0, self.group)))
        return line + 2

    def _quote(self, line: int, at: int, found: re.Match[str]) -> int:
        """A line of a quotation, or of one inside of another; one of fewer goes on with what is open."""
        start = found.end() - 1
        level = self._text.count(">", at, start)
        if level > _DEEPEST_QUOTE:
            return 0
        if self._open is None or self._open[-1] < level:
            self._outside(line)
            self.group += 1
            self._open = "paragraph", line, start, 0, self.group, level
        return line + 1

    def _hollow(self, line: int, at: int, found: re.Match[str]) -> int:
        """A quotation or a heading without text, or a line across: all before it ends."""
        self._outside(line)
        return line + 1

    def _fence(self, line: int, at: int, found: re.Match[str]) -> int:
        self._outside(line)
        self.group += 1
        fence, lines = found["fence"], self._lines
        rest = self._text[lines.starts[-1] :].strip(" \t")  # a last line of nothing else is none to the parser
        after = len(lines) - (not rest)  # one that is never closed holds all that follows
        for closing in CLOSES.finditer(self._text, lines.ends[line]):
            if closing[1][0] == fence[0] and len(closing[1]) >= len(fence):
                after = lines.of(closing.end()) + 1
                break
        self._found.append(("code", line, after, 0, 0, self.group))
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
        first, (list_, sign) = line, NO_LIST
        if self._open is not None or self._items:
            first, kept, self.group, (list_, sign) = self._outermost
            del self._found[kept:]
            self._open = None
        markers = marked(self._text, self._lines.starts[first]).markers if list_ else ()
        after = self._resumes(line + 1)
        found, group, goes_on, last = self._parser(first, after, self.group)
        while goes_on and after < len(self._lines):
            after = self._resumes(after + after - first)
            found, group, goes_on, last = self._parser(first, after, self.group)
        if markers and markers[0].sign == sign:  # the first list of the part is one that had begun before
            found, group, _, last = joined((found, group, goes_on, last), self.group, list_)
        self._found += found
        self.group = group
        self._items[:] = [(_WIDEST, *last)] if last[1] else []
        self._outermost = after, len(self._found), group, last
        return after

    def _resumes(self, line: int) -> int:
        """The next line at which something begins that stands outside of every list and quotation.

        Where none is near, an item that begins its line: what stands before it is over as well.
        """
        lines = self._lines
        far = line + _NEAR
        if far < len(lines):
            found = RESUMES.search(self._text, lines.ends[line - 1], lines.ends[far])
            found = found or RESUMES_FAR.search(self._text, lines.ends[far - 1])
        else:
            found = RESUMES.search(self._text, lines.ends[line - 1]) if line < len(lines) else None
        return lines.of(found.end()) if found else len(lines)


def is_title(lines: Lines, first: int, line: int) -> bool:
    """Whether a paragraph above `===` or `---` is a heading: a sentence above such a line is none."""
    return line - first == 1 and not _SENTENCE_END.search(lines.at(first))
