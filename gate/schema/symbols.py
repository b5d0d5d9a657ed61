"""One character for a class or a probability, so that 100,000 predictions are 100,000 bytes."""

from __future__ import annotations

import string

UNKNOWN = "."
_ALPHABET = string.digits + string.ascii_letters
_FIRST_BEYOND = 0x4E00
MAX_LABELS = 20_000
SCORE_STEPS = 100
_SCORES = (string.digits + string.ascii_letters + string.punctuation).translate(
    {0x22: None, 0x2E: None, 0x5C: None}
) + ("ÀÁÂÃÄÅÆÇÈÉ")


def symbol(index: int) -> str:
    """Character of the class at `index` (0 to MAX_LABELS - 1). ValueError outside that range."""
    if not 0 <= index < MAX_LABELS:
        raise ValueError(f"class index {index} is outside 0 to {MAX_LABELS - 1}")
    if index < len(_ALPHABET):
        return _ALPHABET[index]
    return chr(_FIRST_BEYOND + index - len(_ALPHABET))


def index_of(character: str) -> int:
    """Inverse of `symbol`; -1 for `UNKNOWN`. ValueError for a character that no class has."""
    if character == UNKNOWN:
        return -1
    position = _ALPHABET.find(character)
    if position >= 0:
        return position
    index = ord(character) - _FIRST_BEYOND + len(_ALPHABET)
    if len(_ALPHABET) <= index < MAX_LABELS:
        return index
    raise ValueError(f"{character!r} stands for no class")


def score_symbol(probability: float | None) -> str:
    """Character of a probability in [0, 1], rounded to hundredths; `UNKNOWN` (`.`) for None."""
    if probability is None:
        return UNKNOWN
    if not 0 <= probability <= 1:
        raise ValueError(f"{probability!r} is no probability")
    return _SCORES[round(probability * SCORE_STEPS)]


def score_of(character: str) -> float | None:
    """Inverse of `score_symbol`, to hundredths; None for `UNKNOWN`."""
    if character == UNKNOWN:
        return None
    step = _SCORES.find(character)
    if step < 0:
        raise ValueError(f"{character!r} stands for no probability")
    return step / SCORE_STEPS
