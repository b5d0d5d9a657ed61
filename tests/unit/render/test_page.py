"""The page: self-contained, sanitised, readable by a screen reader."""

from __future__ import annotations

import re

import pytest

from gate import render
from gate.render.page_style import STYLE
from tests.support import verdicts


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
    assert '<pre><code class="language-diff">-assert accuracy &gt; .93' in page
    assert "markdown=" not in page
    assert page.count("<details>") == page.count("</details>") == 4


def test_hostile_text_is_seen_as_it_stands() -> None:
    page = render.page(verdicts.hostile())
    assert "&lt;script&gt;alert(1)&lt;/script&gt;&lt;img src=x onerror=alert(1)&gt;" in page
    assert "&amp;lt;b&amp;gt;" in page
    assert "javascript:" not in page
    assert "<a " not in page.partition("<body>")[2]
