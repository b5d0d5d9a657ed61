"""The eight scores as a picture with eight axes: main and here, light and dark, with words for who can't see it.

Only numbers and words of ours enter it.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from math import cos, pi, sin

from gate.schema.agent_scores import ScoreChange
from gate.schema.dimensions import ABOUT, Dimension
from gate.schema.probe_report import TIERS

WIDTH, HEIGHT, RADIUS = 780, 500, 190
TITLE = "Scores in eight dimensions"
RINGS = tuple(sorted(least for least, *_ in TIERS if least))
STYLE = """\
.axes{width:43rem;height:auto;display:block}
.axes text{fill:var(--ink);font-size:14px}
.axes .soft{fill:var(--soft);font-size:12px}
@media (max-width:48rem){.axes{min-width:43rem}}
@media print{.axes{min-width:0;max-width:30rem}}
.axes .ring,.axes .axis{fill:none;stroke:var(--line);stroke-width:1}
.axes .none{stroke-dasharray:3 4}
.axes polygon.main,.axes polyline.main{fill:none;stroke:var(--link);stroke-width:2;stroke-dasharray:6 4}
.axes polygon.here,.axes polyline.here{fill:var(--here);fill-opacity:.15;stroke:var(--here);stroke-width:2}
.axes circle.main{fill:var(--link)}
.axes circle.here{fill:var(--here)}
"""


def picture(here: Mapping[Dimension, float | None], main: Mapping[Dimension, float] | None = None) -> str:
    """An SVG on one line of HTML.

    Args:
        here: scores, 0 to 100; a dimension that is absent or None was not scored, and its axis is dashed.
        main: the same of main, where there is something to compare with.
    """
    main = main or {}
    said = _described(here, main)
    # on a narrow screen its words would be too small, so that it scrolls there, by keyboard too
    parts = [
        f'<figure class="wide" tabindex="0" role="group" aria-label="{TITLE}">'
        f'<svg class="axes" viewBox="0 0 {WIDTH} {HEIGHT}" role="img" aria-label="{TITLE}. {said}">'
        f"<title>{TITLE}</title><desc>{said}</desc>"
    ]
    for ring in (*RINGS, 100):
        points = " ".join(_at(place, ring) for place in range(len(Dimension)))
        parts.append(f'<polygon class="ring" points="{points}"></polygon>')
        x, y = _point(0, ring)
        parts.append(f'<text class="soft" x="{x + 4:.1f}" y="{y - 3:.1f}">{ring}</text>')
    for place, dimension in enumerate(Dimension):
        scored = here.get(dimension) is not None
        (x, y), (end, down) = _point(place, 0), _point(place, 100)
        kind = "axis" if scored else "axis none"
        ends = f'x1="{x:.1f}" y1="{y:.1f}" x2="{end:.1f}" y2="{down:.1f}"'
        parts.append(f'<line class="{kind}" {ends}></line>')
        parts.append(_label(place, dimension, here.get(dimension), main.get(dimension)))
    if main:
        parts.append(_outline("main", main))
    sides = "dashed: main; full: here; " if main else ""
    parts.append(f'<text class="soft" x="8" y="{HEIGHT - 10}">{sides}rings: score, of 100</text>')
    parts.append(_outline("here", here))
    return "".join([*parts, "</svg></figure>"])


def _outline(side: str, scores: Mapping[Dimension, float | None] | Mapping[Dimension, float]) -> str:
    """Closed where all axes have a score; else lines between neighbours that have one, so that no gap is bridged."""
    values = [scores.get(dimension) for dimension in Dimension]
    places = [_point(place, value) for place, value in enumerate(values) if value is not None]
    dots = "".join(f'<circle class="{side}" cx="{x:.1f}" cy="{y:.1f}" r="4"></circle>' for x, y in places)
    if len(places) == len(values):
        points = " ".join(f"{x:.1f},{y:.1f}" for x, y in places)
        return f'<polygon class="{side}" points="{points}"></polygon>{dots}'
    lines = []
    for place, value in enumerate(values):
        after = (place + 1) % len(values)
        other = values[after]
        if value is not None and other is not None:
            ends = f"{_at(place, value)} {_at(after, other)}"
            lines.append(f'<polyline class="{side}" points="{ends}"></polyline>')
    return "".join([*lines, dots])


def _label(place: int, dimension: Dimension, here: float | None, main: float | None) -> str:
    x, y = _point(place, 110)
    y -= 14 if y < HEIGHT / 4 else 0
    middle = WIDTH / 2
    anchor = "middle" if abs(x - middle) < 1 else "start" if x > middle else "end"
    sides = _shown(here) if main is None else f"{_shown(main)} → {_shown(here)}"
    return (
        f'<text text-anchor="{anchor}" x="{x:.1f}" y="{y:.1f}">{ABOUT[dimension].title}</text>'
        f'<text class="soft" text-anchor="{anchor}" x="{x:.1f}" y="{y + 15:.1f}">{sides}</text>'
    )


def _described(here: Mapping[Dimension, float | None], main: Mapping[Dimension, float]) -> str:
    told = []
    for dimension in Dimension:
        was = f"{_shown(main[dimension])} on main, " if dimension in main else ""
        told.append(f"{ABOUT[dimension].title}: {was}{_shown(here.get(dimension))}{' here' if was else ''}")
    return f"{'; '.join(told)}. Rings at {', '.join(map(str, RINGS))} and 100."


def _shown(value: float | None) -> str:
    return "not scored" if value is None else f"{value:.1f}"


def _point(place: int, value: float) -> tuple[float, float]:
    """Of an axis: the first points up, the others follow clockwise."""
    angle = 2 * pi * place / len(Dimension) - pi / 2
    distance = RADIUS * value / 100
    return WIDTH / 2 + distance * cos(angle), HEIGHT / 2 + distance * sin(angle)


def _at(place: int, value: float) -> str:
    x, y = _point(place, value)
    return f"{x:.1f},{y:.1f}"


def of_both_sides(scores: Sequence[ScoreChange]) -> str:
    """The picture of a comparison."""
    named = {Dimension(each.name): each for each in scores if each.name}
    main = {dimension: each.before for dimension, each in named.items() if each.before is not None}
    return picture({dimension: each.after for dimension, each in named.items()}, main)
