"""Few-shot examples: what stands in an example tag, below an example heading, or as turns of two speakers.

Rules are not looked for in them; what a customer says in an example binds nobody.
"""

from __future__ import annotations

import functools
import re
from bisect import bisect_right
from collections.abc import Mapping, Sequence

from gate.suites.mutation.prompt.languages import LANGUAGES, language
from gate.suites.mutation.prompt.model import Block, Example, Section, Span

_TAG_NAMES = re.compile(
    r"(?:few_?-?shots?|examples?|samples?|demonstrations?|beispiele?|exemples?|ejemplos?|esempio?|exemplos?)_?\d*$",
    re.IGNORECASE,
)
_COLON = re.compile("[:：]")
_LIKE_I = {0x131: "i", 0x307: None}  # a pattern without case takes a dotless i, and one with two dots, for an i
_LONGEST_NAME = 80  # with the colon behind it
_DECORATION = r"[\s>*_\"'“「`#-]*"


def examples_of(
    text: str, blocks: Sequence[Block], sections: Sequence[Section], labels: Mapping[int, str]
) -> list[Example]:
    """Examples in order, without overlap.

    Args:
        labels: as `labels_of` finds them.
    """
    found = _by_tags(sections) + _by_headings(text, blocks, sections, labels) + _by_turns(text, blocks)
    kept: list[Span] = []
    for span in sorted(found, key=lambda one: (one.start, -one.end)):
        if not kept or span.start >= kept[-1].end:
            kept.append(span)
    return [Example(span) for span in kept]


def _by_tags(sections: Sequence[Section]) -> list[Span]:
    """The innermost example tags, so that each shot of `<examples>` is one."""
    named = [one.span for one in sections if one.origin == "tag" and _TAG_NAMES.match(one.title)]
    inner = []
    for place, span in enumerate(named):  # in order of their start, the outer one first
        following = named[place + 1] if place + 1 < len(named) else None
        if following is None or not span.holds(following):
            inner.append(span)
    return inner


def _by_headings(
    text: str, blocks: Sequence[Block], sections: Sequence[Section], labels: Mapping[int, str]
) -> list[Span]:
    """Each top-level block below a heading that announces examples; below a label, as far as they are no prose."""
    found: list[Span] = []
    after = -1
    starts: list[int] = []
    place = 0
    for section in sections:
        if section.origin == "tag" or section.span.start < after or not announces_examples(section.title):
            continue
        starts = starts or [block.outer_start for block in blocks]
        after = section.span.end
        if any(sign.isdigit() for sign in section.title):  # "Example 2" is one example as a whole
            found.append(section.span)
            continue
        while place < len(blocks) and starts[place] <= section.span.start:
            place += 1
        while place < len(blocks) and starts[place] < after:
            block = blocks[place]
            prose = block.kind == "paragraph" and block.depth == 0 and section.origin == "label"
            if prose and not speaker(text, block):
                after = block.outer_start
                break
            if block.kind not in ("heading", "break", "tag", "control") and place not in labels:
                _extend(found, block, section.span.start)
            place += 1
    return found


def _extend(found: list[Span], block: Block, since: int) -> None:
    """Begin an example with a block, or join a nested block to the one before it."""
    nested = block.depth > 1 or (block.depth == 1 and block.kind == "paragraph")
    if nested and found and found[-1].start >= since:
        found[-1] = Span(found[-1].start, block.outer_end)
    else:
        found.append(block.outer)


def _by_turns(text: str, blocks: Sequence[Block]) -> list[Span]:
    """A turn of the user with the answers that follow; without an answer it is no example."""
    found: list[Span] = []
    started: Block | None = None
    answered: Block | None = None
    named = _first_colons(text, blocks) if _may_hold_turns(text) else dict[int, int]()
    for place in range(min(named, default=len(blocks)), len(blocks)):
        block = blocks[place]
        if started is None and place not in named:
            continue
        who = _who(text, block, named[place]) if place in named else ""
        if who == "user":
            if started and answered:
                found.append(Span(started.outer_start, answered.outer_end))
            started, answered = block, block if _has_answer(text, block) else None
        elif who == "assistant" and started:
            answered = block
        elif block.kind in ("heading", "tag") or (who == "" and block.kind != "code"):
            if started and answered:
                found.append(Span(started.outer_start, answered.outer_end))
            started = answered = None
        elif block.kind == "code" and answered:
            answered = block
    if started and answered:
        found.append(Span(started.outer_start, answered.outer_end))
    return found


def _may_hold_turns(text: str) -> bool:
    """Whether the name of a user stands anywhere; a no is never wrong."""
    folded = text.lower() if text.isascii() else text.casefold().translate(_LIKE_I)
    return any(name in folded for name in _names_of_users())


@functools.cache
def _names_of_users() -> tuple[str, ...]:
    names = {name for code in LANGUAGES for name in language(code).speakers[0]}
    return tuple(sorted({name.casefold().translate(_LIKE_I) for name in names}))


def _first_colons(text: str, blocks: Sequence[Block]) -> dict[int, int]:
    """By the places of the blocks that hold a colon, where the first one ends; in no other block somebody speaks."""
    starts = [block.start for block in blocks]
    found: dict[int, int] = {}
    for colon in _COLON.finditer(text):
        found.setdefault(bisect_right(starts, colon.start()) - 1, colon.end())
    found.pop(-1, None)
    return found


def speaker(text: str, block: Block) -> str:
    """`user`, `assistant` or an empty text: who speaks in a block that begins with a speaker's name."""
    colon = _COLON.search(text, block.start, min(block.end, block.start + _LONGEST_NAME))
    return _who(text, block, colon.end()) if colon else ""


def _who(text: str, block: Block, colon: int) -> str:
    """Who speaks in a block, whose first colon ends at an offset."""
    kind, start, end, _, _, _, _ = block
    if kind not in ("paragraph", "item") or colon > min(end, start + _LONGEST_NAME):
        return ""
    return _speaker(text[start:colon])


@functools.lru_cache(maxsize=1024)
def _speaker(begin: str) -> str:
    """Who speaks behind a text that ends in the first colon."""
    found = _turns().match(begin)
    if not found:
        return ""
    return "user" if found["user"] else "assistant"


def _has_answer(text: str, block: Block) -> bool:
    """Whether the answer stands in the same block, on a line of its own."""
    return any(found["assistant"] for found in _turns_by_line().finditer(text, block.start, block.end))


@functools.lru_cache(maxsize=1024)
def announces_examples(title: str) -> bool:
    return any(language(code).example_heading.search(title) for code in LANGUAGES)


@functools.cache
def _turns() -> re.Pattern[str]:
    return re.compile(_DECORATION + _names(), re.IGNORECASE)


@functools.cache
def _turns_by_line() -> re.Pattern[str]:
    return re.compile(r"^" + _DECORATION + _names(), re.IGNORECASE | re.MULTILINE)


def _names() -> str:
    tables = [language(code).speakers for code in LANGUAGES]
    user = "|".join(sorted({re.escape(name) for users, _ in tables for name in users}, key=len, reverse=True))
    answer = "|".join(sorted({re.escape(name) for _, answers in tables for name in answers}, key=len, reverse=True))
    asks = r"(?:\s+(?:asks?|repl(?:y|ies)|says?|\d+))?[*_\"'”」]*\s*[:：]"
    return rf"(?:(?P<user>{user})|(?P<assistant>{answer})){asks}"
