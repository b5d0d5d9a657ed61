"""Draws the pictures in docs/images anew: a comment as GitHub renders it, and a part of a verdict's page.

`python -m tests.support.picture` needs npm, and chromium on PATH with a font with emoji.
"""

from __future__ import annotations

import struct
import tempfile
import zlib
from pathlib import Path

from gate import render
from tests.support import verdicts
from tests.support.browser import find_browser
from tests.support.devtools import driven
from tests.support.full_page import full
from tests.support.web_packages import as_comment

IMAGES = Path(__file__).resolve().parents[2] / "docs" / "images"
MOST_BYTES = 150_000
TOP = """
<style>
.top{background:#f6f8fa;border-bottom:1px solid #d1d9e0;padding:8px 16px;margin:-16px -16px 16px;color:#59636e;
border-radius:6px 6px 0 0}
.top b{color:#1f2328}.top span{border:1px solid #d1d9e0;border-radius:2em;padding:0 7px;font-size:12px;margin-left:4px}
main>h3:first-of-type{margin-top:0}
</style>
<div class="top"><b>github-actions</b> <span>bot</span> commented</div>"""


def comment() -> str:
    """A comment as a page; the folded part with examples is open."""
    head, _, tail = as_comment(render.comment(verdicts.worse())).partition("<details><summary>F6")
    return f"{head}<details open><summary>F6{tail}".replace("<main>", f"<main>{TOP}", 1)


PICTURES = {
    "comment.png": (comment, "body", 940),
    "page-rates.png": (full, "[aria-labelledby=rates]", 1100),
    "page-trends.png": (full, "[aria-labelledby=trends]", 1100),
}
"""Name of a picture: what it is of, which element of that, and its width in pixels."""


def draw() -> None:
    """Write all pictures.

    Raises:
        SystemExit: there is no browser, or a picture is larger than `MOST_BYTES`.
    """
    browser = find_browser()
    if browser is None:
        raise SystemExit("no chromium on PATH (Debian: apt-get install chromium fonts-noto-color-emoji)")
    with tempfile.TemporaryDirectory() as folder, driven(browser, Path(folder) / "profile") as tab:
        for name, (make, part, width) in PICTURES.items():
            tab.look(width=width)
            page = Path(folder) / "page.html"
            page.write_text(make(), encoding="utf-8")
            tab.open(page)
            png = squeezed(tab.picture(part))
            print(f"{IMAGES / name}: {len(png):,} bytes")
            if len(png) > MOST_BYTES:
                raise SystemExit(f"larger than {MOST_BYTES:,} bytes")
            (IMAGES / name).write_bytes(png)


def squeezed(png: bytes) -> bytes:
    """The same picture in 86 steps a channel and without transparency: browsers write for speed, not for size."""
    columns, rows, depth, kind = struct.unpack(">IIBB", png[16:26])
    data, place = b"", 8
    while place < len(png):
        (length,) = struct.unpack(">I", png[place : place + 4])
        data += png[place + 8 : place + 8 + length] if png[place + 4 : place + 8] == b"IDAT" else b""
        place += 12 + length
    channels = {2: 3, 6: 4}[kind] if depth == 8 else 0
    stride = columns * channels
    raw, above, lines = zlib.decompress(data), bytearray(stride), bytearray()
    steps = bytes(min(255, 3 * round(value / 3)) for value in range(256))
    for start in range(0, len(raw), stride + 1):
        above = _unfiltered(raw[start], bytearray(raw[start + 1 : start + 1 + stride]), above, channels)
        plain = bytearray(3 * columns)
        for channel in range(3):
            plain[channel::3] = above[channel::channels]
        lines += b"\0" + plain.translate(steps)
    header = struct.pack(">IIBBBBB", columns, rows, 8, 2, 0, 0, 0)
    parts = ((b"IHDR", header), (b"IDAT", zlib.compress(bytes(lines), 9)), (b"IEND", b""))
    return png[:8] + b"".join(
        struct.pack(">I", len(body)) + name + body + struct.pack(">I", zlib.crc32(name + body)) for name, body in parts
    )


def _unfiltered(method: int, line: bytearray, above: bytearray, step: int) -> bytearray:
    """One row of pixels without its PNG filter (0 none, 1 left, 2 up, 3 average, 4 Paeth)."""
    for place in range(len(line)) if method else ():
        left = line[place - step] if place >= step else 0
        up, corner = above[place], above[place - step] if place >= step else 0
        if method == 4:
            guess = left + up - corner
            nearest = min((left, up, corner), key=lambda value: abs(guess - value))
        else:
            nearest = (0, left, up, (left + up) // 2)[method]
        line[place] = (line[place] + nearest) & 255
    return line


if __name__ == "__main__":
    draw()
