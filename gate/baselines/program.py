"""Finding a program on the PATH by hand: on Windows the usual search looks into the current folder first."""

from __future__ import annotations

import os
import sys
from collections.abc import Mapping
from pathlib import Path

from gate.errors import RepositoryError

_PROGRAMS_OF_WINDOWS = ".COM;.EXE;.BAT;.CMD"


def find_git(environ: Mapping[str, str]) -> str:
    """Path of git in the folders that `PATH` names in full.

    The current folder is a checkout, and a pull request may have put a program called git there. So it is not looked
    into, and neither is a folder that `PATH` names relative to it.

    Raises:
        RepositoryError: there is none.
    """
    endings = environ.get("PATHEXT", "") or _PROGRAMS_OF_WINDOWS
    names = [f"git{ending.lower()}" for ending in endings.split(";") if ending] if sys.platform == "win32" else ["git"]
    for entry in environ.get("PATH", os.defpath).split(os.pathsep):
        folder = Path(entry.strip('"'))
        if not folder.is_absolute():
            continue
        for name in names:
            if (folder / name).is_file() and os.access(folder / name, os.X_OK):
                return str(folder / name)
    raise RepositoryError(
        "git is not installed, or not on the PATH", remedy="install git (Debian: `apt-get install git`)"
    )
