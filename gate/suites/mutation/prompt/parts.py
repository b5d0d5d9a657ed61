"""What the Markdown parser finds in a part of a prompt."""

from __future__ import annotations

from collections.abc import Callable
from typing import Literal

from gate.suites.mutation.prompt.model import BlockKind

Found = tuple[BlockKind | Literal["lost"], int, int, int, int, int]
"""(kind, first line, line after, offset of the text, depth, group) of a block, or of a line that the parser gave up."""

Part = tuple[list[Found], int, bool, tuple[int, str]]
"""The blocks, the last group then, whether a fence is still open at the end, and if a list is, its group and sign."""

Parser = Callable[[int, int, int], Part]
"""(first line, line after, last group) -> the part."""

NO_LIST = (0, "")
"""Group and sign where no list is open."""


def joined(part: Part, before: int, list_: int) -> Part:
    """A part whose first list is one that had begun before it.

    Args:
        before: the last group before the part.
        list_: the group of that list.
    """
    found, group, goes_on, (open_, sign) = part
    begun = before + 1
    moved: list[Found] = []
    for kind, first, after, start, depth, number in found:
        belongs = number == begun and kind != "heading"  # a heading has the last group before it, whosever that is
        moved.append((kind, first, after, start, depth, list_ if belongs else number - (number >= begun)))
    return moved, group - 1, goes_on, (list_ if open_ == begun else open_ - 1, sign)
