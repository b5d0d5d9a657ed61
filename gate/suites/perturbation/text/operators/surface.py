"""What stays when only letters are read: case, white space, punctuation."""

from __future__ import annotations

import re
from collections.abc import Callable

from gate.suites.perturbation.text.draws import Draws
from gate.suites.perturbation.text.operator import Edit, Meaning, Operator, at_places
from gate.suites.perturbation.text.prepared import Prepared
from gate.suites.perturbation.text.protected import Span
from gate.suites.perturbation.text.tables.surface import SPACES, VARIANTS

_GAP = re.compile(r"(?<=\S)[ \t]+(?=\S)")
_VARIANT = re.compile(r"""\.\.\.|…| [-–—] |[ (]"(?=\w)|(?<=\S)"(?=[\s.,;:!?)\]])|[“”„«»‘’]|(?<=\w)'(?=\w)""")
_STOP = re.compile(r"[,;:.!?](?=\s|$)")
_END = re.compile(r"[.!?](?=\s|$)")


def _cased(change: Callable[[str], str]) -> Edit:
    """An edit of the words whose case it changes and whose letters it keeps."""

    def places(prepared: Prepared) -> list[Span]:
        text = prepared.text
        return [(start, end) for start, end in prepared.words if _recased(text[start:end], change)]

    return at_places(places, lambda word, _: change(word))


def _recased(word: str, change: Callable[[str], str]) -> bool:
    changed = change(word)
    return changed != word and changed.casefold() == word.casefold()


def _letters(prepared: Prepared) -> list[Span]:
    found = []
    for word in prepared.words:
        spans = prepared.characters(*word)
        found += [span for span in spans if _recased(prepared.text[span[0] : span[1]], str.swapcase)]
    return found


def _variants(prepared: Prepared) -> list[Span]:
    """Marks that are written in another way too, the quotation mark at the very end among them."""
    text, found = prepared.text, prepared.matches(_VARIANT)
    last = (len(text) - 1, len(text))
    if text[-2:-1].isalnum() and text.endswith('"') and prepared.free[-1][1] == len(text):
        found.append(last)
    return found


def _padded(prepared: Prepared, draws: Draws, _: float) -> str:
    before, after = draws.pick(["", " ", "\n", "  "]), draws.pick([" ", "\n", "  ", "\n\n"])
    return f"{before}{prepared.text}{after}" if prepared.text else prepared.text


OPERATORS = (
    Operator("lower-case", Meaning.PRESERVING, "surface", "words lose their capitals", _cased(str.lower), 1.0),
    Operator("upper-case", Meaning.PRESERVING, "surface", "words stand in capitals", _cased(str.upper), 1.0),
    Operator(
        "mixed-case",
        Meaning.PRESERVING,
        "surface",
        "letters change their case",
        at_places(_letters, lambda letter, _: letter.swapcase()),
        0.2,
    ),
    Operator(
        "white-space",
        Meaning.PRESERVING,
        "surface",
        "a space becomes two, a tab, or one that does not break",
        at_places(
            lambda text: text.matches(_GAP),
            lambda gap, draws: draws.pick([space for space in SPACES if space != gap]),
        ),
        0.3,
    ),
    Operator("pad", Meaning.PRESERVING, "surface", "spaces or empty lines stand around the text", _padded),
    Operator(
        "punctuation-variant",
        Meaning.PRESERVING,
        "surface",
        "quotation marks, apostrophes, dashes and dots in another style",
        at_places(_variants, lambda mark, _: VARIANTS[mark]),
        1.0,
    ),
    Operator(
        "drop-punctuation",
        Meaning.NEARLY,
        "surface",
        "commas and full stops are left out",
        at_places(lambda text: text.matches(_STOP), lambda _, __: ""),
        0.5,
    ),
    Operator(
        "repeat-punctuation",
        Meaning.NEARLY,
        "surface",
        "the mark that ends a sentence stands three times",
        at_places(lambda text: text.matches(_END), lambda mark, _: mark * 3),
        0.5,
    ),
)
