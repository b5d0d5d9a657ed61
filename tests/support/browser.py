"""A headless browser that takes a picture of a local file and may reach nothing else."""

from __future__ import annotations

import shutil
import subprocess
from pathlib import Path

NAMES = ("chromium", "chromium-browser", "google-chrome")
FLAGS = (
    "--headless",
    "--no-sandbox",
    "--disable-gpu",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-default-apps",
    "--disable-dev-shm-usage",
    "--disable-extensions",
    "--disable-sync",
    "--hide-scrollbars",
    "--metrics-recording-only",
    "--no-first-run",
    "--no-default-browser-check",
    "--host-resolver-rules=MAP * ~NOTFOUND",
)


def find_browser() -> str | None:
    """Path of a browser, or None."""
    return next((path for name in NAMES if (path := shutil.which(name))), None)


def screenshot(
    browser: str, page: Path, picture: Path, size: tuple[int, int], scratch: Path, *, extra: tuple[str, ...] = ()
) -> None:
    """Write a PNG of the first `size` (columns, rows) pixels of a page.

    Args:
        scratch: an empty folder for the browser's own files.
    """
    command = [
        browser,
        *FLAGS,
        f"--user-data-dir={scratch}",
        f"--window-size={size[0]},{size[1]}",
        f"--screenshot={picture}",
        *extra,
        page.resolve().as_uri(),
    ]
    subprocess.run(command, check=True, capture_output=True, timeout=120)


def dump(browser: str, page: Path, scratch: Path, *, extra: tuple[str, ...] = ()) -> str:
    """The document as the browser sees it, after loading."""
    command = [browser, *FLAGS, f"--user-data-dir={scratch}", *extra, "--dump-dom", page.resolve().as_uri()]
    return subprocess.run(command, check=True, capture_output=True, timeout=120).stdout.decode("utf-8")
