"""What all pictures of a page share: elements of an SVG made of numbers and of words of ours, colours by class."""

from __future__ import annotations

import math
from collections.abc import Sequence

Point = tuple[float, float]


def opened(name: str, width: float, height: float, said: str = "") -> str:
    """The start of a picture; without a description it is decoration beside words that say the same."""
    seen = f'role="img" aria-label="{said}"' if said else 'aria-hidden="true"'
    return f'<svg class="{name}" viewBox="0 0 {width:g} {height:g}" {seen}>'


def line(name: str, points: Sequence[Point]) -> str:
    joined = " ".join(f"{x:.1f},{y:.1f}" for x, y in points)
    return f'<polyline class="{name}" points="{joined}"></polyline>'


def dot(name: str, x: float, y: float, radius: float = 3) -> str:
    return f'<circle class="{name}" cx="{x:.1f}" cy="{y:.1f}" r="{radius:g}"></circle>'


def diamond(name: str, x: float, y: float, half: float = 4) -> str:
    """A mark that differs from a dot by more than its colour."""
    corners = ((x, y - half), (x + half, y), (x, y + half), (x - half, y))
    points = " ".join(f"{across:.1f},{down:.1f}" for across, down in corners)
    return f'<polygon class="{name}" points="{points}"></polygon>'


def text(anchor: str, x: float, y: float, words: str) -> str:
    """Words of ours, or a number; `anchor` is `start`, `middle` or `end`."""
    return f'<text text-anchor="{anchor}" x="{x:.1f}" y="{y:.1f}">{words}</text>'


def ticks(low: float, high: float, most: int = 4) -> tuple[float, ...]:
    """Round numbers (1, 2 or 5 times a power of ten apart) that enclose a span, some `most` steps of them.

    Raises:
        ValueError: `high` is not above `low`.
    """
    if not high > low:
        raise ValueError(f"no span from {low} to {high}")
    rough = (high - low) / most
    power = 10 ** math.floor(math.log10(rough))
    step = next(each * power for each in (1, 2, 5, 10) if each * power >= rough * (1 - 1e-9))
    first, last = math.floor(low / step + 1e-9), math.ceil(high / step - 1e-9)
    return tuple(round(place * step, 9) for place in range(first, last + 1))
