"""Files written beside and then renamed, so that a crash leaves the old file whole."""

from __future__ import annotations

import contextlib
import os
import tempfile
from pathlib import Path

from gate.errors import UsageError


def write_atomically(path: Path, data: bytes) -> None:
    """Replace a file's content whole or not at all; its folder is made where it lacks.

    Raises:
        UsageError: the folder can't be written, or the disk is full.
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
        beside.chmod(path.stat().st_mode & 0o777 if path.exists() else 0o644)
        beside.replace(path)
    except OSError as error:
        with contextlib.suppress(OSError):
            beside.unlink()
        raise _refusal(path, error) from None


def _refusal(path: Path, error: OSError) -> UsageError:
    return UsageError(
        f"can't be written: {error.strerror or error}",
        where=str(path),
        remedy="check the folder's permissions and the room on the disk",
    )
