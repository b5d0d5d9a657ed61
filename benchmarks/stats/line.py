"""One figure that must hold, as a line of JSON, and the shares of the budget that all of them are taken at."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Iterator
from dataclasses import asdict, dataclass
from typing import Any

from gate.compare.ledger import FOR_SUITE

ALPHA = 0.05
FOR_CASES = ALPHA - FOR_SUITE * ALPHA
"""What the stochastic cases may spend, one by one, of ALPHA: the test over the whole suite gets the rest."""
RATES = (1.0, 0.99, 0.95, 0.90, 0.85, 0.80, 0.75)
DROP = 0.30
DIGITS = 4


@dataclass(frozen=True, slots=True)
class Line:
    """One line.

    Attributes:
        item: number of what it must show.
        what: the figure, in words.
        ours: the figure, or figures by true rate or by what they are of.
        limit: what it must reach or not exceed, as `what` says.
        holds: whether it does.
        clastogen: the same of Clastogen 0.10.0; None where it has no counterpart, or is not here.
    """

    item: int
    what: str
    ours: Any
    limit: Any
    holds: bool
    clastogen: Any = None

    def __str__(self) -> str:
        return json.dumps({key: rounded(value) for key, value in asdict(self).items()}, ensure_ascii=False)


def rounded(value: Any) -> Any:
    """Floats to four digits behind the point, within dictionaries and lists too."""
    if isinstance(value, float):
        return round(value, DIGITS)
    if isinstance(value, dict):
        return {str(key): rounded(each) for key, each in value.items()}
    if isinstance(value, list | tuple):
        return [rounded(each) for each in value]
    return value


def printed(parts: Iterable[tuple[set[int], Callable[[], Iterator[Line]]]], items: set[int]) -> bool:
    """Print the lines of these items, each as soon as it is there; whether all of them hold.

    Args:
        parts: which items each makes, and what makes their lines.
    """
    holds = True
    for own, part in parts:
        for line in part() if own & items else ():
            if line.item in items:
                print(line, flush=True)
                holds &= line.holds
    return holds


def by_rate(rates: tuple[float, ...], values: list[float]) -> dict[str, float]:
    """Figures under their true rates."""
    return {f"{rate:g}": value for rate, value in zip(rates, values, strict=True)}
