"""Draws docs/images/comment.png anew: the comment of `verdicts.worse()` in a style like GitHub's.

`python -m tests.support.picture` needs chromium on PATH and a font with emoji.
"""

from __future__ import annotations

import struct
import sys
import tempfile
import zlib
from pathlib import Path

from markdown_it import MarkdownIt

from gate import render
from tests.support import verdicts
from tests.support.browser import find_browser, screenshot

PICTURE = Path(__file__).resolve().parents[2] / "docs" / "images" / "comment.png"
WIDTH = 940
MOST_BYTES = 150_000
STYLE = """
body{margin:0;padding:16px;background:#fff;color:#1f2328;
font:14px/1.5 -apple-system,"Segoe UI","Noto Sans","DejaVu Sans",sans-serif}
.box{border:1px solid #d1d9e0;border-radius:6px}
.top{background:#f6f8fa;border-bottom:1px solid #d1d9e0;border-radius:6px 6px 0 0;padding:8px 16px;color:#59636e}
.top b{color:#1f2328}.top span{border:1px solid #d1d9e0;border-radius:2em;padding:0 7px;font-size:12px;margin-left:4px}
.text{padding:4px 16px 8px}
h3{font-size:1.25em;margin:14px 0 12px}p{margin:0 0 12px}
code,pre{font-family:ui-monospace,"DejaVu Sans Mono",monospace;font-size:85%;background:#818b981f;border-radius:6px}
code{padding:.2em .4em}pre{padding:12px;overflow:auto}pre code{padding:0;background:none;font-size:100%}
table{border-collapse:collapse;margin:0 0 14px}th,td{border:1px solid #d1d9e0;padding:6px 13px;text-align:left}
tr:nth-child(2n) td{background:#f6f8fa}td:first-child{white-space:nowrap}
details{margin:0 0 10px}summary{margin-bottom:8px}a{color:#0969da}sub{font-size:12px;color:#59636e}
"""


def html(opened: int = 1) -> str:
    """The comment as a page; the first `opened` folded parts after the group's are open."""
    reader = MarkdownIt("commonmark", {"breaks": False}).enable(["table", "strikethrough"])
    body = reader.render(render.comment(verdicts.worse()))
    head, _, tail = body.partition("<details><summary>F6")
    if opened and tail:
        body = f"{head}<details open><summary>F6{tail}"
    return (
        f'<!doctype html><meta charset="utf-8"><style>{STYLE}</style><div class="box"><div class="top">'
        f'<b>github-actions</b> <span>bot</span> commented</div><div class="text">{body}</div></div>'
    )


def draw(picture: Path, height: int) -> None:
    """Write the picture, `height` pixels high."""
    browser = find_browser()
    if browser is None:
        raise SystemExit("no chromium on PATH (Debian: apt-get install chromium fonts-noto-color-emoji)")
    with tempfile.TemporaryDirectory() as folder:
        page = Path(folder) / "comment.html"
        page.write_text(html(), encoding="utf-8")
        screenshot(browser, page, picture, (WIDTH, height), Path(folder) / "profile")
    picture.write_bytes(squeezed(picture.read_bytes()))


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
    draw(PICTURE, int(sys.argv[1]) if len(sys.argv) > 1 else 1100)
    size = PICTURE.stat().st_size
    print(f"{PICTURE}: {size:,} bytes")
    if size > MOST_BYTES:
        raise SystemExit(f"larger than {MOST_BYTES:,} bytes")
