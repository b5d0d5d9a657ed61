"""A token that no text shows: not a repr, not a log, not an error, nor in the encodings that servers echo."""

from __future__ import annotations

import base64
from typing import NoReturn
from urllib.parse import quote

HIDDEN = "***"
_SHORTEST = 8
"""Shorter pieces of an encoding would hide innocent text."""


class Secret:
    """Holds a token; only `reveal` gives it out.

    Args:
        value: the token, surrounding white space is dropped; empty means that there is none.
    """

    __slots__ = ("_forms", "_value")

    def __init__(self, value: str = "") -> None:
        self._value = value.strip()
        self._forms = tuple(sorted(_forms(self._value), key=len, reverse=True))

    def reveal(self) -> str:
        """The token itself, for the one header that carries it."""
        return self._value

    def scrub(self, text: str) -> str:
        """The text without the token, also as base64 (alone or inside a longer text) and percent-encoded."""
        for form in self._forms:
            text = text.replace(form, HIDDEN)
        return text

    @property
    def usable(self) -> bool:
        """Whether it can stand in a header: printable ASCII without spaces."""
        return self._value.isascii() and self._value.isprintable() and " " not in self._value

    def __bool__(self) -> bool:
        return bool(self._value)

    def __repr__(self) -> str:
        return f"<token {HIDDEN}>" if self._value else "<no token>"

    def __reduce__(self) -> NoReturn:
        raise TypeError("a token is not to be stored")


def _forms(value: str) -> set[str]:
    if not value:
        return set()
    raw = value.encode("utf-8", "surrogatepass")
    forms = {value, quote(value, safe=""), repr(value)[1:-1]}
    for before in range(3):
        # What stands before and after decides the outer characters of an encoding; those in between are the token's.
        encoded = base64.b64encode(b"\0" * before + raw).decode("ascii")
        core = encoded[-(-before * 8 // 6) : (before + len(raw)) * 8 // 6]
        if len(core) >= _SHORTEST:
            forms |= {core, core.replace("+", "-").replace("/", "_")}
    return forms
