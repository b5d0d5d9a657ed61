"""The comment as GitHub shows it, by a parser that follows GitHub's and in GitHub's own style sheet."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from tests.support import web_packages
from tests.support.devtools import Tab
from tests.support.markdown_reader import LINKED

WIDE, NARROW = 1280, 390
GOLDEN = Path(__file__).parents[1] / "golden"
COMMENTS = sorted(path.stem for path in GOLDEN.glob("comment-*.md"))
OURS = ("https://github.com/acme/loans/actions/runs/901",)
TABLES = """
[...document.querySelectorAll('table')].map(table =>
  [...table.querySelectorAll('tr')].map(row => row.children.length))"""
LOOSE = """
(() => {
  const found = [], walker = document.createTreeWalker(document.querySelector('main'), NodeFilter.SHOW_TEXT)
  while (walker.nextNode()) {
    if (!walker.currentNode.parentElement.closest('code, pre, a')) found.push(walker.currentNode.data)
  }
  return found
})()"""
FOLDS = """
[...document.querySelectorAll('details')].map(each => {
  const closed = each.clientHeight
  each.open = true
  const open = each.clientHeight
  return [each.querySelectorAll(':scope > summary').length, each.closest('details details') === null, open > closed]
})"""


@pytest.fixture(scope="module")
def shown(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Path]:
    folder = tmp_path_factory.mktemp("comments")
    try:
        for name in COMMENTS:
            made = web_packages.as_comment((GOLDEN / f"{name}.md").read_text(encoding="utf-8"))
            (folder / f"{name}.html").write_text(made, encoding="utf-8")
    except web_packages.WebAbsentError as reason:
        pytest.skip(str(reason))
    return {name: folder / f"{name}.html" for name in COMMENTS}


@pytest.mark.parametrize("name", COMMENTS)
def test_tables_hold_and_folds_fold(tab: Tab, shown: dict[str, Path], name: str) -> None:
    tab.look(width=WIDE)
    tab.open(shown[name])
    assert tab.asked == [shown[name].as_uri()]
    for rows in tab.run(TABLES):
        assert len(rows) > 1
        assert len(set(rows)) == 1, "a cell ended early"
    text = tab.run("document.querySelector('main').innerText")
    assert "|---" not in text
    assert "hostile" in name or "**" not in "".join(tab.run(LOOSE))
    assert text.splitlines()[0][:1] in "❌✅❔👋⛔"
    for summaries, outermost, folds in tab.run(FOLDS):
        assert (summaries, outermost, folds) == (1, True, True)


@pytest.mark.parametrize("name", COMMENTS)
def test_nobody_is_called_and_nothing_is_linked(tab: Tab, shown: dict[str, Path], name: str) -> None:
    """GitHub itself links what stands outside code: mentions, references, commits, addresses."""
    tab.look(width=WIDE)
    tab.open(shown[name])
    assert set(tab.run("[...document.querySelectorAll('main a')].map(each => each.href)")) <= set(OURS)
    kinds = set(tab.run("[...document.querySelectorAll('main *')].map(each => each.localName)"))
    assert not kinds & {"img", "script", "style", "iframe", "object", "input", "form", "svg", "math"}
    for text in tab.run(LOOSE):
        for kind, pattern in LINKED.items():
            assert not pattern.search(text), (kind, text)


@pytest.mark.parametrize("width", [WIDE, NARROW])
@pytest.mark.parametrize("name", COMMENTS)
def test_only_tables_and_blocks_scroll(tab: Tab, shown: dict[str, Path], name: str, width: int) -> None:
    tab.look(width=width)
    tab.open(shown[name])
    tab.run(FOLDS)
    assert tab.run("document.documentElement.scrollWidth") <= width
    # what a reviewer reads first stands on the first screen of a phone
    headline = tab.run("document.querySelector('h3').getBoundingClientRect().bottom")
    assert headline < 300


def test_a_mention_would_be_seen(tab: Tab, tmp_path: Path) -> None:
    path = tmp_path / "other.html"
    try:
        made = web_packages.as_comment("### ❌ x\n\n@octocat `@code`\nsee https://evil.example\n")
        path.write_text(made, encoding="utf-8")
    except web_packages.WebAbsentError as reason:
        pytest.skip(str(reason))
    tab.open(path)
    assert any(LINKED["mention"].search(text) for text in tab.run(LOOSE))
    assert tab.run("document.querySelector('main a').href") == "https://evil.example/"
    assert re.search(r"@octocat @code\nsee", tab.run("document.querySelector('main').innerText"))
