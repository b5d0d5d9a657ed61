"""The same said in other words: contractions, spellings, and fewer small words (English)."""

from __future__ import annotations

import re
from collections.abc import Mapping

from gate.suites.perturbation.text.operator import Edit, Meaning, Operator, at_places
from gate.suites.perturbation.text.tables.wording import (
    AUXILIARIES,
    BRITISH_ONLY,
    NEGATIONS,
    SPELLINGS,
    STOP_WORDS,
)

_PRONOUN = r"(?! (?:i|you|he|she|it|we|they)\b)"
_IS = r"(?= (?:a|an|the|not|my|your|our|very|so|too|in|on|at)\b)"
"""After `it's` these words show that it is `it is`, not `it has`."""


def _either(words: Mapping[str, str]) -> str:
    longest_first = sorted(words, key=lambda word: (-len(word), word))
    return "|".join(re.escape(word).replace("'", "['’]") for word in longest_first)


def _like(piece: str, new: str) -> str:
    """The new words with the case of the old: all capitals, a capital first, or as they are."""
    letters = [letter for letter in piece if letter.isalpha()]
    if len(letters) > 1 and all(letter.isupper() for letter in letters):
        return new.upper()
    new = re.sub(r"^i(?=['’ ])", "I", new)
    return new[0].upper() + new[1:] if piece[0].isupper() else new


def _by_table(table: Mapping[str, str], pattern: str) -> Edit:
    found = re.compile(rf"\b(?:{pattern})\b", re.IGNORECASE)
    return at_places(
        lambda text: text.matches(found), lambda piece, _: _like(piece, table[piece.lower().replace("’", "'")])
    )


def _contract() -> Edit:
    pattern = rf"(?:{_either(NEGATIONS)})\b{_PRONOUN}|(?:{_either(AUXILIARIES)})\b(?= (?!not\b)\w)"
    return _by_table(NEGATIONS | AUXILIARIES, pattern)


def _expand() -> Edit:
    longer = {short: long for long, short in (NEGATIONS | AUXILIARIES).items() if long != "can not"}
    unsure = {short: long for short, long in longer.items() if short.endswith("'s") and short != "let's"}
    sure = {short: long for short, long in longer.items() if short not in unsure}
    return _by_table(longer, rf"(?:{_either(sure)})\b{_PRONOUN}|(?:{_either(unsure)})\b{_IS}")


def _spellings() -> dict[str, str]:
    """British words and their American spellings."""
    found: dict[str, str] = {}
    for line in SPELLINGS.strip().splitlines():
        british, american, *endings = line.split()
        found |= {british + ending[1:]: american + ending[1:] for ending in endings}
    return found


_AMERICAN = _spellings()
_BRITISH = {american: british for british, american in _AMERICAN.items()}
_STOP_WORD = re.compile(rf"\b(?:{'|'.join(sorted(STOP_WORDS))})\b[ ]+(?=\S)")

OPERATORS = (
    Operator("contract", Meaning.PRESERVING, "wording", "`do not` becomes `don't`", _contract(), 1.0),
    Operator("expand", Meaning.PRESERVING, "wording", "`don't` becomes `do not`", _expand(), 1.0),
    Operator(
        "american-spelling",
        Meaning.PRESERVING,
        "wording",
        "`colour` becomes `color`",
        _by_table(_AMERICAN | BRITISH_ONLY, _either(_AMERICAN | BRITISH_ONLY)),
        1.0,
    ),
    Operator(
        "british-spelling",
        Meaning.PRESERVING,
        "wording",
        "`color` becomes `colour`",
        _by_table(_BRITISH, _either(_BRITISH)),
        1.0,
    ),
    Operator(
        "drop-stop-words",
        Meaning.NEARLY,
        "wording",
        "small words are left out, negations never",
        at_places(lambda text: text.matches(_STOP_WORD), lambda _, __: ""),
        0.3,
    ),
)
