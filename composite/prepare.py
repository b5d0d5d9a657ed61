"""Install the gate into the Python that runs this file; it needs nothing but the standard library.

What the machine says to pip counts, since pip reads it itself: `PIP_INDEX_URL`, `PIP_CERT`, `HTTPS_PROXY`, `pip.conf`.
With a wheelhouse (`PIP_NO_INDEX` and `PIP_FIND_LINKS`) the wheel of this version comes from there; nothing is built.
"""

from __future__ import annotations

import importlib.metadata
import os
import re
import subprocess
import sys
from collections.abc import Mapping
from pathlib import Path

NAME = "robustness-gate"
LEAST = (3, 11)
_PROJECT = Path(__file__).resolve().parents[1]
_VERSION = re.compile(r'^__version__ = "([^"]+)"$', re.MULTILINE)
_USAGE = 2


def main() -> int:
    """Install the version that stands beside this file, unless it is there; gives the exit code."""
    if sys.version_info < LEAST:
        found = ".".join(map(str, sys.version_info[:2]))
        return _refuse(f"Python {found} is too old for the gate: give actions/setup-python a version from 3.11 on")
    version = own_version(_PROJECT)
    if installed() == version:
        sys.stdout.write(f"{NAME} {version} is installed already\n")
        return 0
    # -P: a folder `pip` of the checkout is not imported
    command = [sys.executable, "-P", "-m", "pip", "install", "--disable-pip-version-check", "--quiet"]
    ended = subprocess.run([*command, source(version, _PROJECT, os.environ)], check=False)
    if ended.returncode:
        return _refuse(f"pip could not install {NAME} {version}: the lines above say why")
    return 0


def own_version(project: Path) -> str:
    """The version of the checkout of this action."""
    match = _VERSION.search((project / "gate" / "__init__.py").read_text(encoding="utf-8"))
    return match[1] if match is not None else ""


def installed() -> str:
    """The version that this Python has; empty without one."""
    try:
        return importlib.metadata.version(NAME)
    except importlib.metadata.PackageNotFoundError:
        return ""


def source(version: str, project: Path, environ: Mapping[str, str]) -> str:
    """What pip is asked for: the checkout of this action, or of a wheelhouse the wheel of the same version."""
    wheelhouse = environ.get("PIP_NO_INDEX", "").strip().lower() not in ("", "0", "false", "no", "off")
    return f"{NAME}=={version}" if wheelhouse else str(project)


def _refuse(sentence: str) -> int:
    sys.stdout.write(f"::error::{sentence}\n")
    return _USAGE


if __name__ == "__main__":
    sys.exit(main())
