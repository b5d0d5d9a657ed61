"""A curve of both sides by ε as a picture: for GitHub, for the page, for a terminal.

Only its numbers enter a picture, read and written anew, beside words of ours: no text of a report, which could be a
command of the language that draws.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from itertools import pairwise

from gate.render import chart
from gate.schema.evidence import BOTH_SIDES, Block, BlockKind

MOST_POINTS = 40
_GRID = 5
"""Percentage points: the axis begins and ends at multiples of it."""
_COLOURS = "#2f81f7, #db6d28"
"""Seen on white and on the dark grey of GitHub's pictures alike."""
LEGEND = "Blue is main, orange is here; from left to right ε, upwards percent."
WIDTH, HEIGHT = 480, 280
LEFT, RIGHT, TOP, BOTTOM = 60, 64, 40, 56
ACROSS, UPWARDS = "ε, how far inputs are moved", "examples, percent"
"""What the axes of a picture measure, and in which unit."""


@dataclass(frozen=True, slots=True)
class Curve:
    """Shares in percent, 0 to 100.

    Attributes:
        epsilons: rising, at least two.
        main, here: one share for each ε.
    """

    epsilons: tuple[float, ...]
    main: tuple[float, ...]
    here: tuple[float, ...]

    @property
    def span(self) -> tuple[int, int]:
        """Lower and upper end of the axis."""
        values = (*self.main, *self.here)
        low, high = _GRID * math.floor(min(values) / _GRID), _GRID * math.ceil(max(values) / _GRID)
        return (low, high) if high > low else (max(low - _GRID, 0), min(high + _GRID, 100))


Draw = Callable[[Curve], str]


def curve_of(block: Block) -> Curve | None:
    """The curve of a block that compares both sides; None for any other block, and where a point is no number."""
    if block.kind is not BlockKind.CURVE or block.header != BOTH_SIDES or not 2 <= len(block.rows) <= MOST_POINTS:
        return None
    points = [tuple(map(_number, row)) for row in block.rows]
    if any(len(point) != 3 or any(value is None for value in point) for point in points):
        return None
    epsilons, main, here = zip(*points, strict=True)
    rising = all(before < after for before, after in pairwise(epsilons))
    if not rising or not all(0 <= value <= 100 for value in (*main, *here)):
        return None
    return Curve(epsilons, main, here)


def mermaid(curve: Curve) -> str:
    """A fenced block that GitHub draws, and what its colours mean."""
    low, high = curve.span
    names = ", ".join(f'"{_shown(each)}"' for each in curve.epsilons)
    lines = [
        "```mermaid",
        f'%%{{init: {{"themeVariables": {{"xyChart": {{"plotColorPalette": "{_COLOURS}"}}}}}}}}%%',
        "xychart-beta",
        f'    x-axis "{ACROSS}" [{names}]',
        f'    y-axis "{UPWARDS}" {low} --> {high}',
        f"    line [{_listed(curve.main)}]",
        f"    line [{_listed(curve.here)}]",
        "```",
    ]
    return "\n".join([*lines, "", LEGEND])


def svg(curve: Curve) -> str:
    """A picture on one line of HTML, without style or script; the page's style sheet colours it by class."""
    low, high = curve.span
    across = (WIDTH - LEFT - RIGHT) / (len(curve.epsilons) - 1)
    places = [LEFT + across * place for place in range(len(curve.epsilons))]

    def height(value: float) -> float:
        return TOP + (HEIGHT - TOP - BOTTOM) * (high - value) / (high - low)

    said = f"main and here by ε, in percent of examples, {low} to {high}; the numbers stand in the table below"
    parts = [chart.opened("curve", WIDTH, HEIGHT, said), chart.text("start", 0, 16, UPWARDS)]
    for value in range(low, high + 1, _GRID * max((high - low) // (4 * _GRID), 1)):
        parts.append(chart.line("grid", [(LEFT, height(value)), (WIDTH - RIGHT, height(value))]))
        parts.append(chart.text("end", LEFT - 8, height(value) + 4, f"{value} %"))
    labelled = math.ceil(len(places) / 7)
    for place, epsilon in list(zip(places, curve.epsilons, strict=True))[::labelled]:
        parts.append(chart.text("middle", place, HEIGHT - BOTTOM + 22, _shown(epsilon)))
    parts.append(chart.text("middle", (LEFT + WIDTH - RIGHT) / 2, HEIGHT - 8, ACROSS))
    ends = _apart(height(curve.main[-1]), height(curve.here[-1]))
    for name, mark, values, end in (
        ("main", chart.dot, curve.main, ends[0]),
        ("here", chart.diamond, curve.here, ends[1]),
    ):
        points = [(place, height(value)) for place, value in zip(places, values, strict=True)]
        parts.append(chart.line(name, points))
        parts += [mark(name, x, y) for x, y in points]
        parts.append(chart.text("start", WIDTH - RIGHT + 10, end + 4, name))
    return f"<figure>{''.join(parts)}</svg></figure>"


def as_lines(curve: Curve) -> list[str]:
    """A small table for a terminal."""
    rows = [BOTH_SIDES, *((_shown(e), f"{m:.1f} %", f"{h:.1f} %") for e, m, h in _points(curve))]
    first = max(len(row[0]) for row in rows)
    return [f"  {epsilon:<{first}}  {main:>7}  {here:>7}" for epsilon, main, here in rows]


def _points(curve: Curve) -> list[tuple[float, float, float]]:
    return list(zip(curve.epsilons, curve.main, curve.here, strict=True))


def _apart(main: float, here: float, least: float = 18) -> tuple[float, float]:
    """Heights of two labels that do not lie on each other."""
    if abs(main - here) >= least:
        return main, here
    middle, above = (main + here) / 2, -least / 2 if main <= here else least / 2
    return middle + above, middle - above


def _listed(values: Sequence[float]) -> str:
    return ", ".join(f"{value:.1f}" for value in values)


def _shown(value: float) -> str:
    return f"{value:g}"


def _number(text: str) -> float | None:
    try:
        found = float(text)
    except ValueError:
        return None
    return found if math.isfinite(found) else None
