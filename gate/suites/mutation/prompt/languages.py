"""The words of a language: tables in `keywords/`, one file a language, and which table a sentence is read with.

A file has `keywords` (words that make a sentence a rule), `headings`, `speakers`, `words` (what operators put in the
place of what), `numbers`, `labels` and `poison`. Patterns are regular expressions in which a space stands for any white
space and an apostrophe for any of its forms; in languages that separate words they match whole words only.
"""

from __future__ import annotations

import functools
import re
import tomllib
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from importlib import resources
from typing import Any

LANGUAGES = ("en", "de", "fr", "es", "it", "pt", "zh", "ja")
WORD = re.compile(r"[^\W\d_①-⑳]+")  # a number in a circle is the sign of an item, and may touch its first word
_KANA = re.compile(r"[\u3040-\u30ff]")
_HAN = re.compile(r"[\u3400-\u9fff\uf900-\ufaff]")
_NEVER = re.compile(r"(?!)")

Pairs = tuple[tuple[re.Pattern[str], str], ...]


@dataclass(frozen=True)
class Language:
    """One table, compiled.

    Attributes:
        keyword: finds any word that makes a sentence a rule.
        condition, exception: find the words that begin such a clause.
        condition_clauses, exception_clauses: whole clauses, for languages in which no word begins them.
        triggers: lower-case first words of all keywords; empty where words are not separated.
        phrases: all keywords as they are written; likewise.
        pairs: by kind (`invert`, `weaken`, `compare`, `scope`) what is replaced by what.
        numbers: patterns of number words and their values.
        number_words: the plain ones by value, for writing a number as a word.
    """

    code: str
    name: str
    spaced: bool
    decimal: str
    function_words: frozenset[str]
    keyword: re.Pattern[str]
    condition: re.Pattern[str]
    exception: re.Pattern[str]
    condition_clauses: tuple[re.Pattern[str], ...]
    exception_clauses: tuple[re.Pattern[str], ...]
    triggers: frozenset[str]
    phrases: tuple[str, ...]
    rule_heading: re.Pattern[str]
    example_heading: re.Pattern[str]
    pairs: Mapping[str, Pairs]
    negative: str
    negative_inside: str
    numbers: tuple[tuple[re.Pattern[str], int], ...]
    number_words: Mapping[int, str]
    references: frozenset[str]
    poison: str
    speakers: tuple[tuple[str, ...], tuple[str, ...]]


@functools.cache
def language(code: str) -> Language:
    """The table of one of `LANGUAGES`."""
    text = resources.files(__package__).joinpath("keywords").joinpath(f"{code}.toml").read_text(encoding="utf-8")
    data = tomllib.loads(text)
    spaced = data["script"] == "latin"
    keywords, words = data["keywords"], data["words"]
    rules = [*keywords["prohibition"], *keywords["obligation"], *keywords["limit"]]
    every = [*rules, *keywords["condition"], *keywords["exception"]]
    imperative = words.get("imperative", {})
    return Language(
        code=data["code"],
        name=data["name"],
        spaced=spaced,
        decimal=data["decimal"],
        function_words=frozenset(data["function_words"]),
        keyword=_any(rules, spaced),
        condition=_any(keywords["condition"], spaced),
        exception=_any(keywords["exception"], spaced),
        condition_clauses=tuple(re.compile(one) for one in words.get("condition", ())),
        exception_clauses=tuple(re.compile(one) for one in words.get("exception", ())),
        triggers=frozenset(_first_word(one) for one in every) if spaced else frozenset(),
        phrases=tuple(every) if spaced else (),
        rule_heading=_any(data["headings"]["rules"], spaced),
        example_heading=_any(data["headings"]["examples"], spaced),
        pairs={kind: _pairs(words[kind], spaced) for kind in ("invert", "weaken", "compare", "scope")},
        negative=imperative.get("negative", ""),
        negative_inside=imperative.get("negative_inside", ""),
        numbers=tuple((_pattern(one, spaced), value) for one, value in data["numbers"].items()),
        number_words={value: one for one, value in data["numbers"].items() if WORD.fullmatch(one)},
        references=frozenset(data["labels"]["references"]),
        poison=data["poison"]["passage"],
        speakers=(tuple(data["speakers"]["user"]), tuple(data["speakers"]["assistant"])),
    )


@functools.cache
def spaced_languages() -> tuple[Language, ...]:
    return tuple(table for table in map(language, LANGUAGES) if table.spaced)


@functools.cache
def _beginnings() -> tuple[frozenset[str], Mapping[str, frozenset[str]]]:
    """Of all keywords: those of one word, and of the others the second words by the first."""
    whole: set[str] = set()
    longer: dict[str, set[str]] = {}
    for table in spaced_languages():
        for phrase in table.phrases:
            first, *rest = WORD.findall(phrase.lower()) or [phrase]
            if rest:
                longer.setdefault(first, set()).add(rest[0])
            else:
                whole.add(first)
    return frozenset(whole), {first: frozenset(seconds) for first, seconds in longer.items()}


def may_begin_keyword(word: str) -> bool:
    """Whether a word in small letters is the first one of a keyword of a language that separates words."""
    whole, longer = _beginnings()
    return word in whole or word in longer


def may_follow(word: str) -> frozenset[str] | None:
    """Which words in small letters come second in keywords that begin with a word; None where it is one by itself."""
    whole, longer = _beginnings()
    return None if word in whole else longer.get(word, frozenset())


def may_hold_keyword(words: Sequence[str]) -> bool:
    """Whether words in small letters may hold a keyword of a language that separates words; a no is never wrong."""
    whole, longer = _beginnings()
    if not whole.isdisjoint(words):
        return True
    firsts = longer.keys() & set(words)
    return any(not longer[first].isdisjoint(words) for first in firsts)


@functools.cache
def _known_words() -> Mapping[str, tuple[tuple[str, int], ...]]:
    """By word the languages that know it, with 2 for a function word and 1 for the beginning of a keyword."""
    found: dict[str, tuple[tuple[str, int], ...]] = {}
    for table in spaced_languages():
        for word in table.function_words | table.triggers:
            if word in table.function_words or len(word) > 1:
                weight = 2 if word in table.function_words else 1
                found[word] = (*found.get(word, ()), (table.code, weight))
    return found


def is_cjk(text: str) -> bool:
    """Whether a text is written mainly in Chinese or Japanese signs."""
    signs = len(_HAN.findall(text)) + len(_KANA.findall(text))
    return signs > 0 and signs * 6 >= sum(map(len, WORD.findall(text))) - signs


def guess(text: str, words: Iterable[str], default: str) -> str:
    """Code of the language that a text is most likely written in.

    Args:
        words: its words in lower case.
        default: what to take when the words don't tell.
    """
    if not text.isascii():
        kana = _KANA.search(text)
        if (kana or _HAN.search(text)) and is_cjk(text):
            if kana:
                return "ja"
            return default if default in ("ja", "zh") else "zh"
    scores: dict[str, int] = {}
    known = _known_words()
    for word in words:
        for code, weight in known.get(word, ()):
            scores[code] = scores.get(code, 0) + weight
    best = max(scores.values(), default=0)
    leading = [code for code in LANGUAGES if scores.get(code, 0) == best and best > 0]
    if default in leading or not leading or (best < 4 and len(leading) > 1):
        return default
    return leading[0]


def overall(text: str, longest: int = 50_000) -> str:
    """Code of the language of a whole prompt, judged by its beginning; English when nothing tells."""
    head = text[:longest]
    kana = len(_KANA.findall(head))
    if is_cjk(head):
        return "ja" if kana * 10 >= len(_HAN.findall(head)) else "zh"
    return guess("", (word.lower() for word in WORD.findall(head)), "en")


def _any(phrases: Sequence[str], spaced: bool) -> re.Pattern[str]:
    """Finds any of the phrases, the longer one first."""
    if not phrases:
        return _NEVER
    return _pattern(
        "|".join(re.escape(one).replace(r"\ ", " ") for one in sorted(phrases, key=len, reverse=True)), spaced
    )


def _pattern(source: str, spaced: bool) -> re.Pattern[str]:
    source = source.replace(" ", r"\s+").replace("'", "['’ʼ]")
    bounded = rf"(?<![^\W①-⑳])(?:{source})(?:(?!\w)|(?<=['’ʼ]))" if spaced else source
    return re.compile(bounded, re.IGNORECASE)


def _pairs(rows: Sequence[Any], spaced: bool) -> Pairs:
    return tuple((_pattern(found, spaced), instead) for found, instead in rows)


def _first_word(phrase: str) -> str:
    found = WORD.search(phrase)
    return found.group().lower() if found else phrase
