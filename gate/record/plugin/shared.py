"""A folder that the processes of one run share, for as long as it lasts."""

from __future__ import annotations

import contextlib
import os
import shutil
import tempfile
import time
from pathlib import Path

from gate.errors import RecordingError
from gate.record.plugin.outside import Outside
from gate.record.recordings.locking import Claim, claims, is_claimed

_FOLDER = "GATE_RUN_FOLDER"
_PREFIX = "gate-run-"
_RUN = "0"
_MAKING = 60.0
"""Seconds after which a folder without a living process is left behind, and not in the making."""


class Shared:
    """Made by the process that starts the others; they find it in their environment.

    It may hold answers as they came, with what is secret in them, so it is for this user alone and goes with the run.
    What a process could not take away, since it was killed, the next run of this user does.

    Args:
        wanted: whether there is anything to share.
        outside: sets the variable for workers.
        worker: whether this process was started by one of the same run.

    Attributes:
        folder: None where this process shares with nobody.
    """

    def __init__(self, wanted: bool, outside: Outside, *, worker: bool) -> None:
        told = os.environ.get(_FOLDER, "") if worker else ""
        self._made: str | None = None
        self._claim: Claim | None = None
        self._process = os.getpid()
        if not worker:
            sweep(Path(tempfile.gettempdir()))
            if wanted:
                told = self._made = tempfile.mkdtemp(prefix=_PREFIX)
                self._claim = Claim(Path(told), _RUN)
                outside.set({_FOLDER: told}, shared=True)
        self.folder = Path(told) if told else None

    def remove(self) -> None:
        """At the end of the process that made it."""
        if self._made is not None and os.getpid() == self._process:
            if self._claim is not None:
                self._claim.release()
            shutil.rmtree(self._made, ignore_errors=True)


def sweep(place: Path) -> None:
    """Take away what killed runs of this user left in a folder for temporary files."""
    for folder in place.glob(f"{_PREFIX}*"):
        with contextlib.suppress(OSError, RecordingError):
            found = folder.lstat()
            mine = not hasattr(os, "getuid") or found.st_uid == os.getuid()
            made = claims(folder).get(_RUN, found.st_mtime)
            if mine and not folder.is_symlink() and time.time() - made > _MAKING and not is_claimed(folder, _RUN):
                shutil.rmtree(folder, ignore_errors=True)
