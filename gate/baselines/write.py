"""Files written beside and then renamed, so that a crash leaves the old file whole."""

from __future__ import annotations

import contextlib
import os
import stat
import tempfile
from pathlib import Path

from gate.errors import BaselineError, UsageError

NEW_MODE = 0o644


def write_atomically(path: Path, data: bytes) -> None:
    """Replace a file's content whole or not at all; its folder is made where it lacks, its mode is kept.

    A symbolic link is replaced by a file, never followed.

    Raises:
        UsageError: the folder can't be written, a folder stands in the way, or the disk is full.
    """
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        handle, name = tempfile.mkstemp(dir=path.parent, prefix=f".{path.name[:40]}.", suffix=".part")
    except OSError as error:
        raise _refusal(path, error) from None
    beside = Path(name)
    try:
        with os.fdopen(handle, "wb") as stream:
            stream.write(data)
            stream.flush()
            os.fsync(stream.fileno())
        beside.chmod(_mode(path))
        beside.replace(path)
    except BaseException as error:
        with contextlib.suppress(OSError):
            beside.unlink()
        if isinstance(error, OSError):
            raise _refusal(path, error) from None
        raise


def refuse_linked_folder(path: Path, below: Path) -> None:
    """Refuse a baseline behind a link: git keeps only the link's target as a name, so the base could not be read.

    Args:
        below: the folder of the settings; links above it are no business of git's.

    Raises:
        BaselineError: a folder between the two is a symbolic link.
    """
    path = below / path
    if not path.is_relative_to(below):
        return
    for folder in path.relative_to(below).parents:
        if (below / folder).is_symlink() and folder.parts:
            raise BaselineError(
                "is a symbolic link, and git would keep no baseline behind it",
                where=str(folder),
                remedy="put a plain folder there, or name another path with the setting `baseline`",
            )


def _mode(path: Path) -> int:
    try:
        found = path.lstat().st_mode
    except FileNotFoundError:
        return NEW_MODE
    return stat.S_IMODE(found) & 0o777 if stat.S_ISREG(found) else NEW_MODE


def _refusal(path: Path, error: OSError) -> UsageError:
    return UsageError(
        f"can't be written: {error.strerror or error}",
        where=str(path),
        remedy="check the folder's permissions and the room on the disk",
    )
