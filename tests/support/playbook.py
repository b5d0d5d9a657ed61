"""A page of the documentation as something to be played: its files, its commands, and what it says they print."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass

_BLOCK = re.compile(r"^```(?P<kind>\w+)(?: (?P<name>\S+))?\n(?P<text>.*?)^```$", re.MULTILINE | re.DOTALL)


@dataclass(frozen=True, slots=True)
class Block:
    """One fenced block: ```` ```python spam.py ```` has the kind `python` and the name `spam.py`."""

    kind: str
    name: str
    text: str


def blocks(page: str) -> Iterator[Block]:
    """The fenced blocks, in order."""
    for match in _BLOCK.finditer(page):
        yield Block(match["kind"], match["name"] or "", match["text"])


def missing(promised: str, printed: str) -> list[str]:
    """The lines of a block that what was printed does not hold in their order; `…` stands for anything."""
    left, lacking = printed, []
    for line in filter(None, promised.splitlines()):
        pattern = ".*?".join(re.escape(part) for part in line.strip().split("…"))
        found = re.search(pattern, left)
        if found is None:
            lacking.append(line)
        else:
            left = left[found.end() :]
    return lacking
