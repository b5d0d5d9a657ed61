"""The page in a real browser: it draws, and it asks for nothing outside its own file."""

from __future__ import annotations

import json
import struct
import zlib
from pathlib import Path
from typing import Any

import pytest

from gate import render
from tests.support import verdicts
from tests.support.browser import dump, find_browser, screenshot

WIDTH, HEIGHT = 900, 700


@pytest.fixture
def browser() -> str:
    found = find_browser()
    if found is None:
        pytest.skip("no chromium on PATH (Debian: apt-get install chromium)")
    return found


@pytest.fixture
def page(tmp_path: Path) -> Path:
    path = tmp_path / "report.html"
    path.write_text(render.page(verdicts.hostile()), encoding="utf-8")
    return path


def test_the_page_draws(browser: str, tmp_path: Path) -> None:
    path, picture = tmp_path / "report.html", tmp_path / "report.png"
    path.write_text(render.page(verdicts.worse()), encoding="utf-8")
    screenshot(browser, path, picture, (WIDTH, HEIGHT), tmp_path / "profile")
    columns, rows, colours = seen(picture.read_bytes())
    assert (columns, rows) == (WIDTH, HEIGHT)
    assert colours > 20, "the style sheet was refused or nothing was drawn"


def test_the_page_asks_for_nothing(browser: str, page: Path, tmp_path: Path) -> None:
    log = tmp_path / "net.json"
    document = dump(browser, page, tmp_path / "profile", extra=(f"--log-net-log={log}",))
    assert "Less robust than main" in document
    requested = addresses(json.loads(log.read_text(encoding="utf-8")))
    assert not [address for address in requested if "evil.example" in address or "github" in address]


def test_the_curve_draws(browser: str, tmp_path: Path) -> None:
    """The sanitiser and the policy let the picture through: with it the page has more than blank rows."""
    path, picture = tmp_path / "report.html", tmp_path / "report.png"
    page = render.page(verdicts.swept())
    start, end = page.index("<figure>"), page.index("</figure>") + len("</figure>")
    path.write_text(f"{page[: page.index('<main>')]}<main>{page[start:end]}</main></body></html>", encoding="utf-8")
    screenshot(browser, path, picture, (WIDTH, HEIGHT), tmp_path / "profile")
    *_, drawn = seen(picture.read_bytes())
    path.write_text(f"{page[: page.index('<main>')]}<main></main></body></html>", encoding="utf-8")
    screenshot(browser, path, picture, (WIDTH, HEIGHT), tmp_path / "profile")
    *_, empty = seen(picture.read_bytes())
    assert drawn > empty + 100, "the rows of the picture all look alike"


def test_a_request_would_be_seen(browser: str, tmp_path: Path) -> None:
    """The log that the test above reads does hold requests when a page makes one."""
    log, path = tmp_path / "net.json", tmp_path / "other.html"
    path.write_text('<!doctype html><img src="http://evil.example/p.png">', encoding="utf-8")
    dump(browser, path, tmp_path / "profile", extra=(f"--log-net-log={log}",))
    assert any("evil.example" in address for address in addresses(json.loads(log.read_text(encoding="utf-8"))))


def addresses(log: dict[str, Any]) -> set[str]:
    """Addresses in Chromium's own log of its network."""
    events = (event.get("params", {}) for event in log.get("events", []))
    return {str(params["url"]) for params in events if isinstance(params, dict) and "url" in params}


def seen(png: bytes) -> tuple[int, int, int]:
    """Width, height and number of distinct pixel bytes rows of a PNG, a crude measure that something was drawn."""
    columns, rows = struct.unpack(">II", png[16:24])
    data, place = b"", 8
    while place < len(png):
        (length,) = struct.unpack(">I", png[place : place + 4])
        if png[place + 4 : place + 8] == b"IDAT":
            data += png[place + 8 : place + 8 + length]
        place += 12 + length
    pixels = zlib.decompress(data)
    stride = len(pixels) // rows
    return columns, rows, len({pixels[start : start + stride] for start in range(0, len(pixels), stride)})
