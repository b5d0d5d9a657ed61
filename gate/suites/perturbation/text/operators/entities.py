"""Who, where and how many: another name, place or number, the same one wherever the first stood."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence

from gate.suites.perturbation.text.draws import Draws
from gate.suites.perturbation.text.operator import Edit, Meaning, Operator
from gate.suites.perturbation.text.prepared import Prepared
from gate.suites.perturbation.text.tables.entities import NAMES, PLACES

_NUMBER = re.compile(r"(?<![\w.,:/-])\d{1,12}(?![\w:/-]|[.,]\d)")


def _consistent(pattern: re.Pattern[str], other: Callable[[str, set[str], Draws], str]) -> Edit:
    """An edit that replaces `strength` of the different things found, each by one and the same other thing.

    Args:
        other: from a thing, all that the text holds or got, and the choices, to what takes its place.
    """

    def edit(prepared: Prepared, draws: Draws, strength: float) -> str:
        text = prepared.text
        spans = prepared.matches(pattern)
        known = list(dict.fromkeys(text[start:end] for start, end in spans))
        taken, new = set(known), {}
        for thing in draws.some(known, max(1, round(strength * len(known)))):
            new[thing] = other(thing, taken, draws)
            taken.add(new[thing])
        parts, at = [], 0
        for start, end in spans:
            parts += [text[at:start], new.get(text[start:end], text[start:end])]
            at = end
        return "".join([*parts, text[at:]])

    return edit


def _from_lists(lists: Sequence[Sequence[str]]) -> Edit:
    """An edit of the capitalised words that stand in one of the lists; the other is of the same list."""
    home = {word: words for words in lists for word in words}

    def other(word: str, taken: set[str], draws: Draws) -> str:
        left = [candidate for candidate in home[word] if candidate not in taken]
        return draws.pick(left) if left else word

    return _consistent(re.compile(rf"\b(?:{'|'.join(sorted(home))})\b"), other)


def _other_number(number: str, taken: set[str], draws: Draws) -> str:
    """Another number of as many digits that does not begin with 0 where the first does not."""
    low = 0 if len(number) == 1 or number[0] == "0" else 10 ** (len(number) - 1)
    for _ in range(50):
        made = str(low + draws.below(10 ** len(number) - low)).zfill(len(number))
        if made not in taken:
            return made
    return number


OPERATORS = (
    Operator(
        "swap-name",
        Meaning.CHANGING,
        "entities",
        "a first name becomes another",
        _from_lists(NAMES),
        1.0,
    ),
    Operator(
        "swap-place",
        Meaning.CHANGING,
        "entities",
        "a city or a country becomes another",
        _from_lists(PLACES),
        1.0,
    ),
    Operator(
        "swap-number",
        Meaning.CHANGING,
        "entities",
        "a number becomes another of as many digits",
        _consistent(_NUMBER, _other_number),
        1.0,
    ),
)
