"""A prompt's layout: what is a paragraph, an item of a list, a heading or code.

Markdown-it finds the blocks. Four of its rules are off, since they would hide text of a prompt: indented code (prompts
stand in indented literals), HTML blocks (a tag on its own line is a boundary here, what follows is text), link
references (`[user]: never …`) and tables (a row is a block of its own). `gate.suites.mutation.prompt.lines` then cuts
paragraphs where prompts do and Markdown doesn't.
"""

from __future__ import annotations

import functools
import importlib
import re
from bisect import bisect_right
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from itertools import accumulate
from typing import Any

from gate.errors import UsageError
from gate.suites.mutation.prompt import plain
from gate.suites.mutation.prompt.lines import pieces
from gate.suites.mutation.prompt.model import Block, BlockKind, block_of
from gate.suites.mutation.prompt.parts import NO_LIST, Found, Parser, Part
from gate.suites.mutation.prompt.quotes import marks, unquoted

_NEWLINE = re.compile(r"\r\n?|\n")
_DEEPEST = 60  # blocks within blocks, an item counting as two; the parser gives up what is nested deeper
_MOST_QUOTATIONS = 8  # that are read by themselves, one in the other
_WORDS = re.compile(r"[^\W\d_]")
_FENCE = re.compile(r"`{3,}|~{3,}")
_FENCE_END = re.compile(r"[ \t>]*(`{3,}|~{3,})[ \t]*$")


class Lines:
    """Where every line of a text starts and ends, as Markdown counts lines."""

    def __init__(self, text: str) -> None:
        self.text = text
        if "\r" in text:
            found = [each.span() for each in _NEWLINE.finditer(text)]
            self.starts = [0, *[end for _, end in found]]
            self.ends = [*[start for start, _ in found], len(text)]
        else:
            totals = accumulate(map(len, text.split("\n")))
            self.ends = [total + place for place, total in enumerate(totals)]
            self.starts = [0, *[end + 1 for end in self.ends[:-1]]]
        self.bounds = [*self.starts, len(text)]  # where the line after a line begins

    def __len__(self) -> int:
        return len(self.starts)

    def at(self, line: int) -> str:
        """A line without its end."""
        return self.text[self.starts[line] : self.ends[line]]

    def of(self, offset: int) -> int:
        """The line that holds an offset."""
        return bisect_right(self.starts, offset) - 1


def blocks_of(text: str, lines: Lines, *, include_code: bool = False) -> list[Block]:
    """Blocks in order, without overlap; blank lines belong to none.

    Args:
        include_code: read code as text, a line a block.

    Raises:
        UsageError: markdown-it-py is not installed.
    """
    found = _markdown(text, lines)
    starts, bounds = lines.starts, lines.bounds
    blocks: list[Block] = []
    for one in found:
        if isinstance(one, Block):
            blocks.append(one)
            continue
        kind, first, after, start, depth, group = one
        if kind == "lost":
            blocks.extend(_by_line(lines, first, after, 0))
        elif kind == "code":
            blocks.extend(_code(lines, first, after, group, include_code=include_code))
        elif kind == "heading":
            end = start + len(text[start : lines.ends[first]].rstrip().rstrip("#").rstrip())
            blocks.append(_block(lines, kind, first, after, start, max(start, end), depth, group))
        else:
            for part, line, until, at, to in pieces(lines, first, after, start, kind):
                if part == "code" and include_code:
                    blocks.extend(_by_line(lines, line, until, group))
                else:
                    blocks.append(block_of((part, at, to, starts[line], bounds[until], depth, group)))
    return blocks


def _block(
    lines: Lines, kind: BlockKind, first: int, after: int, start: int, end: int, depth: int, group: int
) -> Block:
    """A block of the lines from `first` up to, not including, `after`, their ends included."""
    return block_of((kind, start, end, lines.starts[first], lines.bounds[after], depth, group))


def _code(lines: Lines, first: int, after: int, group: int, *, include_code: bool) -> list[Block]:
    """A fence; one that is never closed is text, so that a lost fence can't hide the rest of the prompt."""
    opening, closing = _FENCE.search(lines.at(first)), _FENCE_END.match(lines.at(after - 1))
    closed = after - first > 1 and opening and closing and closing[1].startswith(opening[0])
    if closed and not include_code:
        return [_block(lines, "code", first, after, lines.starts[first], lines.ends[after - 1], 0, group)]
    return _by_line(lines, first + 1, after - 1 if closed else after, group)


def _by_line(lines: Lines, first: int, after: int, group: int) -> list[Block]:
    found = []
    for line in range(first, after):
        for kind, at, until, start, end in pieces(
            lines, line, line + 1, _text_start(lines, line), "paragraph", json=False
        ):
            if end > start:
                found.append(_block(lines, kind, at, until, start, end, 0, group))
    return found


def _text_start(lines: Lines, line: int) -> int:
    shown = lines.at(line)
    return lines.starts[line] + len(shown) - len(shown.lstrip())


@dataclass(slots=True)
class _State:
    """Where in the document the parser's tokens are.

    Attributes:
        lists: groups of the lists that are open, the innermost last.
        last: group of the list that was closed last.
        fresh: an item was opened whose text has not come yet.
        level: of the heading that is open, 0 for a paragraph.
        setext: that heading is one by the line below it.
    """

    lists: list[int] = field(default_factory=list)
    last: int = 0
    group: int = 0
    fresh: bool = False
    level: int = 0
    setext: bool = False

    def enter(self, token: Any) -> None:
        kind = token.type
        if kind.endswith("list_open"):
            self.group += 1
            self.lists.append(self.group)
        elif kind.endswith("list_close"):
            self.last = self.lists.pop()
        elif kind == "list_item_open":
            self.fresh = True
        elif kind == "heading_open":
            self.level, self.setext = int(token.tag[1:]), token.markup in ("=", "-")
        elif kind == "paragraph_open":
            self.level, self.setext = 0, False


def _markdown(text: str, lines: Lines) -> Sequence[Found | Block]:
    """Every block that Markdown knows."""
    if len(lines) < plain.FEWEST:
        return _part(_parser().parse(text), lines, len(lines))[0]
    return plain.Scan(lines, _reader(lines)).found()


def _reader(lines: Lines, quotations: int = 0) -> Parser:
    """Reads parts of a text by the parser. Equal parts are parsed once.

    Args:
        quotations: that the text was taken out of.
    """
    parser = _parser()
    known: dict[str, Part] = {}

    def parsed(first: int, after: int, group: int) -> Part:
        start = lines.starts[first]
        part = lines.text[start : lines.bounds[after]]
        if part not in known:
            own = Lines(part)
            quoted = _quoted(part, own, quotations) if quotations < _MOST_QUOTATIONS else None
            known[part] = quoted or _part(parser.parse(part), own, after - first)
        found, groups, goes_on, (list_, sign) = known[part]
        moved: list[Found] = [
            (kind, line + first, until + first, at + start, depth, number + group)
            for kind, line, until, at, depth, number in found
        ]
        return moved, groups + group, goes_on, (list_ + group, sign)

    return parsed


def _quoted(part: str, lines: Lines, quotations: int) -> Part | None:
    """A part whose lines are all quoted, read as the text that they quote."""
    text = unquoted(part)
    if text is None:
        return None
    inner = Lines(text)
    scan = plain.Scan(inner, _reader(inner, quotations + 1))
    taken = [*marks(part), *[0] * len(inner)]
    found: list[Found] = []
    for one in scan.found():
        kind, first, after, start, depth, group = _in_lines(inner, one) if isinstance(one, Block) else one
        line = inner.of(start)
        found.append((kind, first, after, start + lines.starts[line] - inner.starts[line] + taken[line], depth, group))
    return found, scan.group, False, NO_LIST


def _in_lines(lines: Lines, block: Block) -> Found:
    kind, start, _, outer_start, outer_end, depth, group = block
    return kind, lines.of(outer_start), lines.of(outer_end - 1) + 1, start, depth, group


def _part(tokens: list[Any], lines: Lines, count: int) -> Part:
    """The blocks of a part, the number of its groups, and whether a fence and which list is open at its end.

    Args:
        count: of its lines.
    """
    state = _State()
    found: list[Found] = []
    line = 0
    for token in tokens:
        if token.type == "fence":
            state.group += 1
            found.append(("code", token.map[0], min(token.map[1], len(lines)), 0, len(state.lists), state.group))
        elif token.type == "inline" and token.content.strip():
            found.append(_text_block(state, token, lines))
        else:
            state.enter(token)
            continue
        found[-1:] = [*_lost(lines, line, found[-1][1]), found[-1]]
        line = found[-1][2]
    found += _lost(lines, line, len(lines))
    if not tokens:
        return found, state.group, False, NO_LIST
    last = tokens[-1]
    goes_on = last.type == "fence" and bool(last.map[1] >= count)
    return found, state.group, goes_on, (state.last, last.markup) if last.type.endswith("list_close") else NO_LIST


def _lost(lines: Lines, first: int, after: int) -> Iterator[Found]:
    """Lines that the parser gave up, since they are nested too deep: each is read by itself."""
    for line in range(first, after):
        if _WORDS.search(lines.text, lines.starts[line], lines.ends[line]):
            yield "lost", line, line + 1, 0, 0, 0


def _text_block(state: _State, token: Any, lines: Lines) -> Found:
    first, after = token.map
    depth = len(state.lists)
    item, state.fresh = state.fresh and depth > 0, False
    if not depth:
        state.group += 1
    start = _content_start(lines, first, token.content)
    heading = state.level > 0
    if state.setext:
        heading = plain.is_title(lines, first, after)
        after += heading  # the line below it belongs to a heading
    if heading:
        return "heading", first, after, start, state.level, state.group
    return "item" if item else "paragraph", first, after, start, depth, state.lists[-1] if depth else state.group


def _content_start(lines: Lines, line: int, content: str) -> int:
    """Offset of a block's text in its first line, behind markers of lists and quotations."""
    shown = lines.at(line)
    head = _NEWLINE.split(content, maxsplit=1)[0].strip().replace("�", "\0")
    bare = shown.rstrip().replace("�", "\0")
    if bare.endswith(head):
        return lines.starts[line] + len(bare) - len(head)
    found = shown.replace("�", "\0").find(head)
    return lines.starts[line] + found if found >= 0 else _text_start(lines, line)


@functools.cache
def _parser() -> Any:
    try:
        markdown_it = importlib.import_module("markdown_it")
    except ImportError:
        raise UsageError(
            "reading prompts needs markdown-it-py, which is not installed",
            remedy="pip install 'robustness-gate[mutation]'",
        ) from None
    parser = markdown_it.MarkdownIt("commonmark", {"maxNesting": _DEEPEST}).disable(["html_block", "reference", "code"])
    parser.core.ruler.disable(["inline", "text_join"])
    return parser
