"""Neighbours of the keys on a QWERTY keyboard."""

from __future__ import annotations

_ROWS = ("1234567890", "qwertyuiop", "asdfghjkl", "zxcvbnm")


def _neighbours() -> dict[str, str]:
    """For each key those left and right of it, and the two or so above and below (rows are set off by half a key)."""
    found: dict[str, str] = {}
    for line, row in enumerate(_ROWS):
        for place, key in enumerate(row):
            near = [(line, place - 1), (line, place + 1), (line - 1, place), (line - 1, place + 1)]
            near += [(line + 1, place - 1), (line + 1, place)]
            letters = [
                _ROWS[other][at] for other, at in near if 0 <= other < len(_ROWS) and 0 <= at < len(_ROWS[other])
            ]
            kind = str.isdigit if key.isdigit() else str.isalpha
            found[key] = "".join(letter for letter in letters if kind(letter))
    return found


NEIGHBOURS = _neighbours()
