"""The page in a real browser: what it draws, what it asks for, who can read and use it, on screen and on paper."""

from __future__ import annotations

from pathlib import Path

import pytest

from gate import render
from gate.render import probes
from tests.support import mutant_cases, probe_reports, verdicts, web_packages
from tests.support.devtools import Tab
from tests.support.full_page import full

WIDE, NARROW = 1280, 390
PAGES = {
    "full": full,
    "hostile": lambda: render.page(verdicts.hostile()),
    "unchanged": lambda: render.page(verdicts.unchanged()),
    "welcome": lambda: render.page(verdicts.welcome()),
    "stale": lambda: render.page(verdicts.stale()),
    "agent": lambda: probes.render_page(probe_reports.report(before=True)),
    "mutation": lambda: render.mutation_page(mutant_cases.SHOWN_CASES, [mutant_cases.SHOWN_PROMPT]),
}
SMALLEST = 10
"""Pixels of the smallest letters in a picture."""
OPEN = "document.querySelectorAll('details').forEach(each => { each.open = true })"


@pytest.fixture(scope="module")
def pages(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Path]:
    folder = tmp_path_factory.mktemp("pages")
    for name, make in PAGES.items():
        (folder / f"{name}.html").write_text(make(), encoding="utf-8")
    return {name: folder / f"{name}.html" for name in PAGES}


@pytest.fixture(scope="module")
def axe() -> str:
    try:
        return web_packages.axe()
    except web_packages.WebAbsentError as reason:
        pytest.skip(str(reason))


@pytest.mark.parametrize("name", PAGES)
def test_asks_for_nothing_but_itself(tab: Tab, pages: dict[str, Path], name: str) -> None:
    tab.look(width=WIDE)
    tab.open(pages[name])
    assert tab.asked == [pages[name].as_uri()]


def test_a_request_would_be_seen(tab: Tab, tmp_path: Path) -> None:
    path = tmp_path / "other.html"
    path.write_text('<!doctype html><img src="http://evil.example/p.png">', encoding="utf-8")
    tab.open(path)
    assert "http://evil.example/p.png" in tab.asked


@pytest.mark.parametrize("width", [WIDE, NARROW])
@pytest.mark.parametrize("name", PAGES)
def test_nothing_runs_over_the_edge(tab: Tab, pages: dict[str, Path], name: str, width: int) -> None:
    tab.look(width=width)
    tab.open(pages[name])
    tab.run(OPEN)
    assert tab.run("document.documentElement.scrollWidth") <= width


@pytest.mark.parametrize(("width", "scheme"), [(WIDE, "light"), (NARROW, "dark")])
@pytest.mark.parametrize("name", PAGES)
def test_holds_wcag(tab: Tab, pages: dict[str, Path], axe: str, name: str, width: int, scheme: str) -> None:
    """Contrast, names, landmarks, headings, scrolling by keyboard: all rules of axe-core, its best practices too."""
    tab.look(width=width, scheme=scheme)
    tab.open(pages[name])
    tab.run(OPEN)
    tab.run(axe)
    found = tab.run("axe.run().then(result => result.violations.map(each => [each.id, each.nodes[0].html]))")
    assert found == []


def test_axe_sees_what_is_wrong(tab: Tab, axe: str, tmp_path: Path) -> None:
    path = tmp_path / "wrong.html"
    path.write_text('<!doctype html><p style="color:#999;background:#fff">faint</p>', encoding="utf-8")
    tab.open(path)
    tab.run(axe)
    found = tab.run("axe.run().then(result => result.violations.map(each => each.id))")
    assert {"color-contrast", "html-has-lang", "landmark-one-main"} <= set(found)


@pytest.mark.parametrize("name", ["full", "stale"])
def test_every_fold_is_reached_and_opened_by_keyboard(tab: Tab, pages: dict[str, Path], name: str) -> None:
    tab.look(width=WIDE)
    tab.open(pages[name])
    count = tab.run("document.querySelectorAll('summary').length")
    assert count
    reached = 0
    for _ in range(200):
        tab.press("Tab", 9)
        if tab.run("document.activeElement === document.body"):
            break
        outline = tab.run("getComputedStyle(document.activeElement).outlineStyle")
        assert outline != "none" or tab.run("document.activeElement.className") == "skip"
        if tab.run("document.activeElement.tagName") == "SUMMARY":
            reached += 1
            tab.press("Enter", 13)
            assert tab.run("document.activeElement.parentElement.open")
    assert reached == count


def test_a_screen_reader_is_told_names(tab: Tab, pages: dict[str, Path]) -> None:
    tab.look(width=WIDE)
    tab.open(pages["full"])
    tab.run(OPEN)
    tree = tab.tree()
    roles = [role for role, _ in tree]
    for landmark in ("banner", "navigation", "main", "contentinfo"):
        assert roles.count(landmark) == 1
    for role in ("image", "table", "region", "heading"):
        named = [name for each, name in tree if each == role]
        assert named
        assert all(named), role
    numbers = "98.1, 98.0, 97.9, 97.7, 97.6, 97.4, 97.3, 97.1, 97.0, 97.3"
    assert ("image", f"Pass rate by refresh, in percent: {numbers}") in tree


LETTERS = """
[...document.querySelectorAll('svg text')].map(text => {
  const svg = text.ownerSVGElement, box = text.getBBox(), view = svg.viewBox.baseVal
  const scale = svg.getBoundingClientRect().width / view.width
  return [text.textContent, parseFloat(getComputedStyle(text).fontSize) * scale,
    Math.min(box.x, box.y, view.width - box.x - box.width, view.height - box.y - box.height)]
})"""


@pytest.mark.parametrize("width", [WIDE, NARROW])
@pytest.mark.parametrize("name", ["full", "agent"])
def test_words_of_pictures_are_whole_and_large_enough(tab: Tab, pages: dict[str, Path], name: str, width: int) -> None:
    tab.look(width=width)
    tab.open(pages[name])
    tab.run(OPEN)
    letters = tab.run(LETTERS)
    assert len(letters) > 15
    assert [each for each in letters if each[1] < SMALLEST] == []
    assert [each for each in letters if each[2] < -1] == []


def test_paper_shows_what_is_folded(tab: Tab, pages: dict[str, Path]) -> None:
    tab.look(width=794, medium="print")
    tab.open(pages["full"])
    heights = tab.run("[...document.querySelectorAll('details > :last-child')].map(each => each.clientHeight)")
    assert heights
    assert all(heights)
    assert tab.run("getComputedStyle(document.querySelector('nav')).display") == "none"
    assert tab.run("document.documentElement.scrollWidth") <= 794
    assert tab.paper().startswith(b"%PDF")


def test_moves_only_for_those_who_like_it(tab: Tab, pages: dict[str, Path]) -> None:
    tab.open(pages["full"])
    found = {}
    for wish in ("reduce", "no-preference"):
        tab.call("Emulation.setEmulatedMedia", features=[{"name": "prefers-reduced-motion", "value": wish}])
        found[wish] = tab.run("getComputedStyle(document.documentElement).scrollBehavior")
    assert found == {"reduce": "auto", "no-preference": "smooth"}


def test_both_schemes_draw(tab: Tab, pages: dict[str, Path]) -> None:
    """The sanitiser and the policy let style and pictures through, and the reader's preference is kept."""
    drawn = {}
    for scheme in ("light", "dark"):
        tab.look(width=WIDE, scheme=scheme)
        tab.open(pages["full"])
        assert tab.run("document.querySelectorAll('svg').length") >= 8
        drawn[scheme] = tab.run("getComputedStyle(document.body).backgroundColor")
    assert drawn == {"light": "rgb(255, 255, 255)", "dark": "rgb(13, 17, 23)"}
    assert tab.picture().startswith(b"\x89PNG")
