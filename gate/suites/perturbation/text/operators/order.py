"""The same words in another order, one too many or too few spaces, options in another order."""

from __future__ import annotations

import re

from gate.suites.perturbation.text.draws import Draws
from gate.suites.perturbation.text.operator import Meaning, Operator, at_places
from gate.suites.perturbation.text.prepared import Prepared
from gate.suites.perturbation.text.protected import Span

_SPLITTABLE = 6
_LETTERED = re.compile(r"[ \t]*[-*]?[ \t]*\(?[A-Za-z][.)][ \t]+\S")
_BULLET = re.compile(r"[ \t]*[-*•][ \t]+\S")
_ASKS = re.compile(r"\b(?:options?|choices?|choose|pick|select|one of|labels?|categor(?:y|ies)|class(?:es)?)\b", re.I)


def _gaps(prepared: Prepared) -> list[tuple[Span, Span]]:
    """Words side by side with one space between them."""
    pairs = zip(prepared.words, prepared.words[1:], strict=False)
    return [(left, right) for left, right in pairs if right[0] - left[1] == 1 and prepared.text[left[1]] == " "]


def _neighbours(prepared: Prepared) -> list[Span]:
    return [(left[0], right[1]) for left, right in _gaps(prepared)]


def _spaces(prepared: Prepared) -> list[Span]:
    return [(left[1], right[0]) for left, right in _gaps(prepared)]


def _middles(prepared: Prepared) -> list[Span]:
    found = []
    for word in prepared.words:
        if word[1] - word[0] >= _SPLITTABLE:
            found += [(start, start) for start, _ in prepared.characters(*word)[2:-1]]
    return found


def _turned(pair: str, _: Draws) -> str:
    left, right = pair.split(" ")
    return f"{right} {left}"


def _reordered(prepared: Prepared, draws: Draws, _: float) -> str:
    """Each list of options with its lines in an order that differs; letters move along with their options."""
    lines = prepared.text.split("\n")
    at = 0
    while at < len(lines):
        end = _options(lines, at)
        if end - at >= 2 and len(set(lines[at:end])) > 1:
            lines[at:end] = _another_order(lines[at:end], draws)
        at = max(end, at + 1)
    return "\n".join(lines)


def _options(lines: list[str], start: int) -> int:
    """Where the list of options ends that begins at a line; the same line where none does."""
    asked = start > 0 and bool(_ASKS.search(lines[start - 1]))
    kind = _LETTERED if _LETTERED.match(lines[start]) else _BULLET
    end = start
    while end < len(lines) and kind.match(lines[end]) and (kind is _LETTERED or asked):
        end += 1
    return end


def _another_order(lines: list[str], draws: Draws) -> list[str]:
    order = draws.shuffled(lines)
    return order if order != lines else [*lines[1:], lines[0]]


OPERATORS = (
    Operator(
        "word-order",
        Meaning.NEARLY,
        "order",
        "two words side by side change places",
        at_places(_neighbours, _turned),
    ),
    Operator(
        "split-word",
        Meaning.NEARLY,
        "order",
        "a space stands within a word",
        at_places(_middles, lambda _, __: " "),
        0.03,
    ),
    Operator(
        "merge-words",
        Meaning.NEARLY,
        "order",
        "the space between two words is left out",
        at_places(_spaces, lambda _, __: ""),
    ),
    Operator(
        "reorder-options",
        Meaning.PRESERVING,
        "order",
        "lettered or asked-for options stand in another order, letters and all",
        _reordered,
    ),
)
