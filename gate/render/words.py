"""Numbers and nouns as every renderer says them."""

from __future__ import annotations

from collections.abc import Sequence

CENT = 0.005
"""USD below which an amount would be shown as nothing."""


def plural(count: float, noun: str, nouns: str = "") -> str:
    """`1 test`, `1,204 tests`; `nouns` where an s does not do."""
    return f"{count:,} {noun if count == 1 else nouns or noun + 's'}"


def verb(count: float, singular: str, many: str) -> str:
    """The form of a verb that fits a count."""
    return singular if count == 1 else many


def listed(parts: Sequence[str]) -> str:
    """`a`, `a and b`, `a, b and c`."""
    return parts[0] if len(parts) == 1 else f"{', '.join(parts[:-1])} and {parts[-1]}" if parts else ""


def chance(alpha: float) -> str:
    """A probability as a count a reader can picture: 0.05 is `5 times in 100`."""
    if alpha <= 0:
        return "0 times in 100"
    per = 100
    while alpha * per < 1 - 1e-9:
        per *= 10
    times = alpha * per
    shown = f"{times:.3g}"
    return f"{shown} {'time' if shown == '1' else 'times'} in {per:,}"


def score(value: float | None) -> str:
    """A probability in hundredths without its zero: `.61`; 1 stays `1.00`."""
    if value is None:
        return "–"
    shown = f"{value:.2f}"
    return shown[1:] if shown.startswith("0.") else shown


def ids(numbers: Sequence[str]) -> str:
    """`F1`, `F1–F4` for a run without gaps, `F1, F3, F7` else, `F1, F3 … F90` when there are many."""
    if len(numbers) < 3:
        return ", ".join(numbers)
    try:
        places = [int(number[1:]) for number in numbers]
    except ValueError:
        places = [0, 0]
    if places == list(range(places[0], places[0] + len(numbers))):
        return f"{numbers[0]}–{numbers[-1]}"
    if len(numbers) > 5:
        return f"{numbers[0]}, {numbers[1]} … {numbers[-1]}"
    return ", ".join(numbers)
