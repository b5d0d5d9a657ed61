"""Characters that look alike: to a scanner, to a reader who sees no difference, to a filter."""

from __future__ import annotations

import re
import unicodedata

from gate.suites.perturbation.text.draws import Draws
from gate.suites.perturbation.text.operator import Meaning, Operator, at_places
from gate.suites.perturbation.text.prepared import Prepared
from gate.suites.perturbation.text.protected import Span
from gate.suites.perturbation.text.tables.lookalike import (
    ACCENTS,
    BARE,
    HOMOGLYPHS,
    LEET,
    OCR,
    PAIRED,
    ZERO_WIDTH,
)

_JOINED = "\u0590"
"""Below it stand Latin, Greek, Cyrillic and Armenian; from it on Hebrew, Arabic, Indic and the others."""
_OCR = re.compile("|".join(sorted(map(re.escape, OCR), key=len, reverse=True)))
_HOMOGLYPH = re.compile(f"[{''.join(HOMOGLYPHS)}]")
_LEET = re.compile(f"[{''.join(LEET)}]", re.IGNORECASE | re.ASCII)
_PLAIN = re.compile(f"[{''.join(ACCENTS)}]", re.IGNORECASE | re.ASCII)


def _inside_words(prepared: Prepared) -> list[Span]:
    """Empty spans between two letters of one word, in scripts whose letters are not joined in writing."""
    text, found = prepared.text, []
    for word in prepared.words:
        spans = prepared.characters(*word)
        simple = [end - start == 1 and text[start].isalpha() and text[start] < _JOINED for start, end in spans]
        pairs = zip(spans, simple, simple[1:], strict=False)
        found += [(end, end) for (_, end), this, following in pairs if this and following]
    return found


def _accented(prepared: Prepared) -> list[Span]:
    """Letters of Latin, Greek or Cyrillic that lose something when their marks go."""
    found = []
    for word in prepared.words:
        if not prepared.text[word[0] : word[1]].isascii():
            spans = prepared.characters(*word)
            found += [span for span in spans if _bare(prepared.text[span[0] : span[1]]) is not None]
    return found


def _bare(letter: str) -> str | None:
    """The letter without marks; None where it has none, or where marks are a part of its script."""
    if letter in BARE:
        return BARE[letter]
    first, *marks = list(unicodedata.normalize("NFD", letter))
    european = unicodedata.name(first, "").startswith(("LATIN", "GREEK", "CYRILLIC"))
    kept = [mark for mark in marks if unicodedata.category(mark) != "Mn"]
    return unicodedata.normalize("NFC", "".join([first, *kept])) if european and len(kept) < len(marks) else None


def _misread(piece: str, draws: Draws) -> str:
    return OCR[piece] if piece in PAIRED else draws.pick(OCR[piece])


def _accent(letter: str, draws: Draws) -> str:
    return unicodedata.normalize("NFC", letter + draws.pick(ACCENTS[letter.lower()]))


OPERATORS = (
    Operator(
        "ocr",
        Meaning.NEARLY,
        "lookalike",
        "a letter is misread as by a scanner",
        at_places(lambda text: text.matches(_OCR), _misread),
        0.05,
    ),
    Operator(
        "homoglyph",
        Meaning.PRESERVING,
        "lookalike",
        "a Latin letter becomes a Cyrillic or Greek one that looks the same",
        at_places(lambda text: text.matches(_HOMOGLYPH), lambda letter, draws: draws.pick(HOMOGLYPHS[letter])),
    ),
    Operator(
        "zero-width",
        Meaning.PRESERVING,
        "lookalike",
        "a character that no reader sees stands within a word",
        at_places(_inside_words, lambda _, draws: draws.pick(ZERO_WIDTH)),
    ),
    Operator(
        "leetspeak",
        Meaning.NEARLY,
        "lookalike",
        "letters become digits and signs",
        at_places(lambda text: text.matches(_LEET), lambda letter, draws: draws.pick(LEET[letter.lower()])),
        0.3,
    ),
    Operator(
        "strip-diacritics",
        Meaning.NEARLY,
        "lookalike",
        "letters lose their accents",
        at_places(_accented, lambda letter, _: _bare(letter) or letter),
        1.0,
    ),
    Operator(
        "add-diacritics",
        Meaning.NEARLY,
        "lookalike",
        "letters get accents",
        at_places(lambda text: text.matches(_PLAIN), _accent),
    ),
)
