"""JSON with the place of every value, so that one value can be changed and the rest kept byte by byte."""

from __future__ import annotations

import json
import re
from dataclasses import dataclass, field
from typing import Any

from gate.suites.mutation.prompt.model import Span

_TOKEN = re.compile(r'[ \t\r\n]*(?:([{}\[\],:])|("(?:[^"\\\x00-\x1f]|\\.)*+")|([^\s{}\[\],:"]+))', re.DOTALL)


@dataclass(slots=True)
class Node:
    """A value and where it stands; members of an object by key (the last of equal ones), items of a list in order."""

    start: int
    end: int = -1
    value: Any = None
    members: dict[str, Node] = field(default_factory=dict)
    items: list[Node] = field(default_factory=list)
    kind: str = "scalar"

    @property
    def span(self) -> Span:
        return Span(self.start, self.end)


def read(text: str, start: int = 0, end: int | None = None) -> Node | None:
    """The one JSON value between two offsets, or None when there is something else."""
    end = len(text) if end is None else end
    try:
        json.loads(text[start:end])
    except (ValueError, RecursionError):
        return None
    return _tree(text, start, end)


def _tree(text: str, start: int, end: int) -> Node | None:
    """Valid JSON as a tree, without recursion."""
    opened: list[Node] = []
    keys: list[str | None] = []
    root: Node | None = None
    at = start
    while at < end and (token := _TOKEN.match(text, at, end)):
        at = token.end()
        sign, string, scalar = token.groups()
        if sign in ("}", "]"):
            opened.pop().end = at
            keys.pop()
            continue
        if sign in (",", ":"):
            continue
        if string is not None and opened and opened[-1].kind == "object" and keys[-1] is None:
            keys[-1] = json.loads(string)
            continue
        node = Node(token.start(token.lastindex or 0), at, kind={"{": "object", "[": "list"}.get(sign or "", "scalar"))
        if node.kind == "scalar":
            node.value = json.loads(string if string is not None else scalar)
        if not opened:
            root = node
        elif opened[-1].kind == "object":
            opened[-1].members[str(keys[-1])] = node
            keys[-1] = None
        else:
            opened[-1].items.append(node)
        if node.kind != "scalar":
            opened.append(node)
            keys.append(None)
    return root
