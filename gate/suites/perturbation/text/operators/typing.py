"""Slips of the fingers: a neighbouring key, two letters in the wrong order, one too few, one too many."""

from __future__ import annotations

from itertools import pairwise

from gate.suites.perturbation.text.draws import Draws
from gate.suites.perturbation.text.operator import Meaning, Operator, at_places
from gate.suites.perturbation.text.prepared import Prepared
from gate.suites.perturbation.text.protected import Span
from gate.suites.perturbation.text.tables.typing import NEIGHBOURS

_STRENGTH = 0.05
_SHORTEST = 4
"""Letters of a word that is edited; shorter ones too easily become other words."""


def _letters(prepared: Prepared) -> list[Span]:
    """Each letter (with its marks) of the longer words."""
    return [span for word in _long(prepared) for span in prepared.characters(*word) if _is_letter(prepared, span)]


def _is_letter(prepared: Prepared, span: Span) -> bool:
    return prepared.text[span[0]].isalpha()


def _keys(prepared: Prepared) -> list[Span]:
    return [span for span in _letters(prepared) if prepared.text[span[0] : span[1]].lower() in NEIGHBOURS]


def _inner(prepared: Prepared) -> list[Span]:
    """The letters but the first of each word, by which readers know it."""
    found = []
    for word in _long(prepared):
        found += [span for span in prepared.characters(*word)[1:] if _is_letter(prepared, span)]
    return found


def _pairs(prepared: Prepared) -> list[Span]:
    """Two different letters side by side, within a word and after its first."""
    text, found = prepared.text, []
    for word in _long(prepared):
        letters = [span for span in prepared.characters(*word)[1:] if _is_letter(prepared, span)]
        for (start, middle), (other, end) in pairwise(letters):
            if middle == other and text[start:middle] != text[other:end]:
                found.append((start, end))
    return found


def _long(prepared: Prepared) -> list[Span]:
    return [(start, end) for start, end in prepared.words if end - start >= _SHORTEST]


def _neighbour(letter: str, draws: Draws) -> str:
    key = draws.pick(NEIGHBOURS[letter.lower()])
    return key.upper() if letter.isupper() else key


def _swapped(pair: str, _: Draws) -> str:
    first = Prepared(pair).characters(0, len(pair))[0][1]
    return pair[first:] + pair[:first]


def _with_neighbour(letter: str, draws: Draws) -> str:
    return letter + _neighbour(letter, draws)


OPERATORS = (
    Operator(
        "keyboard-typo",
        Meaning.NEARLY,
        "typing",
        "a letter becomes its neighbour on the keyboard",
        at_places(_keys, _neighbour),
        _STRENGTH,
    ),
    Operator(
        "swap-letters",
        Meaning.NEARLY,
        "typing",
        "two letters of a word change places",
        at_places(_pairs, _swapped),
        _STRENGTH,
    ),
    Operator(
        "delete-letter",
        Meaning.NEARLY,
        "typing",
        "a letter of a word is left out",
        at_places(_inner, lambda _, __: ""),
        _STRENGTH,
    ),
    Operator(
        "insert-letter",
        Meaning.NEARLY,
        "typing",
        "a neighbouring key is hit as well",
        at_places(_keys, _with_neighbour),
        _STRENGTH,
    ),
)
