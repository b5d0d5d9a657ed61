"""Packages of npm that tests look at pages with, pinned with their digests in `web/package-lock.json`, fetched once."""

from __future__ import annotations

import hashlib
import os
import shutil
import subprocess
import tempfile
from functools import cache
from pathlib import Path

HERE = Path(__file__).parent / "web"
FILES = ("package.json", "package-lock.json", "render.mjs")


class WebAbsentError(Exception):
    """npm is not on this machine, so that the packages can't be had."""


@cache
def web() -> Path:
    """Folder with `node_modules` as the lock says.

    Raises:
        WebAbsentError: it is not cached and npm is absent. That npm fails is an error of its own.
    """
    digest = hashlib.sha256(b"".join((HERE / name).read_bytes() for name in FILES)).hexdigest()[:16]
    cached = Path(__file__).resolve().parents[2] / ".cache" / f"web-{digest}"
    if not cached.is_dir():
        _fetch(cached)
    return cached


def _fetch(cached: Path) -> None:
    npm = shutil.which("npm")
    if npm is None or shutil.which("node") is None:
        raise WebAbsentError("npm and node are absent, so the packages of tests/support/web can't be fetched")
    cached.parent.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory(dir=cached.parent) as scratch:
        folder = Path(scratch) / "web"
        shutil.copytree(HERE, folder)
        environ = {**os.environ, "npm_config_update_notifier": "false"}
        subprocess.run(
            [npm, "ci", "--ignore-scripts", "--no-audit", "--no-fund"],
            cwd=folder,
            env=environ,
            check=True,
            stdout=subprocess.DEVNULL,
            timeout=300,
        )
        if not cached.is_dir():  # several test processes may do this at once
            folder.rename(cached)


def axe() -> str:
    """The script of axe-core, which checks a page against WCAG."""
    return (web() / "node_modules" / "axe-core" / "axe.min.js").read_text(encoding="utf-8")


def as_comment(markdown: str) -> str:
    """A comment as GitHub shows it: its own style sheet, and Markdown by a parser that follows GitHub's."""
    folder = web()
    style = (folder / "node_modules" / "github-markdown-css" / "github-markdown.css").read_text(encoding="utf-8")
    body = subprocess.run(
        ["node", "render.mjs"], cwd=folder, input=markdown.encode(), capture_output=True, check=True, timeout=60
    ).stdout.decode("utf-8")
    return (
        '<!doctype html><html lang="en"><head><meta charset="utf-8"><title>Comment</title>'
        f'<meta name="viewport" content="width=device-width, initial-scale=1"><style>{style}{_BOX}</style></head>'
        f'<body class="markdown-body"><main>{body}</main></body></html>'
    )


_BOX = """
body.markdown-body{margin:0;padding:16px;font-size:14px}
main{max-width:860px;margin:0 auto;border:1px solid var(--borderColor-default,#d1d9e0);border-radius:6px;padding:16px}
"""
"""A comment's box, which is no part of the style sheet of its text."""
