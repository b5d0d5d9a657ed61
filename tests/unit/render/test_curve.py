"""A curve as a picture of three kinds, of which no foreign text is a part."""

from __future__ import annotations

import re
from xml.etree import ElementTree

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gate import render
from gate.render.curve import ACROSS, LEGEND, UPWARDS, as_lines, curve_of, mermaid, svg
from gate.render.page_style import STYLE
from gate.schema.evidence import BOTH_SIDES, Block, BlockKind
from gate.schema.verdict import Verdict
from tests.support import verdicts
from tests.support.verdict_strategy import foreign

MERMAID = re.compile(
    r"```mermaid\n"
    r'%%\{init: \{"themeVariables": \{"xyChart": \{"plotColorPalette": "#[0-9a-f]{6}, #[0-9a-f]{6}"\}\}\}\}%%\n'
    r"xychart-beta\n"
    rf'    x-axis "{ACROSS}" \["[0-9.e+-]+"(?:, "[0-9.e+-]+")+\]\n'
    rf'    y-axis "{UPWARDS}" \d+ --> \d+\n'
    r"(?:    line \[\d+\.\d(?:, \d+\.\d)+\]\n){2}```\n\n"
)
numbers = st.floats(-1e300, 1e300).map(str) | st.floats(0, 100).map(str) | st.sampled_from(["1_0", " 5 ", "٣", "NaN"])
points = st.lists(st.tuples(*[numbers | foreign] * 3), min_size=1, max_size=6)
rising = st.lists(st.tuples(st.floats(0, 1), st.floats(0, 100), st.floats(0, 100)), min_size=2, max_size=9).map(sorted)


def block(*rows: tuple[str, ...], header: tuple[str, ...] = BOTH_SIDES, kind: BlockKind = BlockKind.CURVE) -> Block:
    return Block(kind, "title", header=header, rows=rows)


@given(points | rising.map(lambda rows: [tuple(map(repr, row)) for row in rows]))
def test_no_text_of_a_report_enters_a_picture(rows: list[tuple[str, ...]]) -> None:
    curve = curve_of(block(*rows))
    if curve is None:
        return
    shown = mermaid(curve)
    assert MERMAID.fullmatch(shown.removesuffix(LEGEND)), shown
    ours = f"<[^<>]*>|{re.escape(ACROSS)}|{re.escape(UPWARDS)}|main|here| %"
    assert not set(re.sub(ours, "", svg(curve))) - set("0123456789.e+-")


@given(rising)
def test_every_rising_curve_of_shares_is_drawn_inside_its_frame(rows: list[tuple[float, float, float]]) -> None:
    curve = curve_of(block(*[tuple(map(repr, row)) for row in rows]))
    if len({row[0] for row in rows}) < len(rows):
        assert curve is None
        return
    assert curve is not None
    low, high = curve.span
    assert 0 <= low <= min(*curve.main, *curve.here) <= max(*curve.main, *curve.here) <= high <= 100
    assert low < high
    picture = ElementTree.fromstring(svg(curve)).find("svg")
    assert picture is not None
    _, _, width, height = map(float, picture.attrib["viewBox"].split())
    for line in picture.iter("polyline"):
        for x, y in (point.split(",") for point in line.attrib["points"].split()):
            assert 0 <= float(x) <= width
            assert 0 <= float(y) <= height
    assert len(as_lines(curve)) == len(rows) + 1


@pytest.mark.parametrize(
    "other",
    [
        block(("0", "1", "2"), ("1", "1", "2"), kind=BlockKind.TABLE),
        block(("0", "1", "2"), ("1", "1", "2"), header=("ε", "main", "`here`")),
        block(("0", "1", "2")),
        block(("0", "1", "2"), ("1", "1")),
        block(("0", "1", "2"), ("1", "1", "–")),
        block(("0", "1", "2"), ("1", "1", "nan")),
        block(("0", "1", "2"), ("1", "1", "100.1")),
        block(("1", "1", "2"), ("0", "1", "2")),
        block(*[(str(n), "1", "2") for n in range(41)]),
    ],
)
def test_any_other_block_is_no_picture(other: Block) -> None:
    assert curve_of(other) is None


def test_the_comment_shows_a_curve_once_with_all_its_findings() -> None:
    text = render.comment(verdicts.swept())
    assert text.count("xychart-beta") == 1
    assert "<details><summary>F1, F3: evidence</summary>" in text
    assert "<details><summary>F2: evidence</summary>" in text
    assert "    line [74.0, 74.0, 74.0, 73.7]\n    line [77.0, 75.0, 68.3, 64.3]\n" in text


def test_a_comment_that_is_too_long_sheds_the_curve_and_says_so() -> None:
    whole = render.comment(verdicts.swept())
    text = render.comment(verdicts.swept(), limit=len(whole) - 1_000)
    assert "mermaid" not in text
    assert "evidence of 3 findings" in text


def test_the_page_holds_the_picture_and_its_colours() -> None:
    page = render.page(verdicts.swept())
    assert page.count("<svg") == page.count("</svg></figure>") == 1
    picture = page[page.index("<svg") : page.index("</svg>")]
    used = set(re.findall(r'class="([a-z]+)"', picture))
    assert used == {"curve", "grid", "main", "here"}
    assert all(f".{name}" in STYLE for name in used - {"main"})
    assert 'viewBox="0 0 480 280" role="img" aria-label="main and here by ε' in picture
    assert f">{ACROSS}</text>" in picture
    assert f">{UPWARDS}</text>" in picture


def test_the_page_lets_nothing_else_of_a_drawing_through() -> None:
    from gate.render.page import _sanitised

    dirty = (
        '<figure onclick="x()"><svg onload="x()" class="curve"><script>x()</script><style>*{}</style>'
        '<foreignObject><b>x</b></foreignObject><use href="http://evil.example/#a"></use><image href="x"></image>'
        '<animate attributeName="href"></animate><a xlink:href="javascript:x()"><text style="x" x="1">t</text></a>'
        "</svg></figure>"
    )
    assert not re.search(r"on\w+=|script|style|foreign|use|image|animate|href|evil", _sanitised(dirty))


@pytest.mark.parametrize("make", [verdicts.hostile, verdicts.worse])
def test_a_verdict_without_such_a_curve_has_no_picture(make: object) -> None:
    assert callable(make)
    verdict: Verdict = make()
    assert "```mermaid\n%%" not in render.comment(verdict)
    assert "<svg" not in render.page(verdict)


def test_the_terminal_shows_few_curves() -> None:
    from dataclasses import replace

    many = tuple(
        replace(verdicts.at_epsilon(n, "0.1", 1), evidence=(replace(verdicts.WORST_CASE, title=f"attack {n}"),))
        for n in range(1, 9)
    )
    text = render.terminal(replace(verdicts.swept(), findings=many))
    assert [line for line in text.splitlines() if ": attack" in line] == [f"F{n}: attack {n}" for n in range(1, 6)]
