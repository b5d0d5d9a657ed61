"""What a prompt consists of. Every span is a pair of offsets into the prompt as it was given, byte order unchanged.

All but the prompt itself are tuples, since a megabyte of short lines has a million of them.
"""

from __future__ import annotations

import functools
import hashlib
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from typing import Any, Literal, NamedTuple

BlockKind = Literal["paragraph", "item", "row", "heading", "label", "code", "tag", "control", "break"]
RuleKind = Literal["keyword", "conditional", "listed"]

_ID_DIGITS = 12


class Span(NamedTuple):
    """The characters from `start` up to, not including, `end`."""

    start: int
    end: int

    def of(self, text: str) -> str:
        return text[self.start : self.end]

    def holds(self, other: Span) -> bool:
        return self.start <= other.start and other.end <= self.end


class Block(NamedTuple):
    """A run of text between two boundaries of the layout. Its two spans are made when they are asked for.

    Attributes:
        start, end: of the text, without the marker of a list, the `#` of a heading or the fence of code.
        outer_start, outer_end: of whole lines, marker and line end included.
        depth: how many lists it stands in, or the level of a heading.
        group: number of the list or paragraph that it belongs to; rules change places within one group only.
    """

    kind: BlockKind
    start: int
    end: int
    outer_start: int
    outer_end: int
    depth: int = 0
    group: int = 0

    @property
    def span(self) -> Span:
        """The text."""
        return Span(self.start, self.end)

    @property
    def outer(self) -> Span:
        """The whole lines."""
        return Span(self.outer_start, self.outer_end)


class Section(NamedTuple):
    """A heading or an opening tag with all that it governs; `span` is whole lines."""

    title: str
    span: Span
    level: int
    origin: Literal["heading", "label", "tag"]


class Example(NamedTuple):
    """One shot of a few-shot prompt; `span` is whole lines."""

    span: Span


class Rule(NamedTuple):
    """A sentence that tells the model what it must or must not do.

    Attributes:
        id: 12 hexadecimal digits, made of the sentence's words and, for a sentence that stands more than once, its
            number; so it survives edits elsewhere and any other order of the rules.
        span: the sentence, its closing mark included.
        language: code of the table whose keywords were found.
        kind: found by a keyword, by a condition, or because it is listed below a heading such as "Rules".
        block: index into `Prompt.blocks`.
    """

    id: str
    span: Span
    language: str
    kind: RuleKind
    block: int


@dataclass(frozen=True, slots=True)
class Prompt:
    """A parsed prompt.

    Attributes:
        sentences: spans of all sentences outside code and examples, rules among them.
        protected: spans that no operator writes into: placeholders, inline code, tags, addresses.
        include_code: code was read as text.
        code_blocks: how many blocks of code were left out.
        notes: what a reader should know, such as that no rule was found.
    """

    text: str
    blocks: tuple[Block, ...]
    sections: tuple[Section, ...]
    examples: tuple[Example, ...]
    rules: tuple[Rule, ...]
    sentences: tuple[Span, ...]
    protected: tuple[Span, ...]
    language: str
    include_code: bool = False
    code_blocks: int = 0
    notes: tuple[str, ...] = field(default=())

    def rule_text(self, rule: Rule) -> str:
        return rule.span.of(self.text)


span_of: Callable[[tuple[int, int]], Span] = functools.partial(tuple.__new__, Span)
"""A span in two thirds of the time that its fields by name take; a megabyte can hold half a million of them."""
block_of: Callable[[tuple[BlockKind, int, int, int, int, int, int]], Block] = functools.partial(tuple.__new__, Block)
"""A block, likewise."""
rule_of: Callable[[tuple[str, Span, str, RuleKind, int]], Rule] = functools.partial(tuple.__new__, Rule)
"""A rule, likewise."""


def normal(text: str) -> str:
    """Text with every run of white space as one space: the same words, however they are wrapped."""
    return " ".join(text.split())


def stable_id(*parts: str) -> str:
    """12 hexadecimal digits of the SHA-256 of the parts, which can't run into each other."""
    return hashlib.sha256(b"".join(map(_told, parts))).hexdigest()[:_ID_DIGITS]


def _told(part: str) -> bytes:
    data = part.encode("utf-8", "surrogatepass")
    return b"%d:%b" % (len(data), data)


def numbered(keys: Iterable[str]) -> list[tuple[str, int]]:
    """Each key with how many equal ones stand before it."""
    seen: dict[str, int] = {}
    found = []
    for key in keys:
        seen[key] = seen.get(key, -1) + 1
        found.append((key, seen[key]))
    return found


def numbered_ids(kind: str, keys: Iterable[str]) -> list[str]:
    """`stable_id` of a kind, each key, and how many equal ones stand before it."""
    begun: dict[str, Any] = {}
    seen: dict[str, int] = {}
    found = []
    for key in keys:
        number = seen[key] = seen.get(key, -1) + 1
        if not number:
            found.append(stable_id(kind, key, "0"))
            continue
        if number == 1:
            begun[key] = hashlib.sha256(_told(kind) + _told(key))
        own = begun[key].copy()  # so that what is equal is hashed once
        own.update(b"%d:%d" % (len(str(number)), number))
        found.append(own.hexdigest()[:_ID_DIGITS])
    return found
