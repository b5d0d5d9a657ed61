"""Draws docs/images/sequential.svg anew: a sequential test with its boundaries, and three pull requests that end it.

`python -m tests.support.sequential_picture` needs nothing but the gate. The drawing has a ground of its own and follows
the reader's colour scheme, so it can be read on light and on dark pages.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path

from gate.stats.design import Design, Question, Walk, design_for

PICTURE = Path(__file__).resolve().parents[2] / "docs" / "images" / "sequential.svg"
QUESTION = Question(n0=50, cap=60, share=0.04 / 12)
S0 = 45
WIDTH, HEIGHT = 760, 400
LEFT, RIGHT, TOP, BOTTOM = 56, 736, 30, 340
MOST_FAILURES = 21
STYLE = """
svg{font:13px -apple-system,"Segoe UI","Noto Sans","DejaVu Sans",sans-serif}
.ground{fill:#fff}.text{fill:#1f2328}.soft{fill:#59636e}.grid{stroke:#d1d9e0}.axis{stroke:#59636e}
.worse{fill:#cf222e}.same{fill:#1a7f37}.open{fill:#9a6700}
.area{opacity:.13}.edge{fill:none;stroke-width:2}.walk{fill:none;stroke:#1f2328;stroke-width:1.6}
.edge.worse{stroke:#cf222e}.edge.same{stroke:#1a7f37}.edge.open{stroke:#9a6700}
@media (prefers-color-scheme:dark){
.ground{fill:#0d1117}.text{fill:#f0f6fc}.soft{fill:#9198a1}.grid{stroke:#3d444d}.axis{stroke:#9198a1}
.walk{stroke:#f0f6fc}.worse{fill:#f85149}.same{fill:#3fb950}.open{fill:#d29922}
.edge{fill:none}.edge.worse{stroke:#f85149}.edge.same{stroke:#3fb950}.edge.open{stroke:#d29922}}
"""


@dataclass(frozen=True, slots=True)
class Example:
    """Outcomes of a pull request, and where its end is named: an offset in pixels from the point."""

    outcomes: str
    words: str
    place: tuple[int, int]
    anchor: str


EXAMPLES = (
    Example("001111111111111", "holds after 15 trials", (6, 20), "start"),
    Example("0011110111011001000010", "newly fails after 22", (-8, -10), "end"),
    Example("111011011011010111101010110011111010011111011110111111101", "undecided after 57", (-58, 56), "end"),
)


def picture() -> str:
    """The drawing as SVG."""
    design = design_for(QUESTION, {})
    parts = [
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {HEIGHT}" role="img" aria-labelledby="t d">',
        '<title id="t">A sequential test that runs</title>',
        f'<desc id="d">{_words(design)}</desc>',
        f"<style>{STYLE}</style>",
        f'<rect class="ground" width="{WIDTH}" height="{HEIGHT}" rx="8"/>',
        *_axes(),
        *_areas(design),
        *(line for example in EXAMPLES for line in _walk(design, example)),
        *_labels(),
        "</svg>",
    ]
    return "\n".join(parts) + "\n"


def walks(design: Design) -> list[Walk]:
    """How the three pull requests end, by the design itself."""
    return [design.walk(S0, example.outcomes) for example in EXAMPLES]


def _words(design: Design) -> str:
    ends = "; ".join(f"{walk.answer} after {walk.used} trials" for walk in walks(design))
    return (
        f"Trials of a pull request to the right, failures upwards. Main passed {S0} of {QUESTION.n0}. "
        f"Three pull requests end at a boundary: {ends}."
    )


def _x(trials: float) -> float:
    return round(LEFT + (RIGHT - LEFT) * trials / QUESTION.cap, 1)


def _y(failures: float) -> float:
    return round(BOTTOM - (BOTTOM - TOP) * failures / MOST_FAILURES, 1)


def _points(points: Iterable[tuple[float, float]]) -> str:
    return " ".join(f"{_x(trials):g},{_y(failures):g}" for trials, failures in points)


def _axes() -> list[str]:
    lines = []
    for failures in range(0, MOST_FAILURES, 5):
        y = _y(failures)
        lines.append(f'<line class="grid" x1="{LEFT}" x2="{RIGHT}" y1="{y:g}" y2="{y:g}"/>')
        lines.append(f'<text class="soft" x="{LEFT - 8}" y="{y + 4:g}" text-anchor="end">{failures}</text>')
    for trials in range(0, QUESTION.cap + 1, 10):
        lines.append(f'<text class="soft" x="{_x(trials):g}" y="{BOTTOM + 18}" text-anchor="middle">{trials}</text>')
    lines.append(f'<line class="axis" x1="{LEFT}" x2="{RIGHT}" y1="{BOTTOM}" y2="{BOTTOM}"/>')
    lines.append(f'<line class="axis" x1="{LEFT}" x2="{LEFT}" y1="{TOP}" y2="{BOTTOM}"/>')
    middle = (LEFT + RIGHT) / 2
    lines.append(
        f'<text class="text" x="{middle:g}" y="{BOTTOM + 40}" text-anchor="middle">trials of the pull request</text>'
    )
    turned = f'transform="rotate(-90 18 {(TOP + BOTTOM) // 2})"'
    lines.append(
        f'<text class="text" x="18" y="{(TOP + BOTTOM) // 2}" text-anchor="middle" {turned}>failures so far</text>'
    )
    return lines


def _areas(design: Design) -> list[str]:
    """The three boundaries with what lies beyond them."""
    cap = QUESTION.cap
    worse = [(n, least) for n, least in enumerate(design.regression[S0]) if least <= n]
    same = [(n, most) for n, most in enumerate(design.holds[S0]) if most >= 0]
    last = design.regression[S0][-1]
    lost = [(n, last - 1 - (cap - n)) for n in range(cap + 1) if last - 1 - (cap - n) > design.holds[S0][n]]
    above = [*worse, (cap, MOST_FAILURES), (worse[0][0], MOST_FAILURES)]
    below = [*same, (cap, 0), (same[0][0], 0)]
    between = [*lost, *((n, most) for n, most in reversed(same) if n >= lost[0][0])]
    return [
        *_area("worse", worse, above),
        *_area("same", same, below),
        *_area("open", lost, between),
    ]


def _area(name: str, edge: Sequence[tuple[float, float]], area: Sequence[tuple[float, float]]) -> list[str]:
    return [
        f'<polygon class="area {name}" points="{_points(area)}"/>',
        f'<polyline class="edge {name}" points="{_points(edge)}"/>',
    ]


def _walk(design: Design, example: Example) -> list[str]:
    walk = design.walk(S0, example.outcomes)
    points, failures = [(0, 0)], 0
    for number, outcome in enumerate(example.outcomes[: walk.used], 1):
        points.append((number, failures))
        failures += outcome == "0"
        points.append((number, failures))
    name = {"regression": "worse", "holds": "same", "undecided": "open"}[walk.answer]
    x, y = _x(walk.used), _y(walk.fails)
    dx, dy = example.place
    return [
        f'<polyline class="walk" points="{_points(points)}"/>',
        f'<circle class="{name}" cx="{x:g}" cy="{y:g}" r="5"/>',
        f'<text class="text" x="{x + dx:g}" y="{y + dy:g}" text-anchor="{example.anchor}">{example.words}</text>',
    ]


def _labels() -> list[str]:
    return [
        f'<text class="worse" x="{_x(6):g}" y="{_y(18.6):g}">'
        "newly fails: too many failures for an unchanged test</text>",
        f'<text class="same" x="{RIGHT - 8}" y="{BOTTOM - 14}" text-anchor="end">'
        "holds: a drop of 30 points is ruled out</text>",
        f'<text class="open" x="{RIGHT - 4}" y="{_y(12.25):g}" text-anchor="end">undecided</text>',
    ]


if __name__ == "__main__":
    PICTURE.write_text(picture(), encoding="utf-8")
    print(f"{PICTURE}: {PICTURE.stat().st_size:,} bytes")
