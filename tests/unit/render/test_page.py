"""The page: self-contained, sanitised, readable by a screen reader."""

from __future__ import annotations

import re
from itertools import pairwise

import pytest

from gate import render
from gate.render.page import body_of
from gate.render.page_style import STYLE
from tests.support import verdicts
from tests.support.full_page import full


@pytest.mark.parametrize("name", ["worse", "swept", "unchanged", "welcome", "hostile"])
def test_loads_and_runs_nothing(name: str) -> None:
    page = render.page(verdicts.ALL[name]())
    head, _, body = page.partition("<body>")
    assert "default-src 'none'; style-src 'sha256-" in head
    assert not re.search(r"<[^>]*\s(?:src|srcset|on\w+|style)\s*=", body)
    assert not re.search(r"<(?:script|link|img|iframe|object|embed|base|form)\b", page)
    assert "url(" not in STYLE
    assert "@import" not in STYLE


def test_is_accessible() -> None:
    page = render.page(verdicts.worse())
    assert '<html lang="en">' in page
    assert page.count("<h1>") == 1
    assert "<th>" not in page
    assert '<th scope="col">What got worse</th>' in page
    assert "prefers-color-scheme:dark" in page
    assert "@media print" in page


def test_folded_parts_are_rendered() -> None:
    page = render.page(verdicts.worse())
    assert "<details><summary>F8: evidence</summary>" in page.replace("\n", "")
    assert '<pre><code class="language-diff"><span class="minus">-assert accuracy &gt; .93</span>' in page
    assert "markdown=" not in page
    assert page.count("<details>") == page.count("</details>") == 4


def test_hostile_text_is_seen_as_it_stands() -> None:
    page = render.page(verdicts.hostile())
    assert "&lt;script&gt;alert(1)&lt;/script&gt;&lt;img src=x onerror=alert(1)&gt;" in page
    assert "&amp;lt;b&amp;gt;" in page
    assert "javascript:" not in page
    assert not re.search(r'<a (?!href="#[a-z]+">|class="skip" href="#content">)', page.partition("<body>")[2])


@pytest.mark.parametrize("name", ["worse", "swept", "unchanged", "welcome", "hostile"])
def test_headings_go_down_by_one_and_tables_are_named(name: str) -> None:
    body = render.page(verdicts.ALL[name]()).partition("<body>")[2]
    levels = [int(level) for level in re.findall(r"<h([1-6])", body)]
    assert levels[0] == 1
    assert levels.count(1) == 1
    assert all(after <= before + 1 for before, after in pairwise(levels))
    assert body.count("<table>") == body.count("<table><caption>")
    labels = re.findall(r'role="region" aria-label="([^"]*)"', body)
    assert len(labels) == len(set(labels)) == body.count("<table>")


def test_every_part_is_reached_from_the_contents() -> None:
    body = full().partition("<body>")[2]
    assert re.findall(r'<li><a href="#([a-z]+)">', body) == re.findall(r'<h2 id="([a-z]+)">', body)
    for landmark in ("header", "nav", "main", "footer"):
        assert len(re.findall(f"<{landmark}[ >]", body)) == 1
    assert '<a class="skip" href="#content">' in body
    assert '<main id="content" tabindex="-1">' in body


def test_shows_what_was_measured_beside_what_was_found() -> None:
    page = full()
    for key in ("findings", "held", "agent", "rates", "mutants", "calls", "trends"):
        assert f'<section aria-labelledby="{key}">' in page
    assert "<caption>Kill matrix of prompt 1</caption>" in page
    assert "<caption>Calls of the whole run</caption>" in page


def test_a_caption_never_reaches_over_a_paragraph_of_its_own() -> None:
    text = "**Note:** one\n\n| a |\n|---|\n| 1 |\n\n**Title**\n\n| b |\n|---|\n| 2 |\n"
    assert re.findall("<caption>(.*?)</caption>", body_of(text, "Part")) == ["Part", "Part (2): Title"]


def test_signs_of_a_diff_are_coloured_and_its_head_is_not() -> None:
    shown = body_of("```diff\n--- main\n+++ here\n@@ -1 +1 @@\n-<b>\n+\n same\n```\n")
    assert re.findall('<span class="([a-z]+)">(.*?)</span>', shown) == [("minus", "-&lt;b&gt;"), ("plus", "+")]


def channels(colour: str) -> tuple[float, float, float]:
    """Red, green and blue of `#abc` or `#aabbcc`, 0 to 1."""
    digits = colour[1:] if len(colour) == 7 else "".join(2 * digit for digit in colour[1:])
    red, green, blue = (int(digits[place : place + 2], 16) / 255 for place in (0, 2, 4))
    return red, green, blue


def luminance(colour: str) -> float:
    """Relative luminance (WCAG 2.2)."""
    linear = [each / 12.92 if each <= 0.04045 else ((each + 0.055) / 1.055) ** 2.4 for each in channels(colour)]
    return sum(weight * each for weight, each in zip((0.2126, 0.7152, 0.0722), linear, strict=True))


def contrast(one: str, other: str) -> float:
    dark, light = sorted((luminance(one), luminance(other)))
    return (light + 0.05) / (dark + 0.05)


def test_every_scheme_has_the_contrast_that_small_text_needs() -> None:
    schemes = [dict(re.findall(r"--(\w+):(#[0-9a-f]+)", block)) for block in re.findall(r":root\{([^}]*)\}", STYLE)]
    assert len(schemes) == 3
    for colours in schemes:
        for paper in ("paper", "tint"):
            for text in ("ink", "soft", "link", "here"):
                assert contrast(colours[text], colours[paper]) >= 4.5, (text, paper, colours)
        for paper in ("plus", "minus"):
            assert contrast(colours["ink"], colours[paper]) >= 4.5
    assert contrast("#000", "#fff") == pytest.approx(21)
    assert contrast("#777", "#fff") < 4.5
