"""Which sentences of a prompt are rules: by a keyword, by a condition, or in a list below a heading such as "Rules"."""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import NamedTuple

from gate.suites.mutation.prompt.languages import (
    WORD,
    Language,
    guess,
    language,
    may_begin_keyword,
    may_follow,
    may_hold_keyword,
)
from gate.suites.mutation.prompt.model import Rule, RuleKind, Span, normal, numbered_ids, rule_of
from gate.suites.mutation.prompt.placeholders import is_touched, overlapping

_QUESTION = ("?", "？", "か。")
_HEAD = re.compile(r"[*_\"'“„«(\[>\s-]*(?:[^\W\d_][^.:!?\r\n]{0,60}:[*_]*\s+)?[*_\"'“„«(]*")
_SIGNS = re.compile(r"[\u3040-\u30ff\u3400-\u9fff]")
_RUN_OF_SIGNS = re.compile(rf"{_SIGNS.pattern}+")  # ends in a sentence, where it may begin with the sign of an item
_FEWEST_WORDS = 3


class Sentence(NamedTuple):
    """A sentence.

    Attributes:
        block: index of its block.
        listed: it stands in a list below a heading that announces rules.
        label: it is the whole of a label, such as `You must:`.
    """

    span: Span
    block: int
    listed: bool
    label: bool = False


@dataclass(slots=True)
class Sentences:
    """All sentences of a prompt in order, of which few are listed and few are labels.

    Attributes:
        blocks: for each, the index of its block.
        listed, labels: places of those that are, see `Sentence`.
    """

    spans: list[Span] = field(default_factory=list)
    blocks: list[int] = field(default_factory=list)
    listed: set[int] = field(default_factory=set)
    labels: set[int] = field(default_factory=set)

    def at(self, place: int) -> Sentence:
        return Sentence(self.spans[place], self.blocks[place], place in self.listed, place in self.labels)


def rules_of(text: str, sentences: Sentences, protected: Sequence[Span], main: str) -> list[Rule]:
    """Rules in the order of the text.

    Args:
        protected: spans in which a keyword does not count.
        main: code of the prompt's own language, for sentences that don't tell theirs.
    """
    seen: dict[tuple[str, bool, bool, bool], tuple[RuleKind, str] | None] = {}
    found: list[tuple[int, RuleKind, str]] = []
    shown: list[str] = []
    for place in _promising(text, sentences):
        start, end = span = sentences.spans[place]
        sentence = text[start:end]
        key = sentence, place in sentences.listed, place in sentences.labels, text[start - 1 : start].isalnum()
        if protected and (covered := overlapping(protected, span)):
            kind = _kind(text, sentences.at(place), covered, main)
        elif key in seen:
            kind = seen[key]
        else:
            kind = seen[key] = _kind(text, sentences.at(place), (), main)
        if kind:
            found.append((place, *kind))
            shown.append(normal(sentence))
    return [
        rule_of((id_, sentences.spans[place], code, kind, sentences.blocks[place]))
        for id_, (place, kind, code) in zip(numbered_ids("rule", shown), found, strict=True)
    ]


def _promising(text: str, sentences: Sentences) -> list[int]:
    """Places of sentences that may be rules, in order: listed ones, and those in which a keyword may begin."""
    held = set(sentences.listed)
    if hopeful := _hopeful(text):
        starts = [start for start, _ in sentences.spans]
        held.update([bisect_right(starts, place) - 1 for place in hopeful])
        held.discard(-1)
    return sorted(held)


def _hopeful(text: str) -> list[int]:
    """Where in a text keywords may begin, or signs stand that may be some."""
    places = [] if text.isascii() else [found.end() - 1 for found in _RUN_OF_SIGNS.finditer(text)]
    following: Mapping[str, frozenset[str] | None] = {
        word: may_follow(word.lower()) for word in set(WORD.findall(text)) if may_begin_keyword(word.lower())
    }
    if following:
        begun: frozenset[str] | None = frozenset()
        at = 0
        for found in WORD.finditer(text):
            word = found.group()
            if begun and word.lower() in begun:
                places.append(at)
            begun = frozenset()
            if word in following:
                begun, at = following[word], found.start()
                if begun is None:
                    places.append(at)
    return places


def _kind(text: str, sentence: Sentence, covered: Sequence[Span], main: str) -> tuple[RuleKind, str] | None:
    """How a sentence was found to be a rule, and in which language; None if it is none."""
    shown = sentence.span.of(text).replace("\r\n", "\n")  # one end of a line, however it is written
    if shown.rstrip("*_\"'”’ ").endswith(_QUESTION):
        return None
    signs = not shown.isascii() and _has_signs(shown)
    words = [word.lower() for word in WORD.findall(shown)]
    if not sentence.listed and not signs and not may_hold_keyword(words):
        return None
    code = guess(shown, words, main)
    for table in _tables(code, main, signs=signs):
        kind = _found(text, sentence.span, covered, table)
        if kind and not (sentence.label and (kind == "conditional" or len(words) < _FEWEST_WORDS)):
            return kind, table.code
    if sentence.listed and len(shown) > _FEWEST_WORDS and not shown.startswith(("(", "（")):
        return "listed", code
    return None


def _tables(code: str, main: str, *, signs: bool) -> Iterator[Language]:
    """The table of the sentence's language, then those of the prompt and of scripts that it contains."""
    yield language(code)
    if code == "ja":
        return
    further = (main, "zh", "ja") if signs else (main,)
    yield from (language(one) for one in dict.fromkeys(further) if one != code)


def _found(text: str, span: Span, covered: Sequence[Span], table: Language) -> RuleKind | None:
    if _outside(table.keyword, text, span, covered):
        return "keyword"
    condition = _outside(table.condition, text, span, covered)
    if condition and _directs(text, span, condition, table):
        return "conditional"
    if _outside(table.exception, text, span, covered) and _directs(text, span, None, table):
        return "conditional"
    return None


def _outside(pattern: re.Pattern[str], text: str, span: Span, covered: Sequence[Span]) -> re.Match[str] | None:
    """First match in a span that touches none of the covered spans."""
    for found in pattern.finditer(text, span.start, span.end):
        if not is_touched(covered, *found.span()):
            return found
    return None


def _directs(text: str, span: Span, condition: re.Match[str] | None, table: Language) -> bool:
    """Whether a sentence with a condition tells what to do rather than how things are.

    It does when the condition comes first, or when it begins with something that is no article, pronoun or the like:
    in a prompt that is a verb. What is said to the model itself ("you …") counts as well.
    """
    if not table.spaced:
        return True
    start = _HEAD.match(text, span.start, span.end)
    begin = start.end() if start else span.start
    if condition and condition.start() <= begin:
        return "," in text[condition.end() : span.end] or "then" in text[condition.end() : span.end]
    word = WORD.match(text, begin, span.end)
    if not word:
        return False
    first = word.group().lower()
    return first not in table.function_words or first in ("you", "du", "tu", "vous", "usted", "você")


def _has_signs(text: str) -> bool:
    """Whether a text holds Chinese or Japanese signs."""
    return _SIGNS.search(text) is not None
