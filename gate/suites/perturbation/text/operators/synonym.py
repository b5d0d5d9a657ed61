"""Synonyms, from a word list of your own or from a WordNet through the library `wn` (1.1 or newer).

A family by itself, so that no other needs a library.
"""

from __future__ import annotations

import importlib
import re
from collections.abc import Callable, Mapping, Sequence
from functools import lru_cache
from typing import Any

from gate.errors import UsageError
from gate.suites.perturbation.text.operator import Meaning, Operator, at_places
from gate.suites.perturbation.text.prepared import Prepared
from gate.suites.perturbation.text.protected import Span

_WORD = re.compile(r"\b[a-z]{4,}\b")
_ONE_WORD = re.compile(r"[a-z]+")
_WHERE = "operator `synonym`"

Lookup = Callable[[str], Sequence[str]]


def synonym_operator(words: Mapping[str, Sequence[str]] | None = None, name: str = "synonym") -> Operator:
    """An operator that puts a synonym in the place of a word (four lower-case Latin letters or more).

    Args:
        words: by word those that may take its place; None for an English WordNet through `wn`, where all words of the
            synset that stands first are synonyms, without regard to inflection.
        name: of the operator, for a list of your own.

    Its edit raises `UsageError` where `wn` or its data is absent.
    """
    lookup: Lookup = wordnet if words is None else lambda word: words.get(word, ())

    def places(prepared: Prepared) -> list[Span]:
        return [(start, end) for start, end in prepared.matches(_WORD) if _others(prepared.text[start:end], lookup)]

    edit = at_places(places, lambda word, draws: draws.pick(_others(word, lookup)))
    return Operator(name, Meaning.NEARLY, "synonym", "a word becomes a synonym", edit, 0.2)


def _others(word: str, lookup: Lookup) -> list[str]:
    return [other for other in lookup(word) if other != word]


@lru_cache(maxsize=65_536)
def wordnet(word: str) -> tuple[str, ...]:
    """One-word lemmas that share the first synset of `word` in the English WordNet, sorted.

    Raises:
        UsageError: `wn` is not installed, or no English WordNet is.
    """
    senses = _english().synsets(word)
    lemmas = senses[0].lemmas() if senses else []
    return tuple(sorted({str(lemma) for lemma in lemmas if _ONE_WORD.fullmatch(lemma)} - {word}))


@lru_cache(maxsize=1)
def _english() -> Any:
    own = "or give a word list of your own: `synonym_operator({'quick': ['fast']})`"
    try:
        wn = importlib.import_module("wn")
    except ImportError:
        remedy = f"`pip install wn`, then `python -m wn download oewn:2024`; {own}"
        raise UsageError("the library `wn` is not installed", where=_WHERE, remedy=remedy) from None
    lexicons = sorted(lexicon.specifier() for lexicon in wn.lexicons(lang="en"))
    if not lexicons:
        remedy = f"`python -m wn download oewn:2024`; {own}"
        raise UsageError("`wn` has no English WordNet yet", where=_WHERE, remedy=remedy)
    return wn.Wordnet(max(lexicons, key=lambda name: (name.startswith("oewn"), name)))


OPERATORS = (synonym_operator(),)
