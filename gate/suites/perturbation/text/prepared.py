"""A text with its words, characters as readers see them, and the parts that stay whole."""

from __future__ import annotations

import re
import unicodedata
from functools import cached_property, lru_cache

from gate.errors import UsageError
from gate.suites.perturbation.text.protected import Span, protected

_LAST_MARK = 0x20000
_NEAR = 64
"""How far back a border is sought from; a letter with more marks than that may be torn."""

_JOINERS = "\u200c\u200d"
_EXTENDING = "\u1160-\u11ff\ud7b0-\ud7ff\U0001f3fb-\U0001f3ff\U000e0020-\U000e007f\U000e0100-\U000e01ef"


class Prepared:
    """A text as the operators see it.

    Raises:
        UsageError: no text, or one with a lone surrogate, which no encoding can write.
    """

    def __init__(self, text: object, where: str = "text") -> None:
        if not isinstance(text, str):
            remedy = "give texts as str"
            raise UsageError(f"a text is a {type(text).__name__}", where=where, remedy=remedy)
        try:
            text.encode("utf-8")
        except UnicodeEncodeError as error:
            raise UsageError(
                f"the text holds a lone surrogate at character {error.start}",
                where=where,
                remedy="read it with its right encoding, or replace the character",
            ) from None
        self.text = text

    @cached_property
    def protected(self) -> list[Span]:
        """The spans that no edit may tear, in order and apart."""
        return protected(self.text)

    @cached_property
    def free(self) -> list[Span]:
        """The spans outside of all that is protected, in order; together with those they are the text."""
        found, at = [], 0
        for start, end in self.protected:
            if at < start:
                found.append((at, start))
            at = end
        if at < len(self.text):
            found.append((at, len(self.text)))
        return found

    @cached_property
    def words(self) -> list[Span]:
        """Words in the free parts, with their inner apostrophes and combining marks; numbers are words too."""
        return self.matches(_patterns()[0])

    def matches(self, pattern: re.Pattern[str]) -> list[Span]:
        """Where a pattern that matches no empty text does so in the free parts, on borders of characters."""
        found = [match.span() for start, end in self.free for match in pattern.finditer(self.text, start, end)]
        return [span for span in found if self.on_borders(*span)]

    def characters(self, start: int, end: int) -> list[Span]:
        """Grapheme clusters (Unicode Annex 29; where in doubt, longer ones) from start to end."""
        if self._simple:
            return [(place, place + 1) for place in range(start, end)]
        return [match.span() for match in _patterns()[1].finditer(self.text, start, end)]

    @cached_property
    def _simple(self) -> bool:
        return self.text.isascii() and "\r" not in self.text

    def on_borders(self, start: int, end: int) -> bool:
        """Whether neither end of a span tears a character."""
        return not (self._tears(start) or self._tears(end))

    def _tears(self, place: int) -> bool:
        text = self.text
        if not 0 < place < len(text) or (text[place].isascii() and text[place] != "\n"):
            return False
        near = place - 1
        while near and place - near < _NEAR and not text[near].isascii():
            near -= 1
        return any(start < place < end for start, end in self.characters(near, min(len(text), place + 1)))


@lru_cache(maxsize=1)
def _patterns() -> tuple[re.Pattern[str], re.Pattern[str]]:
    """Patterns of a word and of a grapheme cluster, from the Unicode data that Python brings."""
    marks, viramas = [], []
    for code in range(0x300, _LAST_MARK):
        character = chr(code)
        if unicodedata.category(character) in {"Mn", "Mc", "Me"}:
            marks.append(character)
            if unicodedata.combining(character) == 9:
                viramas.append(character)
    extending = _ranges(marks) + _EXTENDING
    word = rf"[^\W_][\w{extending}{_JOINERS}]*(?:['’][^\W\d_][\w{extending}{_JOINERS}]*)*"
    atom = r"(?:\r\n|[\U0001f1e6-\U0001f1ff]{2}|[\u1100-\u115f\ua960-\ua97c]+|[\s\S])"
    joined = (
        rf"(?:[{_ranges(viramas)}]\u200d?(?=[^\W\d_]){atom}|\u200d(?=[^\s\w\x00-\x7f]){atom}|[{extending}{_JOINERS}])"
    )
    return re.compile(word), re.compile(rf"{atom}{joined}*")


def _ranges(characters: list[str]) -> str:
    """The characters, ascending, as ranges of a pattern's class."""
    found: list[list[int]] = []
    for code in map(ord, characters):
        if found and code == found[-1][1] + 1:
            found[-1][1] = code
        else:
            found.append([code, code])
    return "".join(f"\\U{low:08x}-\\U{high:08x}" for low, high in found)
